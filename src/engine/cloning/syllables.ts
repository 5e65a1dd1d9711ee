import { FRAMES_PER_SECOND, levelsOf } from './frames.ts';

/** Vowels carry their energy here, in hertz; hiss and hum do not. */
const VOWELS = { from: 300, to: 2_500 };

/** Decibels that the level falls between two syllables. */
const DIP = 1.5;

/** A shorter gap in speech belongs to it, in seconds. */
const PAUSE = 0.25;

/**
 * Syllables a second of speech, pauses left out: rises of the vowels' energy (after de Jong and
 * Wempe 2009, without their condition of voice, which loses short vowels). 0 when there is nothing to count.
 *
 * @param active - 1 for every frame with speech in it
 */
export function syllableRate(samples: Float32Array, rate: number, active: Uint8Array): number {
  const levels = smooth(levelsOf(vowelBand(samples, rate), rate));
  let syllables = 0;
  let peak = Number.NEGATIVE_INFINITY;
  let valley = Number.POSITIVE_INFINITY;
  let spoken = false;
  let rising = true;
  for (let frame = 0; frame < levels.length; frame += 1) {
    const level = levels[frame] ?? 0;
    if (rising) {
      if (level > peak) peak = level;
      if (active[frame] === 1) spoken = true;
      if (level > peak - DIP) continue;
      if (spoken) syllables += 1;
      rising = false;
      valley = level;
    } else {
      valley = Math.min(valley, level);
      if (level < valley + DIP) continue;
      rising = true;
      spoken = false;
      peak = level;
    }
  }
  if (rising && spoken) syllables += 1;
  const seconds = speakingSeconds(active);
  return seconds === 0 ? 0 : syllables / seconds;
}

/** Seconds from the first to the last frame of every stretch of speech. */
function speakingSeconds(active: Uint8Array): number {
  let frames = 0;
  let last = Number.NEGATIVE_INFINITY;
  for (let frame = 0; frame < active.length; frame += 1) {
    if (active[frame] !== 1) continue;
    frames += frame - last <= PAUSE * FRAMES_PER_SECOND ? frame - last : 1;
    last = frame;
  }
  return frames / FRAMES_PER_SECOND;
}

function vowelBand(samples: Float32Array, rate: number): Float32Array {
  const high = 1 - Math.exp((-2 * Math.PI * VOWELS.to) / rate);
  const low = 1 - Math.exp((-2 * Math.PI * VOWELS.from) / rate);
  const band = new Float32Array(samples.length);
  // Each edge twice, for one pole alone lets too much of the neighbours through.
  let [a, b, c, d] = [0, 0, 0, 0];
  for (let i = 0; i < samples.length; i += 1) {
    a += high * ((samples[i] ?? 0) - a);
    b += high * (a - b);
    c += low * (b - c);
    d += low * (b - c - d);
    band[i] = b - c - d;
  }
  return band;
}

/** Mean over 50 ms: what is faster is no syllable. */
function smooth(levels: Float32Array): Float32Array {
  return levels.map((_, frame) => {
    const near = levels.subarray(Math.max(0, frame - 2), frame + 3);
    return near.reduce((sum, level) => sum + level, 0) / near.length;
  });
}
