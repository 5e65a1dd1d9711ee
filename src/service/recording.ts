import type { AudioEncoder } from '../audio/encoder.ts';
import { wavHeader } from '../audio/wav.ts';
import { SAMPLE_RATE } from '../contract/limits.ts';
import type { OutputFormat } from '../contract/speech.ts';
import type { Engine, Utterance } from '../engine/engine.ts';
import { type Progress, type Sound, startSound } from './sound.ts';
import { soundFile } from './sound-file.ts';
import type { Recording } from './speech-cache.ts';

/** Speaks an utterance into one file. Errors as in `Engine.speak`. */
export async function record(
  { engine, encoder }: { engine: Engine; encoder: Pick<AudioEncoder, 'mp3'> },
  utterance: Utterance,
  format: OutputFormat,
  signal: AbortSignal,
): Promise<Recording> {
  const sound = await startSound(engine.speak(utterance, { signal }));
  const file = await soundFile(sound, format, encoder, signal);
  return { file, seconds: sound.seconds(), phonemes: sound.phonemes() };
}

/**
 * Passes a stream on and hands over the recording of it at its end, if it got there and is not too
 * large to be kept.
 *
 * @param largest - bytes beyond which nothing is gathered
 */
export async function* recorded(
  audio: AsyncIterable<Uint8Array>,
  sound: Pick<Sound, 'seconds' | 'phonemes'>,
  format: OutputFormat,
  largest: number,
  done: (recording: Recording) => void,
): AsyncGenerator<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of audio) {
    bytes += chunk.byteLength;
    if (bytes <= largest) chunks.push(chunk);
    else chunks.length = 0;
    yield chunk;
  }
  if (bytes > largest) return;
  const file = Buffer.concat(chunks);
  if (format === 'wav') file.set(wavHeader({ sampleRate: SAMPLE_RATE, samples: pcmLength(file) }));
  done({ file, seconds: sound.seconds(), phonemes: sound.phonemes() });
}

/** Bytes of the head of a WAV file, in front of its samples. */
const WAV_HEAD = wavHeader({ sampleRate: SAMPLE_RATE }).byteLength;

/** What a stream's first chunk brings of a recording: the head, and something to hear. */
const FIRST_CHUNK = 16 * 1024;

function pcmLength(file: Buffer): number {
  return (file.byteLength - WAV_HEAD) / 2;
}

/** The length in seconds of a WAV file that this service made. */
export function wavSeconds(file: Buffer): number {
  return Math.round((pcmLength(file) / SAMPLE_RATE) * 1000) / 1000;
}

/** A recording as a stream: the same bytes as a stream that is just being made would have. */
export async function* replay(
  { file }: Recording,
  format: OutputFormat,
): AsyncGenerator<Uint8Array> {
  const first = Buffer.from(file.subarray(0, FIRST_CHUNK));
  // A streamed WAV does not tell its size (supplement, "Streaming").
  if (format === 'wav') first.set(wavHeader({ sampleRate: SAMPLE_RATE }));
  yield first;
  if (file.byteLength > FIRST_CHUNK) yield file.subarray(FIRST_CHUNK);
}

/** What is told of a recording while it is streamed: all of it at once. */
export function replayed({ seconds, phonemes }: Recording): Progress {
  let taken = false;
  return {
    seconds: () => seconds,
    takePhonemes() {
      if (taken) return undefined;
      taken = true;
      return phonemes;
    },
  };
}
