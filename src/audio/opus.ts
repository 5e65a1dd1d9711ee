import { concatSamples } from './pcm.ts';

/** Hertz: the rate of Discord's voice and of every Ogg Opus file's clock. */
export const OPUS_RATE = 48_000;

/** Samples of a packet: 20 ms. */
export const OPUS_FRAME = 960;

/** Samples by which the encoder's output lags, which a player drops at the start. */
export const OPUS_PRE_SKIP = 120;

/** Requests of libopus (opus_defines.h), each with the value that speech for Discord wants. */
const SETTINGS = {
  bitrate: [4002, 64_000],
  // Log-spectral distance of a human voice up to 10 kHz: 2.54 dB at 3, 2.45 at 5 and 10, for 1,
  // 1.8 and 2.3 times the processor's time.
  complexity: [4010, 3],
  voiceSignal: [4024, 3_001],
} as const;

/** One mono voice stream. */
export interface OpusEncoder {
  /** Takes the next samples at 48 kHz; gives the packets that are complete, in order. */
  push(samples: Int16Array): Uint8Array[];
  /** The last packets. With them all samples come out of a decoder that drops the pre-skip. */
  finish(): { packets: Uint8Array[]; samples: number };
  /** Gives the memory back; may be called more than once. */
  free(): void;
}

/**
 * Makes an encoder of mono speech at 48 kHz in packets of 20 ms. Free it when the stream ends,
 * however it ends.
 */
export async function createOpusEncoder(): Promise<OpusEncoder> {
  // The package's native build shares one buffer between all threads of a process, and brings the
  // process down when a thread that loaded it ends: only the WebAssembly build is safe here.
  const { Encoder } = await import('@evan/opus/wasm/index.mjs');
  // Without the speech coder, which is made for low bitrates: at 64 kbit/s it takes three times the
  // processor's time and is further from the voice (log-spectral distance 3.66 dB against 2.54).
  const application = 'restricted_lowdelay';
  const encoder = new Encoder({ channels: 1, sample_rate: OPUS_RATE, application });
  for (const [request, value] of Object.values(SETTINGS)) encoder.ctl(request, value);
  let rest: Int16Array = new Int16Array(0);
  let total = 0;

  function encode(samples: Int16Array): Uint8Array[] {
    const input = rest.length > 0 ? concatSamples([rest, samples]) : samples;
    const packets: Uint8Array[] = [];
    let offset = 0;
    for (; offset + OPUS_FRAME <= input.length; offset += OPUS_FRAME) {
      packets.push(encoder.encode(input.subarray(offset, offset + OPUS_FRAME)));
    }
    rest = input.slice(offset);
    return packets;
  }

  return {
    push(samples) {
      total += samples.length;
      return encode(samples);
    },
    finish() {
      const lacking = rest.length + OPUS_PRE_SKIP;
      const frames = Math.ceil(lacking / OPUS_FRAME);
      const silence = new Int16Array(frames * OPUS_FRAME - rest.length);
      return { packets: encode(silence), samples: total };
    },
    free: () => encoder.drop(),
  };
}
