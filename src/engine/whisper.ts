import type { Filter } from './tone.ts';

/** Poles of the vocal tract's model: two a formant, and a few for the slope. */
const ORDER = 24;

/** Emphasis of the high frequencies before analysis, for whispered breath falls off less than voice. */
const EMPHASIS = 0.85;

/** Breath carries less energy than voice: what is left is brought up again. */
const LOUDNESS = 2.6;

/**
 * Whispers what was voiced: linear prediction finds the formants of every frame, and noise takes the
 * place of the vocal folds.
 */
export function createWhisper(sampleRate: number): Filter {
  const hop = Math.round(sampleRate * 0.011);
  const size = hop * 2;
  const window = Float32Array.from({ length: size }, (_, i) =>
    Math.sin((Math.PI * (i + 0.5)) / size),
  );
  const noise = createNoise();
  // One hop of silence before the sound, so that its first samples lie under two windows as well.
  let pending = new Float32Array(hop);
  let overlap = new Float32Array(size);
  let skip = hop;
  let taken = 0;
  let given = 0;

  function run(samples: Float32Array): Float32Array {
    const input = new Float32Array(pending.length + samples.length);
    input.set(pending);
    input.set(samples, pending.length);
    const frames = Math.max(0, Math.floor((input.length - size) / hop) + 1);
    const output = new Float32Array(frames * hop);
    for (let frame = 0; frame < frames; frame += 1) {
      const whispered = whisperFrame(input.subarray(frame * hop, frame * hop + size));
      for (let i = 0; i < size; i += 1) {
        overlap[i] = (overlap[i] ?? 0) + (whispered[i] ?? 0) * (window[i] ?? 0);
      }
      output.set(overlap.subarray(0, hop), frame * hop);
      const rest = new Float32Array(size);
      rest.set(overlap.subarray(hop));
      overlap = rest;
    }
    pending = input.slice(frames * hop);
    const dropped = Math.min(skip, output.length);
    skip -= dropped;
    return output.subarray(dropped);
  }

  function whisperFrame(frame: Float32Array): Float32Array {
    const windowed = new Float32Array(size);
    let before = frame[0] ?? 0;
    for (let i = 0; i < size; i += 1) {
      const sample = frame[i] ?? 0;
      windowed[i] = (sample - EMPHASIS * before) * (window[i] ?? 0);
      before = sample;
    }
    const { coefficients, error } = predict(windowed);
    const excitation = LOUDNESS * Math.sqrt(error / size);
    const whispered = new Float32Array(size);
    for (let i = 0; i < size; i += 1) {
      let sample = excitation * noise();
      for (let k = 1; k <= Math.min(ORDER, i); k += 1) {
        sample -= (coefficients[k] ?? 0) * (whispered[i - k] ?? 0);
      }
      whispered[i] = sample;
    }
    return whispered;
  }

  return {
    process(samples) {
      taken += samples.length;
      const output = run(samples);
      given += output.length;
      return output;
    },
    flush() {
      const rest = run(new Float32Array(size * 2)).subarray(0, taken - given);
      given += rest.length;
      return rest;
    },
  };
}

/** Levinson-Durbin: the filter that predicts the frame, and the energy that it leaves over. */
function predict(frame: Float32Array): { coefficients: Float64Array; error: number } {
  const correlation = new Float64Array(ORDER + 1);
  for (let lag = 0; lag <= ORDER; lag += 1) {
    let sum = 0;
    for (let i = lag; i < frame.length; i += 1) sum += (frame[i] ?? 0) * (frame[i - lag] ?? 0);
    correlation[lag] = sum;
  }
  const coefficients = new Float64Array(ORDER + 1);
  coefficients[0] = 1;
  // A little white noise keeps the filter stable where the frame is a pure tone or silent.
  let error = (correlation[0] ?? 0) * 1.0001 + 1e-9;
  for (let order = 1; order <= ORDER; order += 1) {
    let sum = correlation[order] ?? 0;
    for (let k = 1; k < order; k += 1) {
      sum += (coefficients[k] ?? 0) * (correlation[order - k] ?? 0);
    }
    const reflection = -sum / error;
    const before = coefficients.slice();
    for (let k = 1; k < order; k += 1) {
      coefficients[k] = (before[k] ?? 0) + reflection * (before[order - k] ?? 0);
    }
    coefficients[order] = reflection;
    error *= 1 - reflection * reflection;
  }
  return { coefficients, error };
}

/** Uniform noise of variance 1, the same for every utterance: equal requests sound equal. */
function createNoise(): () => number {
  let state = 0x2545_f491;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state / 0x8000_0000) * Math.sqrt(3);
  };
}
