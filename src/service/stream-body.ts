import type { AudioEncoder } from '../audio/encoder.ts';
import { pcmBytes, wavHeader } from '../audio/wav.ts';
import { SAMPLE_RATE } from '../contract/limits.ts';
import type { OutputFormat, PhonemeData } from '../contract/speech.ts';
import type { Progress, Sound } from './sound.ts';

/** A sound as the bytes of its file, as they come; the first chunk holds the whole file header. */
export function audioChunks(
  sound: Sound,
  format: OutputFormat,
  encoder: Pick<AudioEncoder, 'mp3Stream'>,
  signal: AbortSignal,
): AsyncIterable<Uint8Array> {
  return format === 'mp3'
    ? encoder.mp3Stream({ sampleRate: SAMPLE_RATE, chunks: sound.chunks }, signal)
    : wavChunks(sound.chunks);
}

async function* wavChunks(chunks: AsyncIterable<Int16Array>): AsyncGenerator<Uint8Array> {
  let header: Uint8Array | undefined = wavHeader({ sampleRate: SAMPLE_RATE });
  for await (const samples of chunks) {
    yield header ? Buffer.concat([header, pcmBytes(samples)]) : pcmBytes(samples);
    header = undefined;
  }
  if (header) yield header;
}

/**
 * Audio and phonemes as NDJSON: an audio line first, then both kinds in the order of sound
 * (supplement, "Streaming").
 */
export async function* speechLines(
  sound: Progress,
  audio: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for await (const bytes of audio) {
    yield line({ audio_base64: Buffer.from(bytes).toString('base64'), phonemes: null });
    const phonemes = sound.takePhonemes();
    if (phonemes) yield line({ audio_base64: null, phonemes });
  }
  const phonemes = sound.takePhonemes();
  if (phonemes) yield line({ audio_base64: null, phonemes });
}

function line(
  value: { audio_base64: string; phonemes: null } | { audio_base64: null; phonemes: PhonemeData },
): Uint8Array {
  return Buffer.from(`${JSON.stringify(value)}\n`);
}
