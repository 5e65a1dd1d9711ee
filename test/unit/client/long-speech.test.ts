import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { concatSamples } from '../../../src/audio/pcm.ts';
import { pcmBytes } from '../../../src/audio/wav.ts';
import { InvalidRequestError, ServiceFailedError } from '../../../src/client/errors.ts';
import { speakLong } from '../../../src/client/long-speech.ts';
import { SETTINGS } from '../../../src/contract/settings.ts';
import type { SpeechRequest } from '../../../src/contract/speech.ts';
import {
  beginStream,
  clientOf,
  json,
  RATE,
  type Received,
  type Reply,
  refuse,
  sound,
  startService,
  streamed,
  tone,
} from './scripted-service.ts';

const { signal } = new AbortController();

/** A text of `count` parts: each holds one sentence that begins with its number and fills the part. */
function textOf(count: number): string {
  const sentences = Array.from({ length: count }, (_, index) =>
    `${index} ${'가나 '.repeat(90)}`.trim(),
  );
  return sentences.map((sentence) => `${sentence}. `).join('');
}

const numberOf = (received: Received) => Number.parseInt(received.body?.text ?? '', 10);

async function all(chunks: AsyncIterable<Int16Array>): Promise<Int16Array> {
  return concatSamples(await Array.fromAsync(chunks));
}

/** The sound as runs of equal samples: [level, length]. */
function runs(samples: Int16Array): [number, number][] {
  const found: [number, number][] = [];
  for (const sample of samples) {
    const last = found.at(-1);
    if (last && last[0] === sample) last[1] += 1;
    else found.push([sample, 1]);
  }
  return found;
}

/** Gives what is under way on loopback every chance to arrive. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
}

/** A service that holds every answer back until the test lets it go. */
async function startHeldService() {
  const held = new Map<number, ServerResponse>();
  const gone: number[] = [];
  let most = 0;
  let changed = Promise.withResolvers<void>();
  const announce = () => {
    changed.resolve();
    changed = Promise.withResolvers();
  };
  const service = await startService((response, received) => {
    const number = numberOf(received);
    held.set(number, response);
    most = Math.max(most, held.size);
    response.on('close', () => {
      if (held.delete(number)) gone.push(number);
      announce();
    });
    announce();
  });
  return {
    ...service,
    gone,
    most: () => most,
    async until(condition: () => boolean) {
      while (!condition()) await changed.promise;
    },
    held,
    async release(number: number, reply: Reply) {
      const response = held.get(number) as ServerResponse;
      held.delete(number);
      await reply(response, service.received[0] as Received);
    },
  };
}

test('a short text is one request, streamed', async () => {
  const service = await startService(streamed([tone(10, 1), tone(10, 2)]));
  const request: SpeechRequest = { text: ' 짧은 글. ', language: 'ko' };
  const speech = await speakLong(clientOf(service.url), 'aria', request, { signal });
  expect(runs(await all(speech.chunks))).toEqual([
    [1, 10],
    [2, 10],
  ]);
  expect(service.received.map(({ url }) => url)).toEqual(['/v1/text-to-speech/aria/stream']);
});

test('the parts of a long text come in its order, whichever is ready first', async () => {
  const service = await startHeldService();
  const request: SpeechRequest = { text: textOf(3), language: 'ko' };
  const speech = speakLong(clientOf(service.url), 'aria', request, { signal });
  await service.until(() => service.held.size === 3);
  for (const number of [2, 1, 0]) await service.release(number, streamed([tone(100, number + 1)]));
  const pause = 0.3 * RATE;
  expect(runs(await all((await speech).chunks))).toEqual([
    [1, 100],
    [0, pause],
    [2, 100],
    [0, pause],
    [3, 100],
  ]);
});

test('at most three parts are asked for at a time', async () => {
  const service = await startHeldService();
  const request: SpeechRequest = { text: textOf(8), language: 'ko' };
  const speech = speakLong(clientOf(service.url), 'aria', request, { signal });
  const sounds = speech.then(({ chunks }) => all(chunks));
  await service.until(() => service.held.size === 3);
  await settled();
  // In the order of the text, except that the second part is one of the last to be ready.
  for (const number of [0, 2, 3, 4, 5, 6, 1, 7]) {
    await service.until(() => service.held.has(number));
    await service.release(number, streamed([tone(10, number + 1)]));
  }
  const levels = runs(await sounds).map(([level]) => level);
  expect(levels.filter((level) => level > 0)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  expect(service.most()).toBe(3);
});

test('the first part is heard before the others are ready', async () => {
  const service = await startHeldService();
  const request: SpeechRequest = { text: textOf(3), language: 'ko' };
  const opening = speakLong(clientOf(service.url), 'aria', request, { signal });
  await service.until(() => service.held.size === 3);
  const first = service.held.get(0) as ServerResponse;
  beginStream(first);
  first.write(pcmBytes(tone(50, 9)));
  const speech = await opening;
  for await (const chunk of speech.chunks) {
    expect(chunk).toEqual(tone(50, 9));
    break;
  }
  await service.until(() => service.gone.length === 3);
});

test('a listener who is slow does not make the service speak far ahead', async () => {
  const service = await startService((response, received) =>
    streamed([tone(10, 1)])(response, received),
  );
  const request: SpeechRequest = { text: textOf(20), language: 'ko' };
  const speech = await speakLong(clientOf(service.url), 'aria', request, { signal });
  const chunks = speech.chunks[Symbol.asyncIterator]();
  await chunks.next();
  const asked = () => service.received.length;
  while (asked() < 6) await new Promise(setImmediate);
  await settled();
  expect(asked()).toBe(6);
  expect((await all({ [Symbol.asyncIterator]: () => chunks })).length).toBeGreaterThan(0);
  expect(asked()).toBe(20);
});

test('one part that fails fails the whole at once, and ends the others', async () => {
  const service = await startHeldService();
  const request: SpeechRequest = { text: textOf(5), language: 'ko' };
  const client = clientOf(service.url, { retry: { attempts: 1, baseDelayMs: 1, maxDelayMs: 1 } });
  const opening = speakLong(client, 'aria', request, { signal });
  await service.until(() => service.held.size === 3);
  const first = service.held.get(0) as ServerResponse;
  beginStream(first);
  first.write(pcmBytes(tone(50, 9)));
  const speech = await opening;
  const sounds = all(speech.chunks);
  await Promise.all([
    expect(sounds).rejects.toThrow(ServiceFailedError),
    service.release(2, refuse(500, 'Failed to convert text to speech')),
  ]);
  await service.until(() => service.gone.includes(0) && service.gone.includes(1));
  expect(service.received).toHaveLength(3);
});

test('a failure of a later part before the first sound is that failure', async () => {
  const service = await startHeldService();
  const request: SpeechRequest = { text: textOf(3), language: 'ko' };
  const client = clientOf(service.url, { retry: { attempts: 1, baseDelayMs: 1, maxDelayMs: 1 } });
  const opening = speakLong(client, 'aria', request, { signal });
  await service.until(() => service.held.size === 3);
  await Promise.all([
    expect(opening).rejects.toThrow(ServiceFailedError),
    service.release(1, refuse(500, 'Failed')),
  ]);
});

test('an abort ends all parts with the reason given', async () => {
  const service = await startHeldService();
  const caller = new AbortController();
  const request: SpeechRequest = { text: textOf(4), language: 'ko' };
  const opening = speakLong(clientOf(service.url), 'aria', request, { signal: caller.signal });
  await service.until(() => service.held.size === 3);
  const reason = new Error('/stop');
  caller.abort(reason);
  await expect(opening).rejects.toBe(reason);
  await service.until(() => service.gone.length === 3);
});

test('people pause longer between paragraphs, and less when they speak fast', async () => {
  const service = await startService((response, received) =>
    streamed([tone(10, 1)])(response, received),
  );
  const paragraph = '말 '.repeat(100).trim();
  const request: SpeechRequest = {
    text: `${paragraph}\n\n${paragraph}\n${paragraph}`,
    language: 'ko',
    voice_settings: { speed: 2 },
  };
  const speech = await speakLong(clientOf(service.url), 'aria', request, { signal });
  const pauses = runs(await all(speech.chunks)).filter(([level]) => level === 0);
  expect(pauses.map(([, length]) => length)).toEqual([0.3 * RATE, 0.15 * RATE]);
});

test.each([
  { duration: 20, speed: 1 },
  { duration: 60, speed: 2 },
  { duration: 7.3, speed: 0.7 },
])(
  'a duration of $duration s at speed $speed is kept to a sample by a long text',
  async (asked) => {
    const asks: Received[] = [];
    const service = await startService((response, received) => {
      const settings = received.body?.voice_settings as { duration: number; speed: number };
      const number = numberOf(received);
      if (received.url.includes('predict-duration')) {
        return json({ duration: 5 + number })(response, received);
      }
      asks.push(received);
      expect(settings.duration).toBeLessThanOrEqual(SETTINGS.duration.maximum);
      return sound(tone(Math.round(settings.duration * settings.speed * RATE), number + 1))(
        response,
        received,
      );
    });
    const request: SpeechRequest = { text: textOf(5), language: 'ko', voice_settings: asked };
    const speech = await speakLong(clientOf(service.url), 'aria', request, { signal });
    const samples = await all(speech.chunks);
    expect(Math.abs(samples.length - asked.duration * asked.speed * RATE)).toBeLessThanOrEqual(1);
    const lengths = runs(samples).filter(([level]) => level > 0);
    expect(lengths).toHaveLength(5);
    expect((lengths[4]?.[1] ?? 0) / (lengths[0]?.[1] ?? 0)).toBeCloseTo(9 / 5, 2);
  },
);

test('the pronunciation that was given is what is divided, where the model speaks it', async () => {
  const service = await startService((response, received) =>
    streamed([tone(10, 1)])(response, received),
  );
  const request: SpeechRequest = {
    text: '東京。'.repeat(20),
    normalized_text: 'とうきょう。'.repeat(60),
    language: 'ja',
    model: 'sona_speech_2',
  };
  const speech = await speakLong(clientOf(service.url), 'aria', request, { signal });
  await all(speech.chunks);
  const bodies = service.received.map(({ body }) => body);
  expect(bodies.map((body) => body?.normalized_text).join('')).toBe(request.normalized_text);
  expect(bodies.every((body) => body?.text === body?.normalized_text)).toBe(true);
});

test('what the service says of an empty text is what the caller hears', async () => {
  const service = await startService(refuse(400, 'text must not be empty.'));
  const request: SpeechRequest = { text: '  ', language: 'ko' };
  await expect(speakLong(clientOf(service.url), 'aria', request, { signal })).rejects.toThrow(
    InvalidRequestError,
  );
});
