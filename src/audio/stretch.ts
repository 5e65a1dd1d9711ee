import createModule, { type RubberBandModule } from '@echogarden/rubberband-wasm';

/** R3 engine, which is exact in length; formants preserved, so that a voice stays the same person's. */
const OPTIONS = 0x2000_0000 | 0x0100_0000;

/** Samples that cross the module's memory at a time, in or out. */
const BUFFER = 8_192;

export interface StretchTarget {
  /** Length of the result in samples. */
  targetLength: number;
  /** Semitones; 0 keeps the pitch. */
  pitchShift: number;
}

let loaded: Promise<RubberBandModule> | undefined;

/**
 * Changes the length and the pitch of a whole sound independently, the colour of the voice kept.
 * Blocks its thread for the length of the sound ÷ 10 or so: call it in a worker.
 *
 * @param samples - mono
 * @param sampleRate - hertz
 * @returns exactly `targetLength` samples
 */
export async function stretch(
  samples: Float32Array,
  sampleRate: number,
  { targetLength, pitchShift }: StretchTarget,
): Promise<Float32Array> {
  const result = new Float32Array(targetLength);
  if (samples.length === 0 || targetLength === 0) return result;
  if (samples.length === targetLength && pitchShift === 0) return samples.slice();
  loaded ??= createModule();
  const module = await loaded;
  try {
    render(module, samples, sampleRate, 2 ** (pitchShift / 12), result);
  } catch (error) {
    // What the module throws may be a bare number, or carry its whole source.
    const reason = String(error).slice(0, 200);
    throw new Error(`Stretching ${samples.length} samples failed: ${reason}`, { cause: error });
  }
  return result;
}

function render(
  module: RubberBandModule,
  samples: Float32Array,
  sampleRate: number,
  pitchScale: number,
  result: Float32Array,
): void {
  const timeRatio = result.length / samples.length;
  // Small steps for long results, and room for large ones: Rubber Band complains when its output
  // buffer, which it sizes by the announced step, has to grow.
  const block = Math.max(64, Math.floor(BUFFER / 4 / Math.max(1, timeRatio)));
  const buffer = module._malloc(BUFFER * 4);
  const channels = module._malloc(4);
  const state = module._rubberband_new(sampleRate, 1, OPTIONS, timeRatio, pitchScale);
  try {
    module.HEAPU32[channels / 4] = buffer;
    module._rubberband_set_expected_input_duration(state, samples.length);
    module._rubberband_set_max_process_size(state, BUFFER);
    for (let offset = 0; offset < samples.length; offset += block) {
      module._rubberband_study(state, channels, load(offset), isLast(offset));
    }
    let written = 0;
    for (let offset = 0; offset < samples.length; offset += block) {
      module._rubberband_process(state, channels, load(offset), isLast(offset));
      for (;;) {
        const ready = module._rubberband_available(state);
        if (ready <= 0) break;
        const count = module._rubberband_retrieve(state, channels, Math.min(ready, BUFFER));
        const room = Math.min(count, result.length - written);
        result.set(module.HEAPF32.subarray(buffer / 4, buffer / 4 + room), written);
        written += room;
      }
    }
  } finally {
    module._rubberband_delete(state);
    module._free(channels);
    module._free(buffer);
  }

  function load(offset: number): number {
    const part = samples.subarray(offset, offset + block);
    module.HEAPF32.set(part, buffer / 4);
    return part.length;
  }

  function isLast(offset: number): number {
    return offset + block >= samples.length ? 1 : 0;
  }
}
