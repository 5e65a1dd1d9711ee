import { SAMPLE_RATE } from '../contract/limits.ts';
import type { PhonemeData } from '../contract/speech.ts';
import type { SpeechPart } from '../engine/engine.ts';

/** What is known of speech on its way out, as far as it was read. */
export interface Progress {
  /** Length of what was read, in seconds, to the millisecond (supplement, "X-Audio-Length"). */
  seconds(): number;
  /** Phonemes of what was read since the last call; undefined when there are none. */
  takePhonemes(): PhonemeData | undefined;
}

/** Speech on its way out: its sound is read once. */
export interface Sound extends Progress {
  chunks: AsyncIterable<Int16Array>;
  /** Phonemes of all that was read. */
  phonemes(): PhonemeData;
}

/** Seconds to the millisecond. */
export function roundSeconds(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}

/**
 * Waits for the first part of a speech, so that a fault that comes before any sound is thrown here
 * and can still become a status.
 */
export async function startSound(speech: AsyncIterable<SpeechPart>): Promise<Sound> {
  const parts = speech[Symbol.asyncIterator]();
  const first = await parts.next();
  let samples = 0;
  const all: PhonemeData = { symbols: [], start_times_seconds: [], durations_seconds: [] };
  let phonemesEnd = 0;
  let taken = 0;

  async function* read() {
    try {
      for (let part = first; !part.done; part = await parts.next()) {
        samples += part.value.samples.length;
        for (const { symbol, start, duration } of part.value.phonemes) {
          // Each starts where the one before ended after rounding, so that rounding leaves no gap.
          const end = roundSeconds(start + duration);
          all.symbols.push(symbol);
          all.start_times_seconds.push(phonemesEnd);
          all.durations_seconds.push(roundSeconds(end - phonemesEnd));
          phonemesEnd = end;
        }
        if (part.value.samples.length > 0) yield part.value.samples;
      }
    } finally {
      await parts.return?.();
    }
  }

  return {
    chunks: read(),
    seconds: () => roundSeconds(samples / SAMPLE_RATE),
    phonemes: () => all,
    takePhonemes() {
      const from = taken;
      taken = all.symbols.length;
      if (from === taken) return undefined;
      return {
        symbols: all.symbols.slice(from),
        start_times_seconds: all.start_times_seconds.slice(from),
        durations_seconds: all.durations_seconds.slice(from),
      };
    },
  };
}
