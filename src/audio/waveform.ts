import { Buffer } from 'node:buffer';

/** Discord takes at most 256 points, one byte each; its own clients send about 10 a second. */
const MAX_POINTS = 256;
const MIN_POINTS = 32;
const POINTS_PER_SECOND = 10;

/** Stretches a second whose energy is kept until the length of the whole is known. */
const BINS_PER_SECOND = 100;

/** RMS (about -54 dBFS) under which the loudest point still counts as silence: noise is not blown up. */
const SILENCE = 64;

/** Collects the loudness of a sound for the picture that Discord draws of a voice message. */
export interface Waveform {
  push(samples: Int16Array): void;
  /** Base64; one byte a point: RMS, 255 at the loudest point, 0 for silence. */
  finish(): string;
}

/** @param sampleRate - hertz of the samples that will be pushed */
export function createWaveform(sampleRate: number): Waveform {
  const binLength = Math.max(1, Math.round(sampleRate / BINS_PER_SECOND));
  /** Mean square of each finished bin. */
  const bins: number[] = [];
  let sum = 0;
  let count = 0;
  let total = 0;

  return {
    push(samples) {
      total += samples.length;
      for (let i = 0; i < samples.length; i += 1) {
        const sample = samples[i] ?? 0;
        sum += sample * sample;
        count += 1;
        if (count === binLength) {
          bins.push(sum / count);
          sum = 0;
          count = 0;
        }
      }
    },
    finish() {
      const energies = count > 0 ? [...bins, sum / count] : bins;
      const wanted = Math.floor((total / sampleRate) * POINTS_PER_SECOND);
      const points = Math.min(energies.length, MAX_POINTS, Math.max(MIN_POINTS, wanted));
      const levels = Array.from({ length: points }, (_, point) => {
        const from = Math.floor((point * energies.length) / points);
        const to = Math.floor(((point + 1) * energies.length) / points);
        const part = energies.slice(from, to);
        return Math.sqrt(part.reduce((whole, energy) => whole + energy, 0) / part.length);
      });
      const loudest = Math.max(SILENCE, ...levels);
      const bytes = levels.map((level) => Math.round((255 * level) / loudest));
      return Buffer.from(loudest === SILENCE ? bytes.map(() => 0) : bytes).toString('base64');
    },
  };
}
