import { type Activity, FRAMES_PER_SECOND } from './frames.ts';

/** Edges in hertz of the bands that a voice's long-term spectrum is told in: the critical bands of hearing (Zwicker 1961). */
export const BAND_EDGES = [
  100, 200, 300, 400, 510, 630, 770, 920, 1_080, 1_270, 1_480, 1_720, 2_000, 2_320, 2_700, 3_150,
  3_700, 4_400, 5_300, 6_400,
] as const;

export const BANDS = BAND_EDGES.length - 1;

/** Middle of a band, in hertz. */
export function bandCentre(band: number): number {
  return Math.sqrt((BAND_EDGES[band] ?? 1) * (BAND_EDGES[band + 1] ?? 1));
}

/** Noise must lie this far below speech before it is taken off, in decibels. */
const CLEAR = 6;

/** Share of a band's energy that is left at least when noise is taken off. */
const LEAST = 0.02;

/**
 * Long-term average spectrum of the speech in a sound: decibels of each band against the mean of
 * all, steady noise taken off.
 *
 * @param rate - hertz, 16,000 or so: the bands end at 6,400 Hz
 */
export function longTermSpectrum(
  samples: Float32Array,
  rate: number,
  { levels, active, loud, quiet }: Activity,
): number[] {
  const size = 1_024;
  const hop = rate / FRAMES_PER_SECOND;
  const speech = new Float64Array(BANDS);
  const noise = new Float64Array(BANDS);
  let speechFrames = 0;
  let noiseFrames = 0;
  for (let frame = 0; frame < levels.length; frame += 2) {
    const isSpeech = active[frame] === 1;
    const isNoise = (levels[frame] ?? 0) <= quiet;
    const start = Math.round((frame + 1.5) * hop) - size / 2;
    if ((!isSpeech && !isNoise) || start < 0 || start + size > samples.length) continue;
    addBands(samples.subarray(start, start + size), rate, isSpeech ? speech : noise);
    if (isSpeech) speechFrames += 1;
    else noiseFrames += 1;
  }
  const noisy = noiseFrames > 0 && loud - quiet > CLEAR;
  const decibels = Array.from(speech, (sum, band) => {
    const power = sum / Math.max(1, speechFrames);
    const floor = noisy ? (noise[band] ?? 0) / noiseFrames : 0;
    return 10 * Math.log10(Math.max(power - floor, power * LEAST) + 1e-12);
  });
  const mean = decibels.reduce((sum, value) => sum + value, 0) / BANDS;
  return decibels.map((value) => value - mean);
}

function addBands(frame: Float32Array, rate: number, sums: Float64Array): void {
  const size = frame.length;
  const real = new Float64Array(size);
  const imaginary = new Float64Array(size);
  for (let i = 0; i < size; i += 1) {
    real[i] = (frame[i] ?? 0) * (0.5 - 0.5 * Math.cos((2 * Math.PI * i) / size));
  }
  fourier(real, imaginary);
  let band = 0;
  for (let bin = 1; bin < size / 2; bin += 1) {
    const frequency = (bin * rate) / size;
    if (frequency < BAND_EDGES[0]) continue;
    while (frequency >= (BAND_EDGES[band + 1] ?? Number.POSITIVE_INFINITY)) band += 1;
    if (band >= BANDS) return;
    sums[band] = (sums[band] ?? 0) + (real[bin] ?? 0) ** 2 + (imaginary[bin] ?? 0) ** 2;
  }
}

/** Radix-2 Fourier transform in place; the length is a power of two. */
function fourier(real: Float64Array, imaginary: Float64Array): void {
  const size = real.length;
  for (let i = 1, j = 0; i < size; i += 1) {
    let bit = size >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i >= j) continue;
    for (const part of [real, imaginary]) {
      const value = part[i] ?? 0;
      part[i] = part[j] ?? 0;
      part[j] = value;
    }
  }
  for (let length = 2; length <= size; length *= 2) {
    const half = length / 2;
    for (let k = 0; k < half; k += 1) {
      const cosine = Math.cos((2 * Math.PI * k) / length);
      const sine = -Math.sin((2 * Math.PI * k) / length);
      for (let a = k; a < size; a += length) {
        const b = a + half;
        const re = (real[b] ?? 0) * cosine - (imaginary[b] ?? 0) * sine;
        const im = (real[b] ?? 0) * sine + (imaginary[b] ?? 0) * cosine;
        real[b] = (real[a] ?? 0) - re;
        imaginary[b] = (imaginary[a] ?? 0) - im;
        real[a] = (real[a] ?? 0) + re;
        imaginary[a] = (imaginary[a] ?? 0) + im;
      }
    }
  }
}
