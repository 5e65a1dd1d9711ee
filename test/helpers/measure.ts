/** Measures of sound, for tests: mono samples in, one plain number out. */

type Samples = Int16Array | Float32Array;

/** Root mean square, in the unit of the samples. */
export function rms(samples: Samples): number {
  let sum = 0;
  for (const sample of samples) sum += sample * sample;
  return Math.sqrt(sum / Math.max(1, samples.length));
}

/**
 * Fundamental frequency in hertz of every voiced frame, one each 10 ms (YIN: cumulative mean
 * normalized difference, 60 to 600 Hz). Silence and unvoiced sounds give no entry.
 */
export function voicedF0(samples: Samples, rate: number): number[] {
  const step = Math.max(1, Math.round(rate / 11_025));
  const slow = decimate(samples, step);
  const slowRate = rate / step;
  const maxLag = Math.ceil(slowRate / 60);
  const minLag = Math.floor(slowRate / 600);
  const window = 2 * maxLag;
  const threshold = rms(slow) * 0.25;
  const found: number[] = [];
  for (let start = 0; start + window + maxLag < slow.length; start += Math.round(slowRate / 100)) {
    const frame = slow.subarray(start, start + window + maxLag);
    if (rms(frame) <= threshold) continue;
    const lag = period(frame, window, minLag, maxLag);
    if (lag !== undefined) found.push(slowRate / lag);
  }
  return found;
}

function period(
  frame: Float32Array,
  window: number,
  minLag: number,
  maxLag: number,
): number | undefined {
  const normalized = new Float32Array(maxLag + 1).fill(1);
  let running = 0;
  for (let lag = 1; lag <= maxLag; lag += 1) {
    let difference = 0;
    for (let i = 0; i < window; i += 1) {
      const delta = (frame[i] ?? 0) - (frame[i + lag] ?? 0);
      difference += delta * delta;
    }
    running += difference;
    normalized[lag] = running === 0 ? 1 : (difference * lag) / running;
  }
  for (let lag = Math.max(2, minLag); lag < maxLag; lag += 1) {
    if ((normalized[lag] ?? 1) > 0.2) continue;
    while (lag + 1 < maxLag && (normalized[lag + 1] ?? 1) < (normalized[lag] ?? 1)) lag += 1;
    const before = normalized[lag - 1] ?? 1;
    const at = normalized[lag] ?? 1;
    const after = normalized[lag + 1] ?? 1;
    const curve = before - 2 * at + after;
    return curve > 0 ? lag + (before - after) / (2 * curve) : lag;
  }
  return undefined;
}

/** Every `step`-th sample of a moving average, so that what is above the new rate does not fold. */
function decimate(samples: Samples, step: number): Float32Array {
  const out = new Float32Array(Math.floor(samples.length / step));
  for (let i = 0; i < out.length; i += 1) {
    let sum = 0;
    for (let j = 0; j < step; j += 1) sum += samples[i * step + j] ?? 0;
    out[i] = sum / step;
  }
  return out;
}

/** Median fundamental frequency in hertz of the voiced frames; NaN when there are none. */
export function medianF0(samples: Samples, rate: number): number {
  return percentile(voicedF0(samples, rate), 0.5);
}

/** How far the pitch moves: semitones from the 5th to the 95th percentile of the voiced frames. */
export function f0Range(samples: Samples, rate: number): number {
  const f0 = voicedF0(samples, rate);
  return 12 * Math.log2(percentile(f0, 0.95) / percentile(f0, 0.05));
}

/** Value below which the given share (0 to 1) of the values lies; NaN of nothing. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

/** Centre of gravity in hertz of the power spectrum: higher means a brighter sound. */
export function spectralCentroid(samples: Samples, rate: number): number {
  const size = 1_024;
  const power = new Float64Array(size / 2);
  for (let start = 0; start + size <= samples.length; start += size / 2) {
    const real = new Float64Array(size);
    const imaginary = new Float64Array(size);
    for (let i = 0; i < size; i += 1) {
      real[i] = (samples[start + i] ?? 0) * (0.5 - 0.5 * Math.cos((2 * Math.PI * i) / size));
    }
    fft(real, imaginary);
    for (let bin = 0; bin < power.length; bin += 1) {
      power[bin] = (power[bin] ?? 0) + (real[bin] ?? 0) ** 2 + (imaginary[bin] ?? 0) ** 2;
    }
  }
  let weighted = 0;
  let total = 0;
  for (const [bin, value] of power.entries()) {
    weighted += value * bin;
    total += value;
  }
  return ((weighted / total) * rate) / size;
}

/** Radix-2 Fourier transform in place; the length is a power of two. */
function fft(real: Float64Array, imaginary: Float64Array): void {
  const size = real.length;
  for (let i = 1, j = 0; i < size; i += 1) {
    let bit = size >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) {
      swap(real, i, j);
      swap(imaginary, i, j);
    }
  }
  for (let length = 2; length <= size; length *= 2) {
    for (let start = 0; start < size; start += length) {
      for (let k = 0; k < length / 2; k += 1) {
        const angle = (-2 * Math.PI * k) / length;
        const a = start + k;
        const b = a + length / 2;
        const re = (real[b] ?? 0) * Math.cos(angle) - (imaginary[b] ?? 0) * Math.sin(angle);
        const im = (real[b] ?? 0) * Math.sin(angle) + (imaginary[b] ?? 0) * Math.cos(angle);
        real[b] = (real[a] ?? 0) - re;
        imaginary[b] = (imaginary[a] ?? 0) - im;
        real[a] = (real[a] ?? 0) + re;
        imaginary[a] = (imaginary[a] ?? 0) + im;
      }
    }
  }
}

function swap(values: Float64Array, i: number, j: number): void {
  const value = values[i] ?? 0;
  values[i] = values[j] ?? 0;
  values[j] = value;
}

/** Loudness over time: the RMS of each stretch of 10 ms. */
export function envelope(samples: Samples, rate: number): number[] {
  const size = Math.round(rate / 100);
  const count = Math.floor(samples.length / size);
  return Array.from({ length: count }, (_, i) => rms(samples.subarray(i * size, (i + 1) * size)));
}

/** Correlation, -1 to 1, of how loud two sounds of one rate are over their common time. */
export function envelopeCorrelation(a: Samples, b: Samples, rate: number): number {
  const one = envelope(a, rate);
  const other = envelope(b, rate);
  const length = Math.min(one.length, other.length);
  return correlation(one.slice(0, length), other.slice(0, length));
}

function correlation(a: readonly number[], b: readonly number[]): number {
  const mean = (values: readonly number[]) =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  const meanA = mean(a);
  const meanB = mean(b);
  let both = 0;
  let ofA = 0;
  let ofB = 0;
  for (let i = 0; i < a.length; i += 1) {
    const dA = (a[i] ?? 0) - meanA;
    const dB = (b[i] ?? 0) - meanB;
    both += dA * dB;
    ofA += dA * dA;
    ofB += dB * dB;
  }
  return both / Math.sqrt(ofA * ofB);
}

/** Signal-to-noise ratio in decibels of `actual` against what it should be. */
export function signalToNoise(expected: Samples, actual: Samples): number {
  let signal = 0;
  let noise = 0;
  for (let i = 0; i < expected.length; i += 1) {
    const wanted = expected[i] ?? 0;
    signal += wanted * wanted;
    noise += (wanted - (actual[i] ?? 0)) ** 2;
  }
  return 10 * Math.log10(signal / noise);
}
