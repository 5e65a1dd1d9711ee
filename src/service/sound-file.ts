import type { AudioEncoder } from '../audio/encoder.ts';
import { pcmBytes, wavHeader } from '../audio/wav.ts';
import { SAMPLE_RATE } from '../contract/limits.ts';
import type { OutputFormat } from '../contract/speech.ts';
import type { Sound } from './sound.ts';

/** Content types, without parameters (supplement, "What existing clients rely on"). */
export const AUDIO_TYPE: Readonly<Record<OutputFormat, string>> = {
  wav: 'audio/wav',
  mp3: 'audio/mpeg',
};

/** The whole of a sound as one file. An MP3 is encoded while the sound is made. */
export async function soundFile(
  sound: Sound,
  format: OutputFormat,
  encoder: Pick<AudioEncoder, 'mp3'>,
  signal: AbortSignal,
): Promise<Buffer> {
  if (format === 'mp3') {
    const { file } = await encoder.mp3({ sampleRate: SAMPLE_RATE, chunks: sound.chunks }, signal);
    return asBuffer(file);
  }
  const chunks = await Array.fromAsync(sound.chunks);
  const samples = chunks.reduce((count, chunk) => count + chunk.length, 0);
  // In one copy, for a speech is a megabyte and a half.
  return Buffer.concat([wavHeader({ sampleRate: SAMPLE_RATE, samples }), ...chunks.map(pcmBytes)]);
}

/** The same bytes as a Buffer, without a copy. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
