import type { Tone } from './prosody.ts';
import { createWhisper } from './whisper.ts';

/** A step that sound passes through as it is made. */
export interface Filter {
  /** Mono, -1 to 1. What comes out together has exactly the length of what went in. */
  process(samples: Float32Array): Float32Array;
  flush(): Float32Array;
}

/** Where brightness begins to act, in hertz. */
const SHELF = 1_500;

/** Loudness from which the limiter bends the wave, so that nothing is ever clipped hard. */
const KNEE = 0.8;

/** Gain, brightness and whisper of one utterance. */
export function createTone(tone: Tone, sampleRate: number): Filter {
  const whisper = tone.whisper ? createWhisper(sampleRate) : undefined;
  const shape = createShape(tone, sampleRate);
  return {
    process: (samples) => shape(whisper ? whisper.process(samples) : samples),
    flush: () => (whisper ? shape(whisper.flush()) : new Float32Array(0)),
  };
}

function createShape({ gain, brightness }: Tone, sampleRate: number) {
  const smoothing = 1 - Math.exp((-2 * Math.PI * SHELF) / sampleRate);
  const low = amplitude(gain - brightness / 2);
  const high = amplitude(gain + brightness / 2);
  let below = 0;
  return (samples: Float32Array): Float32Array => {
    for (let i = 0; i < samples.length; i += 1) {
      const sample = samples[i] ?? 0;
      below += smoothing * (sample - below);
      samples[i] = limit(low * below + high * (sample - below));
    }
    return samples;
  };
}

/** Decibels that brightness, in decibels, gives to a frequency in hertz. */
export function brightnessGain(brightness: number, frequency: number): number {
  const turn = (frequency / SHELF) ** 2;
  const low = 10 ** (-brightness / 20);
  const high = 10 ** (brightness / 20);
  return 10 * Math.log10((low + high * turn) / (1 + turn));
}

function amplitude(decibels: number): number {
  return 10 ** (decibels / 20);
}

function limit(sample: number): number {
  const size = Math.abs(sample);
  if (size <= KNEE) return sample;
  const bent = KNEE + (1 - KNEE) * Math.tanh((size - KNEE) / (1 - KNEE));
  return Math.sign(sample) * bent;
}
