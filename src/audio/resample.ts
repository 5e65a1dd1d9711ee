import createModule, { type SpeexModule } from '@echogarden/speex-resampler-wasm/simd';
import { concatSamples } from './pcm.ts';

/** Speex's "desktop" quality: noise below that of 16 bit, at hundreds of times real time. */
const DESKTOP_QUALITY = 5;

/**
 * Speex's quality for what is encoded to Opus next, whose own noise lies far above: the same up to
 * 10 kHz, 10 dB less at 16 kHz, for two thirds of the processor's time.
 */
export const OPUS_INPUT_QUALITY = 3;

/** Samples that cross into the module's memory at a time. */
const BLOCK = 8_192;

/** Changes the rate of a stream of mono sound. Free it when the stream ends, however it ends. */
export interface Resampler {
  /** Takes the next samples in, gives what is ready; the filter's delay is held back, not padded. */
  process(samples: Int16Array): Int16Array;
  /** The rest. All output together has exactly round(input samples × to ÷ from) samples. */
  flush(): Int16Array;
  /** Gives the memory back; may be called more than once. */
  free(): void;
}

interface Speex {
  module: SpeexModule;
  /** Shared by all resamplers of a thread: every call leaves them empty. */
  input: number;
  output: number;
  inputLength: number;
  outputLength: number;
}

let loaded: Promise<Speex> | undefined;

async function load(): Promise<Speex> {
  const module = await createModule();
  return {
    module,
    input: module._malloc(BLOCK * 2),
    output: module._malloc(BLOCK * 2),
    inputLength: module._malloc(4),
    outputLength: module._malloc(4),
  };
}

/**
 * Makes a streaming resampler. What comes out is aligned in time with what went in.
 *
 * @param from - rate of the input in hertz, a whole number
 * @param to - rate of the output in hertz, a whole number
 * @param quality - Speex's scale, 0 to 10
 * @throws {Error} when a rate is not usable
 */
export async function createResampler(
  from: number,
  to: number,
  quality: number = DESKTOP_QUALITY,
): Promise<Resampler> {
  if (from === to) {
    return { process: (samples) => samples, flush: () => new Int16Array(0), free: () => {} };
  }
  loaded ??= load();
  return openResampler(await loaded, from, to, quality);
}

function openResampler(speex: Speex, from: number, to: number, quality: number): Resampler {
  const { module } = speex;
  let state = module._speex_resampler_init(1, from, to, quality, speex.inputLength);
  if (state === 0) throw new Error(`Cannot resample from ${from} Hz to ${to} Hz`);
  module._speex_resampler_skip_zeros(state);
  let taken = 0;
  let given = 0;

  function run(samples: Int16Array): Int16Array {
    if (state === 0) throw new Error('The resampler was freed');
    const parts: Int16Array[] = [];
    let offset = 0;
    while (offset < samples.length) {
      const block = samples.subarray(offset, offset + BLOCK);
      module.HEAP16.set(block, speex.input / 2);
      module.HEAPU32[speex.inputLength / 4] = block.length;
      module.HEAPU32[speex.outputLength / 4] = BLOCK;
      const failed = module._speex_resampler_process_int(
        state,
        0,
        speex.input,
        speex.inputLength,
        speex.output,
        speex.outputLength,
      );
      if (failed !== 0) throw new Error(`Resampling failed with code ${failed}`);
      offset += module.HEAPU32[speex.inputLength / 4] ?? 0;
      const made = module.HEAPU32[speex.outputLength / 4] ?? 0;
      parts.push(module.HEAP16.slice(speex.output / 2, speex.output / 2 + made));
    }
    const [only] = parts;
    return parts.length === 1 && only ? only : concatSamples(parts);
  }

  return {
    process(samples) {
      taken += samples.length;
      const out = run(samples);
      given += out.length;
      return out;
    },
    flush() {
      const parts: Int16Array[] = [];
      const wanted = Math.round((taken * to) / from);
      const silence = new Int16Array(256);
      while (given < wanted) {
        const out = run(silence).subarray(0, wanted - given);
        given += out.length;
        parts.push(out);
      }
      return concatSamples(parts);
    },
    free() {
      if (state !== 0) module._speex_resampler_destroy(state);
      state = 0;
    },
  };
}

/** Resamples a whole sound. @see createResampler */
export async function resample(samples: Int16Array, from: number, to: number): Promise<Int16Array> {
  const resampler = await createResampler(from, to);
  try {
    return concatSamples([resampler.process(samples), resampler.flush()]);
  } finally {
    resampler.free();
  }
}
