import { concatSamples } from '../audio/pcm.ts';
import { SAMPLE_RATE } from '../contract/limits.ts';
import type { Phoneme, SpeechPart } from './engine.ts';

/** A pause shorter than this lies inside a sound, such as before a plosive: it is no silence. */
const SHORTEST_PAUSE = 0.03 * SAMPLE_RATE;

/** The first part is as short as it can be; the later ones are worth a message each. */
const SHORTEST_PART = { first: 0.05 * SAMPLE_RATE, later: 0.25 * SAMPLE_RATE };

/** A mark that belongs to the sound before it, such as ʲ or ː on its own. */
const MODIFIER = /^[\p{Lm}\p{M}]+$/u;

interface Sound {
  symbol: string;
  /** Samples from the start of the speech. */
  start: number;
}

/** Cuts finished sound into parts, each at the end of a phoneme. */
export interface PartCutter {
  /** A phoneme, in IPA, starts at this sample; empty for a pause. In the order of time. */
  mark(symbol: string, start: number): void;
  /** The next finished samples; gives a part when one is full. */
  push(samples: Int16Array): SpeechPart | undefined;
  /** The last part. The speech ends in silence, which begins at the sample given if nothing marked it. */
  finish(silence: number): SpeechPart;
}

/** Phonemes of one speech, which begins with silence (supplement, "Phonemes"). */
export function createPartCutter(): PartCutter {
  const sounds: Sound[] = [{ symbol: '', start: 0 }];
  const waiting: Int16Array[] = [];
  let available = 0;
  let emitted = 0;

  function mark(symbol: string, start: number): void {
    const last = sounds.at(-1);
    if (!last || last.symbol === symbol) {
      if (symbol !== '') sounds.push({ symbol, start: Math.max(start, last?.start ?? 0) });
      return;
    }
    const before = sounds.at(-2);
    if (symbol !== '' && MODIFIER.test(symbol) && last.symbol !== '') last.symbol += symbol;
    else if (start <= last.start) last.symbol += symbol;
    else if (last.symbol === '' && before && start - last.start < SHORTEST_PAUSE) {
      sounds[sounds.length - 1] = { symbol, start };
    } else sounds.push({ symbol, start });
  }

  function cut(end: number): SpeechPart {
    const phonemes: Phoneme[] = [];
    while (sounds[0] && (sounds[1]?.start ?? end) <= end && sounds[0].start < end) {
      const { symbol, start } = sounds.shift() as Sound;
      const next = sounds[0]?.start ?? end;
      phonemes.push({
        symbol,
        start: start / SAMPLE_RATE,
        duration: (next - start) / SAMPLE_RATE,
      });
    }
    const all = concatSamples(waiting.splice(0));
    const length = end - emitted;
    // A copy, for the buffer is handed to another thread.
    const samples = all.slice(0, length);
    if (length < all.length) waiting.push(all.subarray(length));
    emitted = end;
    return { samples, phonemes };
  }

  return {
    mark,
    push(samples) {
      waiting.push(samples);
      available += samples.length;
      // The last two may still change: a short pause between them joins them.
      const end = sounds.slice(0, -1).findLast((sound) => sound.start <= available)?.start ?? 0;
      const shortest = emitted === 0 ? SHORTEST_PART.first : SHORTEST_PART.later;
      return end - emitted >= shortest ? cut(end) : undefined;
    },
    finish(silence) {
      const last = sounds.at(-1);
      if (last && last.symbol !== '') {
        sounds.push({ symbol: '', start: Math.max(silence, last.start + 1) });
      }
      return cut(available);
    },
  };
}
