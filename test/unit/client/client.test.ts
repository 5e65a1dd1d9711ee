import { type AddressInfo, createServer } from 'node:net';
import { expect, test } from 'vitest';
import { concatSamples } from '../../../src/audio/pcm.ts';
import { decodeWav, encodeWav, pcmBytes } from '../../../src/audio/wav.ts';
import {
  BadAnswerError,
  InvalidKeyError,
  InvalidRequestError,
  NotEnoughCreditsError,
  PayloadTooLargeError,
  PermissionDeniedError,
  RateLimitedError,
  RequestTimeoutError,
  ServiceFailedError,
  ServiceTimeoutError,
  ServiceUnreachableError,
  UnsupportedMediaError,
  VoiceNotFoundError,
} from '../../../src/client/errors.ts';
import type { SpeechRequest } from '../../../src/contract/speech.ts';
import {
  beginStream,
  clientOf,
  inTurn,
  json,
  KEY,
  RATE,
  type Reply,
  refuse,
  sound,
  startService,
  streamed,
  tone,
} from './scripted-service.ts';

const request: SpeechRequest = { text: '안녕하세요 여러분 👋🏽', language: 'ko' };
const { signal } = new AbortController();

const voice = {
  voice_id: 'aria',
  name: 'Aria',
  description: '',
  age: 'adult',
  gender: 'female',
  use_case: 'narration',
  use_cases: ['narration'],
  language: ['en', 'ko'],
  styles: ['neutral'],
  models: ['sona_speech_1'],
  samples: [],
};

async function all(chunks: AsyncIterable<Int16Array>): Promise<Int16Array> {
  return concatSamples(await Array.fromAsync(chunks));
}

test('the service gets the text as it was typed, and the key in its header', async () => {
  const service = await startService(sound(tone(10, 5)));
  const client = clientOf(`${service.url}/behind/a/proxy/`);
  await client.createSpeech('아리아/../x', request, { signal });

  const [received] = service.received;
  expect(received?.url).toBe(
    `/behind/a/proxy/v1/text-to-speech/${encodeURIComponent('아리아/../x')}`,
  );
  expect(received?.headers['x-sup-api-key']).toBe(KEY);
  expect(received?.body).toMatchObject({ ...request, output_format: 'wav' });
});

test('a voice named ".." does not lead to another endpoint', async () => {
  const service = await startService(refuse(404, 'Voice not found'));
  await expect(clientOf(service.url).getVoice('..', { signal })).rejects.toThrow(
    VoiceNotFoundError,
  );
  expect(service.received[0]?.url).toBe('/v1/voices/%2E%2E');
});

test('a whole speech is its samples', async () => {
  const samples = Int16Array.from({ length: 9_000 }, (_, index) => index);
  const service = await startService(sound(samples));
  const speech = await clientOf(service.url).createSpeech('aria', request, { signal });
  expect(speech).toEqual({ samples, sampleRate: RATE });
});

test('a speech with phonemes has both, and arrays that do not match are refused', async () => {
  const phonemes = { symbols: ['', 'a'], start_times_seconds: [0, 1], durations_seconds: [1, 1] };
  const file = encodeWav({ samples: tone(8, 3), sampleRate: RATE });
  const audio_base64 = Buffer.from(file).toString('base64');
  const service = await startService(
    inTurn(
      json({ audio_base64, phonemes }),
      json({ audio_base64, phonemes: { ...phonemes, symbols: [''] } }),
    ),
  );
  const client = clientOf(service.url);
  const speech = await client.speechWithPhonemes('aria', request, { signal });
  expect(speech).toEqual({ samples: tone(8, 3), sampleRate: RATE, phonemes });
  await expect(client.speechWithPhonemes('aria', request, { signal })).rejects.toThrow(
    BadAnswerError,
  );
});

test('voices are listed, searched, fetched and measured', async () => {
  const page = { items: [voice], total: 1, next_page_token: null };
  const service = await startService(
    inTurn(json(page), json(page), json(voice), json({ duration: 2.5 })),
  );
  const client = clientOf(service.url);
  expect(await client.listVoices({ signal, pageSize: 10, pageToken: 'a b' })).toEqual(page);
  expect(await client.searchVoices({ name: '민 수' }, { signal })).toEqual(page);
  expect(await client.getVoice('aria', { signal })).toEqual(voice);
  expect(await client.predictDuration('aria', request, { signal })).toBe(2.5);
  expect(service.received.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'GET /v1/voices?page_size=10&next_page_token=a+b',
    `GET /v1/voices/search?${new URLSearchParams({ name: '민 수' })}`,
    'GET /v1/voices/aria',
    'POST /v1/predict-duration/aria',
  ]);
});

test('all voices are those of all pages', async () => {
  const service = await startService((response, received) => {
    const number = Number(new URLSearchParams(received.url.split('?')[1]).get('next_page_token'));
    const next_page_token = number < 2 ? String(number + 1) : null;
    const items = [{ ...voice, voice_id: `voice-${number}` }];
    return json({ items, total: 3, next_page_token })(response, received);
  });
  const voices = await clientOf(service.url).allVoices({ signal });
  expect(voices.map(({ voice_id }) => voice_id)).toEqual(['voice-0', 'voice-1', 'voice-2']);
  expect(voices[0]).not.toHaveProperty('samples');
});

test('all voices that match are those of all pages of the search', async () => {
  const service = await startService(json({ items: [voice], total: 1, next_page_token: null }));
  const filters = { language: 'ko', name: '민수' };
  expect(await clientOf(service.url).allVoices({ signal, filters })).toHaveLength(1);
  const query = new URLSearchParams({ ...filters, page_size: '100' });
  expect(service.received[0]?.url).toBe(`/v1/voices/search?${query}`);
});

test('a sample is fetched from wherever it is, without the key', async () => {
  const elsewhere = await startService(sound(tone(10, 3)));
  const service = await startService(json({}));
  const client = clientOf(service.url);
  const sample = await client.downloadSample(`${elsewhere.url}/a%20b.wav?x=%2F`, { signal });
  expect(sample.extension).toBe('wav');
  expect(decodeWav(sample.file).samples).toEqual(tone(10, 3));
  expect(elsewhere.received[0]?.url).toBe('/a%20b.wav?x=%2F');
  expect(JSON.stringify(elsewhere.received[0])).not.toContain(KEY);
  expect(service.received).toHaveLength(0);
});

test.each(['file:///etc/passwd', 'no address'])('%s is no sample', async (url) => {
  await expect(clientOf('http://127.0.0.1').downloadSample(url, { signal })).rejects.toThrow(
    BadAnswerError,
  );
});

test('what is no sound is no sample', async () => {
  const service = await startService(json({}));
  await expect(
    clientOf(service.url).downloadSample(`${service.url}/sample`, { signal }),
  ).rejects.toThrow(BadAnswerError);
});

test('pages that never end are an error', async () => {
  const service = await startService(json({ items: [voice], total: 1, next_page_token: 'again' }));
  await expect(clientOf(service.url).allVoices({ signal })).rejects.toThrow(BadAnswerError);
});

test.each([
  [400, InvalidRequestError],
  [401, InvalidKeyError],
  [402, NotEnoughCreditsError],
  [403, PermissionDeniedError],
  [404, VoiceNotFoundError],
  [413, PayloadTooLargeError],
  [415, UnsupportedMediaError],
])('a refusal with %i is told at once, in the words of the service', async (status, kind) => {
  const service = await startService(
    refuse(status, `No: ${KEY} will not do`, { 'x-request-id': 'r-1' }),
  );
  const error = await clientOf(service.url)
    .predictDuration('aria', request, { signal })
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(kind);
  expect(error).toMatchObject({
    status,
    serviceMessage: 'No: [key] will not do',
    method: 'POST',
    path: '/v1/predict-duration/aria',
    requestId: 'r-1',
  });
  expect(service.received).toHaveLength(1);
});

test.each([
  [408, RequestTimeoutError],
  [429, RateLimitedError],
  [500, ServiceFailedError],
  [503, ServiceFailedError],
])('a passing failure with %i is tried again, four times in all', async (status, kind) => {
  const service = await startService(refuse(status, 'Later'));
  await expect(clientOf(service.url).createSpeech('aria', request, { signal })).rejects.toThrow(
    kind,
  );
  expect(service.received).toHaveLength(4);
});

test('speech comes although the service failed three times', async () => {
  const failure = refuse(500, 'Failed to convert text to speech');
  const service = await startService(inTurn(failure, failure, failure, sound(tone(7, 1))));
  const speech = await clientOf(service.url).createSpeech('aria', request, { signal });
  expect(speech.samples).toHaveLength(7);
});

test.each([
  ['0', 'a number of seconds'],
  ['Wed, 21 Oct 2015 07:28:00 GMT', 'a date'],
])('Retry-After: %s (%s) is waited for', async (header) => {
  const limited = refuse(429, 'Slow down', { 'retry-after': header });
  const service = await startService(inTurn(limited, sound(tone(7, 1))));
  await clientOf(service.url).createSpeech('aria', request, { signal });
  expect(service.received).toHaveLength(2);
});

test('a wait of an hour is not begun: the error says how long it would be', async () => {
  const service = await startService(refuse(429, 'Slow down', { 'retry-after': '3600' }));
  await expect(
    clientOf(service.url).createSpeech('aria', request, { signal }),
  ).rejects.toMatchObject({ name: 'RateLimitedError', retryAfterMs: 3_600_000 });
  expect(service.received).toHaveLength(1);
});

test('a wait of a second is kept', async () => {
  const limited = refuse(429, 'Slow down', { 'retry-after': '1' });
  const service = await startService(inTurn(limited, sound(tone(7, 1))));
  const begun = performance.now();
  await clientOf(service.url).createSpeech('aria', request, { signal });
  expect(performance.now() - begun).toBeGreaterThanOrEqual(999);
});

test('a service that is not there is an error that names neither host nor key', async () => {
  const { url } = await startService(json({}));
  const client = clientOf(url.replace(/\d+$/, String(await freePort())));
  const error = await client.listVoices({ signal }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ServiceUnreachableError);
  expect((error as Error).cause).toBeInstanceOf(Error);
  expect(String(error)).not.toContain(KEY);
});

test('a service that never answers is given up', async () => {
  const service = await startService(() => undefined);
  const client = clientOf(service.url, {
    timeoutMs: 30,
    retry: { attempts: 2, baseDelayMs: 1, maxDelayMs: 1 },
  });
  await expect(client.listVoices({ signal })).rejects.toThrow(ServiceTimeoutError);
  expect(service.received).toHaveLength(2);
});

test('all tries together end at the deadline of the call', async () => {
  const service = await startService(() => undefined);
  const client = clientOf(service.url, {
    timeoutMs: 60_000,
    deadlineMs: 50,
    retry: { attempts: 1_000, baseDelayMs: 1, maxDelayMs: 1 },
  });
  await expect(client.listVoices({ signal })).rejects.toThrow(ServiceTimeoutError);
  expect(service.received).toHaveLength(1);
});

test('a whole answer that trickles is given up, though bytes keep coming', async () => {
  const service = await startService((response) => {
    beginStream(response);
    const timer = setInterval(() => response.write('x'), 5);
    response.on('close', () => clearInterval(timer));
  });
  const client = clientOf(service.url, {
    timeoutMs: 60,
    retry: { attempts: 1, baseDelayMs: 1, maxDelayMs: 1 },
  });
  await expect(client.createSpeech('aria', request, { signal })).rejects.toThrow(
    ServiceTimeoutError,
  );
});

const broken: Record<string, Reply> = {
  'a page of a proxy': (response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Welcome</h1>');
  },
  'rubbish in place of JSON': (response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"items": [');
  },
  'JSON of another kind': json({ items: [{ voice_id: 7 }], total: 1, next_page_token: null }),
  'a redirection': (response) => {
    response.writeHead(302, { location: '/elsewhere' }).end();
  },
  'an unknown path': refuse(404, 'Not found'),
};

test.each(Object.entries(broken))('%s is not taken for voices', async (_, reply) => {
  const service = await startService(reply);
  await expect(clientOf(service.url).listVoices({ signal })).rejects.toThrow(BadAnswerError);
  expect(service.received).toHaveLength(1);
});

test('an error page of a proxy is the error that its status says', async () => {
  const service = await startService((response) => {
    response.writeHead(401, { 'content-type': 'text/html' }).end('<h1>Log in</h1>'.repeat(9_999));
  });
  await expect(clientOf(service.url).listVoices({ signal })).rejects.toMatchObject({
    name: 'InvalidKeyError',
    serviceMessage: 'Unauthorized',
  });
});

test.each([
  ['cut off', encodeWav({ samples: tone(100, 1), sampleRate: RATE }).subarray(0, 150), {}],
  ['not WAV', Buffer.from('ID3 this is something else altogether, and long enough'), {}],
  ['empty', Buffer.alloc(0), {}],
  [
    'shorter than it says',
    encodeWav({ samples: tone(4_410, 1), sampleRate: RATE }),
    { 'x-audio-length': '0.2' },
  ],
])('sound that is %s is refused', async (_, file, headers) => {
  const service = await startService((response) => {
    response.writeHead(200, { 'content-type': 'audio/wav', ...headers }).end(file);
  });
  const client = clientOf(service.url);
  await expect(client.createSpeech('aria', request, { signal })).rejects.toThrow(BadAnswerError);
});

test('a whole speech whose connection breaks is asked for again', async () => {
  const service = await startService(
    inTurn(
      (response) => {
        beginStream(response);
        response.write(pcmBytes(tone(999, 1)), () => response.destroy());
      },
      sound(tone(7, 1)),
    ),
  );
  const speech = await clientOf(service.url).createSpeech('aria', request, { signal });
  expect(speech.samples).toHaveLength(7);
});

test('streamed sound is heard while the rest is still being made', async () => {
  const rest = Promise.withResolvers<void>();
  async function* made() {
    yield tone(100, 1);
    await rest.promise;
    yield tone(100, 2);
  }
  const service = await startService(streamed(made()));
  const speech = await clientOf(service.url).speech('aria', request, { signal });
  const chunks = speech.chunks[Symbol.asyncIterator]();
  expect((await chunks.next()).value).toEqual(tone(100, 1));
  rest.resolve();
  expect((await chunks.next()).value).toEqual(tone(100, 2));
  expect((await chunks.next()).done).toBe(true);
  expect(service.received[0]?.url).toBe('/v1/text-to-speech/aria/stream');
});

test('a stream that breaks before its first sound is asked for again', async () => {
  const service = await startService(
    inTurn(
      (response) => {
        response.writeHead(200, { 'content-type': 'audio/wav' });
        response.write('RIFF', () => response.destroy());
      },
      streamed([tone(70, 1)]),
    ),
  );
  const speech = await clientOf(service.url).speech('aria', request, { signal });
  expect(await all(speech.chunks)).toHaveLength(70);
});

test('half a sentence is never taken for a whole one when the connection breaks', async () => {
  const service = await startService((response) => {
    beginStream(response);
    response.write(pcmBytes(tone(999, 1)), () => setImmediate(() => response.destroy()));
  });
  const speech = await clientOf(service.url).speech('aria', request, { signal });
  await expect(all(speech.chunks)).rejects.toThrow(ServiceUnreachableError);
});

test('half a sentence is never taken for a whole one when the trailer says more', async () => {
  const service = await startService((response) => {
    beginStream(response);
    response.write(pcmBytes(tone(4_410, 1)));
    response.addTrailers({ 'x-audio-length': '0.200' });
    response.end();
  });
  const speech = await clientOf(service.url).speech('aria', request, { signal });
  await expect(all(speech.chunks)).rejects.toThrow(BadAnswerError);
});

test('a stream that stops sending is given up', async () => {
  const service = await startService((response) => {
    beginStream(response);
    response.write(pcmBytes(tone(999, 1)));
  });
  const speech = await clientOf(service.url, { stallMs: 30 }).speech('aria', request, { signal });
  await expect(all(speech.chunks)).rejects.toThrow(ServiceTimeoutError);
});

test('a listener who leaves ends the service’s work', async () => {
  const gone = Promise.withResolvers<void>();
  const service = await startService((response) => {
    beginStream(response);
    response.write(pcmBytes(tone(999, 1)));
    response.on('close', gone.resolve);
  });
  const speech = await clientOf(service.url).speech('aria', request, { signal });
  for await (const _ of speech.chunks) break;
  await gone.promise;
});

test('an abort in the middle of the sound ends it with the reason given', async () => {
  const gone = Promise.withResolvers<void>();
  const service = await startService((response) => {
    beginStream(response);
    response.write(pcmBytes(tone(999, 1)));
    response.on('close', gone.resolve);
  });
  const caller = new AbortController();
  const speech = await clientOf(service.url).speech('aria', request, { signal: caller.signal });
  const sounds = all(speech.chunks);
  const reason = new Error('/stop');
  caller.abort(reason);
  await expect(sounds).rejects.toBe(reason);
  await gone.promise;
});

test('an abort while the service works, and one between two tries, ends the call', async () => {
  const arrived = Promise.withResolvers<void>();
  const service = await startService(
    inTurn(() => arrived.resolve(), refuse(503, 'Down', { 'retry-after': '30' })),
  );
  const client = clientOf(service.url);
  for (const reason of [new Error('first'), new Error('second')]) {
    const caller = new AbortController();
    const call = client.createSpeech('aria', request, { signal: caller.signal });
    await arrived.promise;
    caller.abort(reason);
    await expect(call).rejects.toBe(reason);
  }
  const { length } = service.received;
  const aborted = client.createSpeech('aria', request, { signal: AbortSignal.abort('before') });
  await expect(aborted).rejects.toBe('before');
  expect(service.received).toHaveLength(length);
});

test('a service that does not stream a model is asked for whole speech, and remembered', async () => {
  const service = await startService((response, received) => {
    const reply = received.url.endsWith('/stream')
      ? refuse(400, 'Only sona_speech_1 streams')
      : sound(tone(50, 4));
    return reply(response, received);
  });
  const client = clientOf(service.url);
  for (const model of ['sona_speech_2', 'sona_speech_2', 'engine_api_1'] as const) {
    const speech = await client.speech('aria', { ...request, model }, { signal });
    expect(await all(speech.chunks)).toEqual(tone(50, 4));
  }
  expect(service.received.map(({ url }) => url.endsWith('/stream'))).toEqual([
    true,
    false,
    false,
    true,
    false,
  ]);
});

test('a request that is wrong itself does not make the client stop streaming', async () => {
  const wrong = refuse(400, 'text must not be empty.');
  const service = await startService(inTurn(wrong, wrong, streamed([tone(5, 1)])));
  const client = clientOf(service.url);
  await expect(client.speech('aria', request, { signal })).rejects.toThrow(InvalidRequestError);
  await client.speech('aria', request, { signal });
  expect(service.received.at(-1)?.url).toMatch(/stream$/);
});

test('closing ends what is under way and is final', async () => {
  const arrived = Promise.withResolvers<void>();
  const service = await startService(() => arrived.resolve());
  const client = clientOf(service.url);
  const call = client.listVoices({ signal });
  await Promise.all([
    expect(call).rejects.toThrow('closed'),
    arrived.promise.then(() => client.close()),
  ]);
  await expect(client.listVoices({ signal })).rejects.toThrow('closed');
  expect(service.received).toHaveLength(1);
});

/** A port that nobody listens on any more. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
