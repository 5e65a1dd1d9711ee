/** Frames that everything in a sample is measured by: one each 10 ms. */
export const FRAMES_PER_SECOND = 100;

/** Levels below this count as silence, in decibels of full scale. */
const FLOOR = -96;

/** Where in a sound somebody speaks. */
export interface Activity {
  /** Level of every frame, in decibels of full scale. */
  levels: Float32Array;
  /** 1 for every frame with speech in it. */
  active: Uint8Array;
  /** Level that the loudest twentieth of the frames exceeds, silence left out. */
  loud: number;
  /** Level that the quietest tenth of the frames stays below. */
  quiet: number;
}

/** Frames that are louder than what counts as the peak, for a click is no speech. */
const PEAK_FRAMES = 20;

/** Decibels below the peak that still count as sound. */
const HEARD = 40;

/** Share of the way from quiet to loud at which speech begins. */
const THRESHOLD = 0.4;

/** Speech is never looked for further below the loud frames, in decibels. */
const DEPTH = 28;

/** Tells speech from pauses by level alone, whatever the level of the whole. */
export function activityOf(samples: Float32Array, rate: number): Activity {
  const levels = levelsOf(samples, rate);
  const peak = levels.toSorted().at(-Math.min(PEAK_FRAMES, levels.length)) ?? FLOOR;
  const loud = percentile(
    levels.filter((level) => level >= peak - HEARD),
    0.95,
  );
  const quiet = percentile(levels, 0.1);
  const threshold = Math.max(loud - DEPTH, quiet + THRESHOLD * (loud - quiet));
  return { levels, active: Uint8Array.from(levels, (level) => +(level >= threshold)), loud, quiet };
}

/** Level of each frame, over 30 ms, in decibels of full scale. */
export function levelsOf(samples: Float32Array, rate: number): Float32Array {
  const hop = rate / FRAMES_PER_SECOND;
  const levels = new Float32Array(Math.max(0, Math.floor(samples.length / hop) - 2));
  for (let frame = 0; frame < levels.length; frame += 1) {
    const start = Math.round(frame * hop);
    const end = Math.round((frame + 3) * hop);
    let sum = 0;
    for (let i = start; i < end; i += 1) sum += (samples[i] ?? 0) ** 2;
    levels[frame] = Math.max(FLOOR, 10 * Math.log10(sum / (end - start) + 1e-12));
  }
  return levels;
}

/** Value below which the share (0 to 1) of the values lies; NaN of nothing. */
export function percentile(values: ArrayLike<number>, share: number): number {
  const sorted = Float32Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}
