import { rms } from './measure.ts';

/** White noise of a level (RMS), the same each time. */
export function noise(samples: number, level: number): Int16Array {
  let state = 12_345;
  return Int16Array.from({ length: samples }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.round((state / 2 ** 32 - 0.5) * Math.sqrt(12) * level);
  });
}

/** A sound with white noise the given number of decibels below it. */
export function withNoise(samples: Int16Array, decibels: number): Int16Array {
  const added = noise(samples.length, rms(samples) * 10 ** (-decibels / 20));
  return samples.map((sample, i) => Math.max(-32_768, Math.min(32_767, sample + (added[i] ?? 0))));
}
