import type { PcmStream } from '../audio/encoder.ts';
import { AudioFormatError } from '../audio/errors.ts';
import { concatSamples, type Pcm } from '../audio/pcm.ts';
import { decodeWav } from '../audio/wav.ts';
import { createWavReader } from '../audio/wav-reader.ts';
import { AUDIO_LENGTH_HEADER } from '../contract/limits.ts';
import { BadAnswerError, type RequestName } from './errors.ts';
import { type Answer, expectType } from './http.ts';

/** X-Audio-Length is rounded to milliseconds (supplement, "Speech"); other deployments round less well. */
const LENGTH_TOLERANCE_SECONDS = 0.01;

/**
 * Sound of an answer as it arrives: resolves with the first samples.
 *
 * @throws {BadAnswerError} here or from the chunks, when it is not WAV or breaks off
 */
export async function streamSound(answer: Answer): Promise<PcmStream> {
  expectType(answer, 'audio/wav');
  const reader = createWavReader();
  const { request, header } = answer;
  let length = 0;

  async function* read(): AsyncGenerator<Int16Array> {
    for await (const bytes of answer.body) {
      const samples = readable(request, () => reader.push(bytes));
      length += samples.length;
      if (samples.length > 0) yield samples;
    }
    readable(request, () => reader.finish());
    const promised = Number(header(AUDIO_LENGTH_HEADER) ?? 0);
    const seconds = length / (reader.sampleRate ?? Number.NaN);
    if (promised - seconds > LENGTH_TOLERANCE_SECONDS) {
      throw new BadAnswerError(request, `${promised} s of sound were promised, ${seconds} s came`);
    }
  }

  const chunks = read();
  const first = await chunks.next();
  if (reader.sampleRate === undefined) {
    throw new BadAnswerError(request, 'the answer has no sound');
  }
  return { sampleRate: reader.sampleRate, chunks: startingWith(first, chunks) };
}

/** The whole sound of an answer; errors as in `streamSound`. */
export async function readSound(answer: Answer): Promise<Pcm> {
  const { sampleRate, chunks } = await streamSound(answer);
  return { sampleRate, samples: concatSamples(await Array.fromAsync(chunks)) };
}

/** @throws {BadAnswerError} when the file is not WAV, or cut off */
export function decodeSound(request: RequestName, file: Uint8Array): Pcm {
  return readable(request, () => decodeWav(file));
}

function readable<T>(request: RequestName, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (!(cause instanceof AudioFormatError)) throw cause;
    throw new BadAnswerError(request, cause.message, { cause });
  }
}

/** Not a generator: one that is left before its first step would not end what it stands for. */
function startingWith<T>(
  first: IteratorResult<T>,
  rest: AsyncGenerator<T>,
): AsyncIterableIterator<T> {
  let waiting: IteratorResult<T> | undefined = first;
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    next() {
      const result = waiting;
      waiting = undefined;
      return result ? Promise.resolve(result) : rest.next();
    },
    return(value) {
      waiting = undefined;
      return rest.return(value);
    },
  };
}
