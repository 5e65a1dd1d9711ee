import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LANGUAGES } from '../../../src/contract/languages.ts';
import { MODEL_NAMES } from '../../../src/contract/models.ts';
import { SETTING_NAMES } from '../../../src/contract/settings.ts';
import { createEngine } from '../../../src/engine/builtin.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import { checkShape, sendRaw } from './raw-http.ts';
import { KEY, startService, type TestService } from './service.ts';

let engine: Engine;
let service: TestService;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Bytes in use by JavaScript and by its buffers, once everything is collected that can be. */
async function bytesInUse(): Promise<number> {
  for (let round = 0; round < 5; round += 1) {
    collect();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

let atRest: number;

beforeAll(async () => {
  engine = createEngine({ workers: 1, queueLimit: 64 });
  service = await startService(engine, { cacheBytes: 0 });
  // Everything that is made on first use is made now.
  for (const path of ['/v1/voices', SPEECH, `${SPEECH}/stream`, '/openapi.json']) {
    await service.call(path, path.includes('speech') ? { body: VALID } : {});
  }
  atRest = await bytesInUse();
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await engine?.close();
});

const SPEECH = '/v1/text-to-speech/aria';
const VALID = { text: 'Yes.', language: 'en' };

const POSTS = [SPEECH, `${SPEECH}/stream`, '/v1/predict-duration/aria'];

const OPERATIONS = [
  ['POST', '/v1/text-to-speech/:id'],
  ['POST', '/v1/text-to-speech/:id/stream'],
  ['POST', '/v1/predict-duration/:id'],
  ['GET', '/v1/voices/:id'],
  ['GET', '/v1/voices/:id/thumbnail.png'],
  ['GET', '/v1/voices/:id/samples/en/neutral/sona_speech_1.wav'],
  ['GET', '/v1/custom-voices/:id'],
  ['PATCH', '/v1/custom-voices/:id'],
  ['DELETE', '/v1/custom-voices/:id'],
] as const;

/** One request as bytes; the connection ends with it. */
function request(
  method: string,
  path: string,
  { headers = '', body = '' }: { headers?: string | Buffer; body?: string | Buffer } = {},
): Buffer {
  const content = Buffer.from(body);
  return Buffer.concat([
    Buffer.from(`${method} ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n`),
    Buffer.from(`x-sup-api-key: ${KEY}\r\n`),
    Buffer.from(headers),
    Buffer.from(`Content-Length: ${content.length}\r\n\r\n`),
    content,
  ]);
}

const JSON_TYPE = 'Content-Type: application/json\r\n';

/** Sends a whole request and holds its answer to the documented shapes. */
async function holds(bytes: Buffer): Promise<void> {
  const answer = await sendRaw(service.url, bytes);
  if (!answer) throw new Error('there was no answer');
  checkShape(answer);
}

/** The same for what may lack something that the service waits for, until the client leaves. */
async function holdsUntilLeft(bytes: Buffer, leaveAfter: number): Promise<void> {
  const answer = await sendRaw(service.url, bytes, leaveAfter);
  if (answer) checkShape(answer);
}

/** Texts of any script, and of none. */
const anyText = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom('한국어로 말해요.', 'かな', 'مرحبا', '👩‍👩‍👧‍👦', '\u0000', '\ud800', '<a>&[[x]]'),
);

const anything = fc.jsonValue({ maxDepth: 2 });

/** Right nine times out of ten, so that whole requests are right now and then. */
function mostly<T>(right: fc.Arbitrary<T>): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 9, arbitrary: right }, { weight: 1, arbitrary: anything });
}

/** A request in which each field may be right, absent, or anything. */
const almostSpeech = fc.record(
  {
    text: mostly(anyText),
    language: mostly(fc.constantFrom(...LANGUAGES)),
    style: mostly(fc.constantFrom('neutral', 'happy', 'bored')),
    model: mostly(fc.constantFrom(...MODEL_NAMES)),
    output_format: mostly(fc.constantFrom('wav', 'mp3', 'ogg')),
    include_phonemes: mostly(fc.boolean()),
    normalized_text: mostly(anyText),
    voice_settings: mostly(
      fc.dictionary(
        fc.constantFrom(...SETTING_NAMES),
        mostly(fc.double({ min: -1, max: 3, noNaN: true })),
      ),
    ),
  },
  { requiredKeys: [] },
);

const RUNS = { numRuns: 60, interruptAfterTimeLimit: 12_000, endOnFailure: true };

describe('whatever comes, there is an answer within two seconds in a documented shape', () => {
  test('any JSON', async () => {
    const bodies = fc.oneof(almostSpeech, anything);
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...POSTS), bodies, (path, body) =>
        holds(request('POST', path, { headers: JSON_TYPE, body: JSON.stringify(body) })),
      ),
      RUNS,
    );
  });

  test('any bytes as JSON', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...POSTS), fc.uint8Array({ maxLength: 200 }), (path, body) =>
        holds(request('POST', path, { headers: JSON_TYPE, body: Buffer.from(body) })),
      ),
      RUNS,
    );
  });

  test('any header', async () => {
    const names = fc.oneof(
      fc.constantFrom(
        ...['accept', 'content-type', 'content-encoding', 'transfer-encoding', 'expect', 'range'],
        ...['x-sup-api-key', 'host', 'connection', 'upgrade', 'content-length', 'cookie', 'origin'],
      ),
      fc.string({ maxLength: 20 }),
    );
    const values = fc.oneof(
      fc.constantFrom('chunked', '100-continue', 'gzip', '-1', '1e9', 'h2c', 'websocket', '*/*'),
      fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...POSTS, '/v1/voices'),
        names,
        values,
        (path, name, value) =>
          holdsUntilLeft(
            request(path === '/v1/voices' ? 'GET' : 'POST', path, {
              headers: Buffer.from(`${JSON_TYPE}${name}: ${value}\r\n`, 'latin1'),
              body: JSON.stringify(VALID),
            }),
            1_000,
          ),
      ),
      RUNS,
    );
  });

  test('any multipart', async () => {
    const part = fc
      .tuple(
        fc.constantFrom('files', 'name', 'description', 'x', ''),
        fc.constantFrom('; filename="a.wav"', '; filename="../../a"', '; filename=', ''),
        fc.constantFrom('Content-Type: audio/wav\r\n', 'Content-Type: x\r\n', 'Broken\r\n', ''),
        fc.oneof(
          fc.uint8Array({ maxLength: 300 }),
          fc.constantFrom(Buffer.from('RIFF\x24\0\0\0WAVEfmt '), Buffer.from('ID3')),
        ),
      )
      .map(([name, file, type, content]) =>
        Buffer.concat([
          Buffer.from(
            `--b\r\nContent-Disposition: form-data; name="${name}"${file}\r\n${type}\r\n`,
          ),
          Buffer.from(content),
          Buffer.from('\r\n'),
        ]),
      );
    const bodies = fc
      .tuple(fc.array(part, { maxLength: 4 }), fc.constantFrom('--b--\r\n', '--b', ''))
      .map(([parts, end]) => Buffer.concat([...parts, Buffer.from(end)]));
    const types = fc.constantFrom('; boundary=b', '; boundary=', '', '; boundary="b"; x');
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('/v1/custom-voices/cloned-voice', SPEECH),
        types,
        bodies,
        (path, type, body) =>
          holds(
            request('POST', path, {
              headers: `Content-Type: multipart/form-data${type}\r\n`,
              body,
            }),
          ),
      ),
      RUNS,
    );
  });

  test('a request that is cut off anywhere', async () => {
    const whole = request('POST', SPEECH, { headers: JSON_TYPE, body: JSON.stringify(VALID) });
    const clone = request('POST', '/v1/custom-voices/cloned-voice', {
      headers: 'Content-Type: multipart/form-data; boundary=b\r\n',
      body: '--b\r\nContent-Disposition: form-data; name="files"; filename="a"\r\n\r\nRIFF\r\n--b--',
    });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(whole, clone),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (bytes, share) => holdsUntilLeft(bytes.subarray(0, Math.floor(share * bytes.length)), 0),
      ),
      RUNS,
    );
  });

  test('any trick in the id of a voice', async () => {
    const pieces = fc.constantFrom(
      ...['..', '.', '%2e%2e', '%2E', '/', '%2f', '%5c', '\\', '%00', '%0d%0a', '%', '%zz', '%ff'],
      ...['%F0%9F%8E%A7', '%EB%AA%A9', 'aria', 'ARIA', ';', ':', '*', '?', '#', '&', '__proto__'],
      ...['constructor', 'a'.repeat(3_000), '%25', "'", '"', '<', '{', '|', '~', '+'],
    );
    const ids = fc.array(pieces, { minLength: 1, maxLength: 5 }).map((parts) => parts.join(''));
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...OPERATIONS), ids, ([method, path], id) =>
        holds(
          request(
            method,
            path.replace(':id', () => id),
            {
              headers: JSON_TYPE,
              body: method === 'GET' || method === 'DELETE' ? '' : JSON.stringify(VALID),
            },
          ),
        ),
      ),
      { ...RUNS, numRuns: 150 },
    );
  });

  test('any query', async () => {
    const names = fc.constantFrom(
      ...['page_size', 'next_page_token', 'language', 'style', 'name', 'model', 'output_format'],
      ...['start_date', 'end_date', 'start_time', 'end_time', 'bucket_width', 'breakdown_type'],
    );
    const queries = fc
      .array(fc.tuple(names, anyText.map(encode)), { maxLength: 5 })
      .map((pairs) => pairs.map(([name, value]) => `${name}=${value}`).join('&'));
    const paths = fc.constantFrom(
      ...['/v1/voices', '/v1/voices/search', '/v1/custom-voices', '/v1/custom-voices/search'],
      ...['/v1/usage', '/v1/voice-usage', '/v1/credits'],
    );
    await fc.assert(
      fc.asyncProperty(paths, queries, (path, query) => holds(request('GET', `${path}?${query}`))),
      { ...RUNS, numRuns: 100 },
    );
  });
});

describe('clients that leave', () => {
  test('at any moment, many at a time, leave a service that answers the next one', async () => {
    const moments = fc.array(fc.tuple(fc.constantFrom(...POSTS), fc.nat(60)), {
      minLength: 10,
      maxLength: 40,
    });
    await fc.assert(
      fc.asyncProperty(moments, async (leaving) => {
        await Promise.all(
          leaving.map(async ([path, after], number) => {
            const signal = AbortSignal.timeout(after);
            const body = { ...VALID, text: `Number ${number} leaves early. `.repeat(10) };
            await service.call(path, { body, signal }).catch((error: unknown) => {
              if (!signal.aborted) throw error;
            });
          }),
        );
        await holds(request('POST', SPEECH, { headers: JSON_TYPE, body: JSON.stringify(VALID) }));
      }),
      { numRuns: 5, endOnFailure: true },
    );
  });
});

test('after all of it memory is back where it was', async () => {
  const mebibytes = ((await bytesInUse()) - atRest) / (1024 * 1024);
  expect(mebibytes).toBeLessThan(16);
});

/** Percent-encoded, also where it is no well-formed text. */
function encode(text: string): string {
  return [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
}
