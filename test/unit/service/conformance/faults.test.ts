import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createAudioEncoder } from '../../../../src/audio/encoder.ts';
import {
  type Engine,
  EngineBusyError,
  EngineError,
  type SpeakOptions,
  type SpeechPart,
} from '../../../../src/engine/engine.ts';
import { KEY, startService, type TestService } from '../service.ts';

// What a sound engine does not do on request: hang, break, be full. Everything else is tested on the real one.

type Speak = (options: SpeakOptions) => AsyncIterable<SpeechPart>;

function engineThat(speak: Speak): Engine {
  return {
    speak: (_utterance, options) => speak(options),
    predict: async (_utterance, options) => {
      for await (const _ of speak(options));
      return 0;
    },
    ready: async () => {},
    close: async () => {},
  };
}

/** A tenth of a second of sound. */
function part(index = 0): SpeechPart {
  return {
    samples: new Int16Array(4_410).fill(1_000),
    phonemes: [{ symbol: 'a', start: index / 10, duration: 0.1 }],
  };
}

const encoder = createAudioEncoder();
beforeAll(() => encoder.warm());
afterAll(() => encoder.close());

const never = () => new Promise<never>(() => {});
const SPEECH = '/v1/text-to-speech/aria';
const body = { text: 'Hello', language: 'en' };

describe.each([
  ['create speech', SPEECH, {}],
  ['create speech as MP3', SPEECH, { output_format: 'mp3' }],
  ['stream speech', `${SPEECH}/stream`, {}],
  ['stream speech as MP3', `${SPEECH}/stream`, { output_format: 'mp3' }],
  ['stream phonemes', `${SPEECH}/stream`, { include_phonemes: true }],
  ['predict duration', '/v1/predict-duration/aria', {}],
])('%s', (_name, path, fields) => {
  const asked = { body: { ...body, ...fields } };

  test('is answered with 429 and the seconds to wait when the queue is full', async () => {
    const busy = engineThat(async function* () {
      yield* [];
      throw new EngineBusyError('the queue is full');
    });
    await using service = await startService(busy);
    const { status, headers, json } = await service.call(path, asked);
    expect(status).toBe(429);
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    expect(json()).toEqual({
      status: 'error',
      message: {
        message: expect.any(String),
        error: 'Too Many Requests',
        status_code: 429,
      },
    });
  });

  test('is answered with 408 when the speech takes too long, even if the engine does not stop', async () => {
    const hanging = engineThat(async function* () {
      yield await never();
    });
    await using service = await startService(hanging, { speechTimeoutMs: 50 });
    const { status, json } = await service.call(path, asked);
    expect(status).toBe(408);
    expect(json()).toEqual({
      status: 'error',
      message: { message: 'Request timed out', error: 'Request Timeout', status_code: 408 },
    });
  });

  test('is answered with 500 that keeps the cause to itself', async () => {
    const broken = engineThat(async function* () {
      yield* [];
      throw new EngineError('thread 3 fell over', { cause: new Error('at /secret/path') });
    });
    await using service = await startService(broken);
    const { status, json } = await service.call(path, asked);
    expect(status).toBe(500);
    expect(json()).toEqual({
      status: 'error',
      message: {
        message: expect.stringMatching(/^Failed to /),
        error: 'Internal Server Error',
        status_code: 500,
      },
    });
  });

  test('stops the synthesis when the client goes away', async () => {
    const stopped = Promise.withResolvers<void>();
    const started = Promise.withResolvers<void>();
    const endless = engineThat(async function* ({ signal }) {
      signal.addEventListener('abort', () => stopped.resolve());
      started.resolve();
      yield await never();
    });
    await using service = await startService(endless);
    const client = new AbortController();
    const answer = service.call(path, { ...asked, signal: client.signal });
    await started.promise;
    client.abort();
    await expect(answer).rejects.toThrow();
    await stopped.promise;
  });
});

describe.each([
  ['WAV', {}],
  ['MP3', { output_format: 'mp3' }],
  ['phonemes', { include_phonemes: true }],
])('a stream of %s', (_name, fields) => {
  const asked = { body: { ...body, ...fields } };

  test('breaks the connection when the engine breaks after the first sound', async () => {
    const broken = engineThat(async function* () {
      for (let index = 0; index < 10; index += 1) yield part(index);
      throw new EngineError('broken');
    });
    await using service = await startService(broken, { encoder });
    const answer = await service.open(`${SPEECH}/stream`, asked);
    expect(answer.statusCode).toBe(200);
    await expect(answer.body.arrayBuffer()).rejects.toThrow();
  });

  test('breaks the connection when the engine hangs after the first sound', async () => {
    const hanging = engineThat(async function* () {
      for (let index = 0; index < 3; index += 1) yield part(index);
      yield await never();
    });
    await using service = await startService(hanging, { encoder, speechTimeoutMs: 500 });
    const answer = await service.open(`${SPEECH}/stream`, asked);
    await expect(answer.body.arrayBuffer()).rejects.toThrow();
  });

  test('lets a reader set the pace, and ends the work when the reader leaves', async () => {
    let made = 0;
    const ended = Promise.withResolvers<void>();
    const endless = engineThat(async function* () {
      try {
        for (; ; made += 1) {
          await new Promise(setImmediate);
          yield part(made);
        }
      } finally {
        ended.resolve();
      }
    });
    await using service = await startService(endless, { encoder });
    const { body: stream } = await service.open(`${SPEECH}/stream`, asked);
    await once(stream, 'readable');
    // It is full when nothing more is made over many turns of the loop.
    for (let last = -1; made !== last; ) {
      last = made;
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    expect(made * part().samples.byteLength).toBeLessThan(64 * 1024 * 1024);
    stream.destroy();
    stream.on('error', () => {});
    await ended.promise;
  });
});

test('speech that takes longer than the limit arrives whole when it comes as fast as it is spoken', async () => {
  const asSpoken = engineThat(async function* () {
    for (let index = 0; index < 30; index += 1) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      yield part(index);
    }
  });
  await using service = await startService(asSpoken, { speechTimeoutMs: 1_000 });
  const { bytes, trailers } = await service.call(`${SPEECH}/stream`, { body });
  expect(bytes.length).toBe(44 + 30 * part().samples.byteLength);
  expect(trailers['x-audio-length']).toBe('3');
});

describe('an answer of many megabytes', () => {
  const long = engineThat(async function* () {
    yield { ...part(), samples: new Int16Array(8 * 1024 * 1024) };
  });

  /** Asks for it, and has read nothing when it begins to come. */
  async function ask(service: TestService): Promise<Socket> {
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    const json = JSON.stringify(body);
    socket.write(
      `POST ${SPEECH} HTTP/1.1\r\nHost: a\r\nx-sup-api-key: ${KEY}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${json.length}\r\n\r\n${json}`,
    );
    await once(socket, 'readable');
    return socket;
  }

  test('that nobody reads is given up, and so is its memory', async () => {
    await using service = await startService(long, { idleMs: 1_000 });
    const socket = await ask(service);
    const sockets = () =>
      process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;
    const before = sockets();
    await vi.waitFor(() => expect(sockets()).toBe(before - 1), { timeout: 15_000 });
    socket.destroy();
  });

  test('that is on its way arrives whole from a service that stops', async () => {
    await using service = await startService(long, { graceMs: 60_000 });
    const socket = await ask(service);
    const stopped = service.stop();
    const answer = await buffer(socket);
    const head = answer.subarray(0, answer.indexOf('\r\n\r\n') + 4);
    expect(answer.length - head.length).toBe(44 + 16 * 1024 * 1024);
    await stopped;
  });
});

test('a service that stops lets a stream end first, and then ends at once', async () => {
  const release = Promise.withResolvers<void>();
  const engine = engineThat(async function* () {
    yield part(0);
    await release.promise;
    yield part(1);
  });
  await using service = await startService(engine, { graceMs: 60_000 });
  const answer = await service.open(`${SPEECH}/stream`, { body });
  const closed = service.stop();
  release.resolve();
  expect((await answer.body.arrayBuffer()).byteLength).toBe(44 + 2 * part().samples.byteLength);
  await closed;
});

test('a service that stops breaks off what does not end within the grace time', async () => {
  const engine = engineThat(async function* () {
    yield part(0);
    yield await never();
  });
  await using service = await startService(engine, { graceMs: 50 });
  const answer = await service.open(`${SPEECH}/stream`, { body });
  const read = expect(answer.body.arrayBuffer()).rejects.toThrow();
  await service.stop();
  await read;
});
