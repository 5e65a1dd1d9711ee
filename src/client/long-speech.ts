import type { PcmStream } from '../audio/encoder.ts';
import type { SpeechRequest } from '../contract/speech.ts';
import type { CallOptions, VoiceClient } from './client.ts';
import { type PlannedPart, planSpeech } from './speech-plan.ts';

/** Requests of one speech that run at the same time. */
const AT_ONCE = 3;

/** Parts that are held in memory from the one that is being read on: a part is a few megabytes. */
const AHEAD = 6;

type Speaker = Pick<VoiceClient, 'speech' | 'predictDuration'>;

/**
 * Speaks a text of any length. Resolves with the first sound; the parts follow in order, with a
 * natural pause between them, while later ones are being fetched. One part that fails fails the
 * whole at once and ends the other requests. Read the chunks to their end or abort the signal.
 *
 * @throws {VoiceServiceError} here or from the chunks
 * @throws {UserError} when the text cannot be divided
 * @throws the signal's reason when it was aborted
 */
export async function speakLong(
  client: Speaker,
  voiceId: string,
  request: SpeechRequest,
  { signal }: CallOptions,
): Promise<PcmStream> {
  const ending = new AbortController();
  const options = { signal: AbortSignal.any([signal, ending.signal]) };
  try {
    const predict = atMost(AT_ONCE, (part: SpeechRequest) =>
      client.predictDuration(voiceId, part, options),
    );
    const plan = await planSpeech(request, predict);
    if (plan.length <= 1) {
      return await client.speech(voiceId, plan[0]?.request ?? request, { signal });
    }
    return await joined(plan, (part) => client.speech(voiceId, part, options), ending, signal);
  } catch (error) {
    ending.abort(error);
    throw error;
  }
}

async function joined(
  plan: readonly PlannedPart[],
  speak: (request: SpeechRequest) => Promise<PcmStream>,
  ending: AbortController,
  outer: AbortSignal,
): Promise<PcmStream> {
  const { signal } = ending;
  const sounds: Promise<PcmStream>[] = [];
  let running = 0;
  let reading = 0;

  function fill(): void {
    while (running < AT_ONCE && sounds.length < Math.min(plan.length, reading + AHEAD)) {
      if (signal.aborted || outer.aborted) return;
      const { request } = plan[sounds.length] as PlannedPart;
      running += 1;
      const sound = open(request);
      // The failure reaches the reader through `ending`, whichever part it is at.
      sound.catch((error: unknown) => ending.abort(error));
      sounds.push(sound);
    }
  }

  async function open(request: SpeechRequest): Promise<PcmStream> {
    const { sampleRate, chunks } = await speak(request);
    return { sampleRate, chunks: fetched(chunks) };
  }

  /** Takes a part's sound as fast as it comes, so that its connection is free early. */
  function fetched(chunks: AsyncIterable<Int16Array>): ReadableStream<Int16Array> {
    return new ReadableStream({
      async start(queue) {
        try {
          for await (const chunk of chunks) queue.enqueue(chunk);
        } catch (error) {
          ending.abort(error);
          throw error;
        }
        queue.close();
        running -= 1;
        fill();
      },
    });
  }

  async function* read(sampleRate: number): AsyncGenerator<Int16Array> {
    let sent = 0;
    try {
      for (const [index, part] of plan.entries()) {
        reading = index;
        fill();
        outer.throwIfAborted();
        signal.throwIfAborted();
        const sound = await (sounds[index] as Promise<PcmStream>);
        if (sound.sampleRate !== sampleRate) {
          throw new Error(
            `The parts of a speech came at ${sampleRate} and at ${sound.sampleRate} Hz.`,
          );
        }
        const silence = part.silence(sampleRate, sent);
        if (silence > 0) yield new Int16Array(silence);
        sent += silence;
        for await (const chunk of sound.chunks) {
          outer.throwIfAborted();
          signal.throwIfAborted();
          sent += chunk.length;
          yield chunk;
        }
      }
    } finally {
      ending.abort(new Error('The speech was left before its end.'));
    }
  }

  fill();
  const { sampleRate } = await (sounds[0] as Promise<PcmStream>);
  return { sampleRate, chunks: read(sampleRate) };
}

/** Lets at most `limit` calls of `work` run at a time; the others wait their turn. */
function atMost<A, R>(
  limit: number,
  work: (argument: A) => Promise<R>,
): (argument: A) => Promise<R> {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (argument) => {
    if (running >= limit) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await work(argument);
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
