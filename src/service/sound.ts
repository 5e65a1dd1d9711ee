import { SAMPLE_RATE } from '../contract/limits.ts';
import type { PhonemeData } from '../contract/speech.ts';
import type { Phoneme, SpeechPart } from '../engine/engine.ts';

/** Speech on its way out: its sound is read once, the rest is known as far as it was read. */
export interface Sound {
  chunks: AsyncIterable<Int16Array>;
  /** Length of what was read, in seconds, to the millisecond (supplement, "X-Audio-Length"). */
  seconds(): number;
  /** Phonemes of what was read since the last call; undefined when there are none. */
  takePhonemes(): PhonemeData | undefined;
}

export const NO_PHONEMES: PhonemeData = {
  symbols: [],
  start_times_seconds: [],
  durations_seconds: [],
};

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
  let pending: Phoneme[] = [];
  let phonemesEnd = 0;

  async function* read() {
    try {
      for (let part = first; !part.done; part = await parts.next()) {
        samples += part.value.samples.length;
        pending.push(...part.value.phonemes);
        if (part.value.samples.length > 0) yield part.value.samples;
      }
    } finally {
      await parts.return?.();
    }
  }

  return {
    chunks: read(),
    seconds: () => roundSeconds(samples / SAMPLE_RATE),
    takePhonemes() {
      if (pending.length === 0) return undefined;
      const data: PhonemeData = { symbols: [], start_times_seconds: [], durations_seconds: [] };
      for (const { symbol, start, duration } of pending) {
        // Each starts where the one before ended after rounding, so that rounding leaves no gap.
        const end = roundSeconds(start + duration);
        data.symbols.push(symbol);
        data.start_times_seconds.push(phonemesEnd);
        data.durations_seconds.push(roundSeconds(end - phonemesEnd));
        phonemesEnd = end;
      }
      pending = [];
      return data;
    },
  };
}
