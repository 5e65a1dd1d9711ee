import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { createEncoder } from 'wasm-media-encoders';
import { MP3_KBITS } from '../contract/limits.ts';
import { toFloat } from './pcm.ts';

/** One mono MP3 stream. */
export interface Mp3Encoder {
  /** Takes the next samples; gives the bytes that are ready, which may be none. */
  encode(samples: Int16Array): Uint8Array;
  /** The rest of the file. */
  finish(): Uint8Array;
}

/** The module; compiled by the first stream of a thread, shared by the others. */
let wasm: Parameters<typeof createEncoder>[1] | undefined;

/**
 * Makes an encoder of mono MP3 at a constant 128 kbit/s (supplement, "Speech"). Its memory goes
 * with the object.
 *
 * @param sampleRate - hertz; one of the rates that MPEG knows, 16,000 to 48,000
 */
export async function createMp3Encoder(sampleRate: number): Promise<Mp3Encoder> {
  wasm ??= await readFile(fileURLToPath(import.meta.resolve('wasm-media-encoders/wasm/mp3')));
  const lame = await createEncoder('audio/mpeg', wasm, (module) => {
    wasm = module;
  });
  lame.configure({ channels: 1, sampleRate, bitrate: MP3_KBITS });
  return {
    // What the encoder returns lies in its own memory and is overwritten by the next call.
    encode: (samples) => lame.encode([toFloat(samples)]).slice(),
    finish: () => lame.finalize().slice(),
  };
}
