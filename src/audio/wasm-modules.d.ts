/** The parts of the WebAssembly packages that are used here; they bring no types of their own. */

declare module '@echogarden/speex-resampler-wasm/simd' {
  export interface SpeexModule {
    /** Renewed whenever the memory grows: never keep it over a call. */
    HEAP16: Int16Array;
    HEAPU32: Uint32Array;
    _malloc(bytes: number): number;
    _free(pointer: number): void;
    _speex_resampler_init(
      channels: number,
      inputRate: number,
      outputRate: number,
      quality: number,
      errorPointer: number,
    ): number;
    _speex_resampler_destroy(state: number): void;
    _speex_resampler_skip_zeros(state: number): number;
    _speex_resampler_process_int(
      state: number,
      channel: number,
      input: number,
      inputLength: number,
      output: number,
      outputLength: number,
    ): number;
  }
  export default function createModule(): Promise<SpeexModule>;
}

declare module '@echogarden/rubberband-wasm' {
  export interface RubberBandModule {
    /** Renewed whenever the memory grows: never keep it over a call. */
    HEAPF32: Float32Array;
    HEAPU32: Uint32Array;
    _malloc(bytes: number): number;
    _free(pointer: number): void;
    _rubberband_new(
      sampleRate: number,
      channels: number,
      options: number,
      timeRatio: number,
      pitchScale: number,
    ): number;
    _rubberband_delete(state: number): void;
    _rubberband_set_expected_input_duration(state: number, samples: number): void;
    _rubberband_set_max_process_size(state: number, samples: number): void;
    _rubberband_study(state: number, channels: number, samples: number, final: number): void;
    _rubberband_process(state: number, channels: number, samples: number, final: number): void;
    _rubberband_available(state: number): number;
    _rubberband_retrieve(state: number, channels: number, samples: number): number;
  }
  export default function createModule(): Promise<RubberBandModule>;
}

declare module '@evan/opus/wasm/index.mjs' {
  export class Encoder {
    constructor(options: {
      channels: 1 | 2;
      sample_rate: number;
      application: 'voip' | 'audio' | 'restricted_lowdelay';
    });
    /** Sets a value by the number of libopus's request (opus_defines.h). */
    ctl(request: number, value: number): number;
    /** Encodes 16 bit samples; the result is a copy. */
    encode(samples: Int16Array): Uint8Array;
    /** Gives the memory back; may be called more than once. */
    drop(): void;
  }
  export class Decoder {
    constructor(options: { channels: 1 | 2; sample_rate: number });
    /** 16 bit samples as bytes, a copy. */
    decode(packet: Uint8Array): Uint8Array;
    drop(): void;
  }
}
