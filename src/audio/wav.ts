import { AudioFormatError } from './errors.ts';
import type { Pcm } from './pcm.ts';
import { createWavReader } from './wav-reader.ts';

/** Stands for a length that is not known yet (supplement, "Streaming"). */
export const UNKNOWN_SIZE = 0xffff_ffff;

const HEADER_BYTES = 44;

export interface WavHeaderOptions {
  /** Hertz. */
  sampleRate: number;
  /** Length of the sound; left out while it is still being made. */
  samples?: number;
}

/** Header of a mono 16 bit WAV file: RIFF, a 16-byte fmt chunk, and the head of the data chunk. */
export function wavHeader({ sampleRate, samples }: WavHeaderOptions): Uint8Array {
  const header = new DataView(new ArrayBuffer(HEADER_BYTES));
  const dataBytes = samples === undefined ? undefined : samples * 2;
  header.setUint32(0, 0x5249_4646); // RIFF
  header.setUint32(4, dataBytes === undefined ? UNKNOWN_SIZE : dataBytes + HEADER_BYTES - 8, true);
  header.setUint32(8, 0x5741_5645); // WAVE
  header.setUint32(12, 0x666d_7420); // fmt
  header.setUint32(16, 16, true);
  header.setUint16(20, 1, true); // PCM
  header.setUint16(22, 1, true); // channels
  header.setUint32(24, sampleRate, true);
  header.setUint32(28, sampleRate * 2, true); // bytes a second
  header.setUint16(32, 2, true); // bytes a frame
  header.setUint16(34, 16, true); // bits a sample
  header.setUint32(36, 0x6461_7461); // data
  header.setUint32(40, dataBytes ?? UNKNOWN_SIZE, true);
  return new Uint8Array(header.buffer);
}

/** Samples as the little-endian bytes of a WAV file's data. Shares memory with `samples`. */
export function pcmBytes(samples: Int16Array): Uint8Array {
  return new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
}

/** A whole mono 16 bit WAV file. */
export function encodeWav({ samples, sampleRate }: Pcm): Uint8Array {
  const file = new Uint8Array(HEADER_BYTES + samples.byteLength);
  file.set(wavHeader({ sampleRate, samples: samples.length }));
  file.set(pcmBytes(samples), HEADER_BYTES);
  return file;
}

/**
 * Reads a whole WAV file: integers of 16, 24 or 32 bit or floats of 32 bit, any rate; channels are
 * mixed to one.
 *
 * @throws {AudioFormatError} when it is something else, or cut off
 */
export function decodeWav(bytes: Uint8Array): Pcm {
  const reader = createWavReader();
  const samples = reader.push(bytes);
  reader.finish();
  if (reader.sampleRate === undefined) throw new AudioFormatError('The WAV file has no sound');
  return { samples, sampleRate: reader.sampleRate };
}
