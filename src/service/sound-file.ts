import type { AudioEncoder } from '../audio/encoder.ts';
import { concatSamples } from '../audio/pcm.ts';
import { encodeWav } from '../audio/wav.ts';
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
  const samples = concatSamples(await Array.fromAsync(sound.chunks));
  return asBuffer(encodeWav({ samples, sampleRate: SAMPLE_RATE }));
}

/** The same bytes as a Buffer, without a copy. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
