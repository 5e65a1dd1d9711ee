import { FRAMES_PER_SECOND } from './frames.ts';

/** Fundamental frequencies that a voice may have, in hertz. */
const F0 = { lowest: 50, highest: 600 };

/** Seconds that are compared with themselves, shifted. */
const WINDOW = 0.026;

/** Share of the energy that may differ from one period to the next in a voiced frame. */
export const APERIODICITY = { clear: 0.2, rough: 0.35 } as const;

/** Semitones that the pitch may move within a frame; more is a slip of the search. */
const JUMP = 2.5;

/** Frames in a row that make a run of voice. */
const RUN = 4;

/**
 * Fundamental frequency of every frame in hertz, 0 where there is no voice (YIN: de Cheveigné and
 * Kawahara 2002, the cumulative mean normalized difference).
 *
 * @param rate - hertz; 8,000 is enough
 * @param aperiodicity - what still counts as voice
 */
export function pitchTrack(
  samples: Float32Array,
  rate: number,
  aperiodicity: number = APERIODICITY.clear,
): Float32Array {
  const hop = rate / FRAMES_PER_SECOND;
  const window = Math.round(WINDOW * rate);
  const longest = Math.ceil(rate / F0.lowest);
  const shortest = Math.max(2, Math.floor(rate / F0.highest));
  const frames = Math.max(0, Math.floor((samples.length - window - longest) / hop));
  const track = new Float32Array(frames);
  const normalized = new Float32Array(longest + 1).fill(1);
  for (let frame = 0; frame < frames; frame += 1) {
    const start = Math.round(frame * hop);
    compare(samples, start, window, normalized);
    const lag = firstDip(normalized, shortest, aperiodicity);
    if (lag !== undefined) track[frame] = rate / lag;
  }
  return withoutSlips(track);
}

/** Fills in how much the sound differs from itself at each shift, against the mean of all shorter ones. */
function compare(
  samples: Float32Array,
  start: number,
  window: number,
  normalized: Float32Array,
): void {
  let running = 0;
  for (let lag = 1; lag < normalized.length; lag += 1) {
    let difference = 0;
    for (let i = start; i < start + window; i += 1) {
      const delta = (samples[i] ?? 0) - (samples[i + lag] ?? 0);
      difference += delta * delta;
    }
    running += difference;
    normalized[lag] = running <= 1e-9 ? 1 : (difference * lag) / running;
  }
}

/** The first shift at which the sound repeats itself, to a fraction of a sample. */
function firstDip(normalized: Float32Array, shortest: number, highest: number): number | undefined {
  const at = (lag: number) => normalized[lag] ?? 1;
  for (let lag = shortest; lag < normalized.length - 1; lag += 1) {
    if (at(lag) > highest) continue;
    while (lag + 1 < normalized.length - 1 && at(lag + 1) < at(lag)) lag += 1;
    const curve = at(lag - 1) - 2 * at(lag) + at(lag + 1);
    return curve > 0 ? lag + (at(lag - 1) - at(lag + 1)) / (2 * curve) : lag;
  }
  return undefined;
}

/** Keeps only runs of frames whose pitch moves as a voice's can. */
function withoutSlips(track: Float32Array): Float32Array {
  const kept = new Float32Array(track.length);
  let start = 0;
  for (let frame = 1; frame <= track.length; frame += 1) {
    const before = track[frame - 1] ?? 0;
    const now = track[frame] ?? 0;
    const goesOn = before > 0 && now > 0 && Math.abs(12 * Math.log2(now / before)) < JUMP;
    if (goesOn) continue;
    if (before > 0 && frame - start >= RUN) kept.set(track.subarray(start, frame), start);
    start = frame;
  }
  return kept;
}
