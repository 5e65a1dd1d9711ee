import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ErrorBody } from '../../../../src/contract/errors.ts';
import { createEngine } from '../../../../src/engine/builtin.ts';
import { PRESETS } from '../../../../src/engine/characters.ts';
import type { Engine } from '../../../../src/engine/engine.ts';
import {
  type Answer,
  type Call,
  KEY,
  type Rule,
  startService,
  type TestService,
} from '../service.ts';

let engine: Engine;
let service: TestService;

const VOICE = PRESETS[0]?.id;
const SPEECH = [
  `/v1/text-to-speech/${VOICE}`,
  `/v1/text-to-speech/${VOICE}/stream`,
  `/v1/predict-duration/${VOICE}`,
];
const READS = ['/v1/voices', '/v1/voices/search', `/v1/voices/${VOICE}`];
/** Every operation without a body to check, whether what it names exists or not. */
const OTHERS: readonly (readonly [method: string, path: string])[] = [
  ['POST', '/v1/custom-voices/cloned-voice'],
  ['GET', '/v1/custom-voices'],
  ['GET', '/v1/custom-voices/search'],
  ['GET', '/v1/custom-voices/cv_x'],
  ['PATCH', '/v1/custom-voices/cv_x'],
  ['DELETE', '/v1/custom-voices/cv_x'],
  ['GET', '/v1/credits'],
  ['GET', '/v1/voice-usage'],
  ['GET', '/v1/usage'],
];
const HELLO = { text: 'Hello', language: 'en' };

beforeAll(async () => {
  engine = createEngine({ workers: 1 });
  service = await startService(engine);
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await engine?.close();
});

function expectObject({ status, headers, json }: Answer, code: number, reason: string) {
  expect(status).toBe(code);
  expect(headers['content-type']).toBe('application/json');
  expect(json()).toEqual({
    status: 'error',
    message: { message: expect.any(String), error: reason, status_code: code },
  });
}

function expectSentence({ status, headers, json }: Answer) {
  expect(status).toBe(400);
  expect(headers['content-type']).toBe('application/json');
  expect(json()).toEqual({ status: 'error', message: expect.stringMatching(/./) });
}

async function eachSpeech(call: Call, check: (answer: Answer) => void) {
  for (const path of SPEECH) check(await service.call(path, call));
}

/** What comes back for bytes that no HTTP client would send. */
async function raw(bytes: string): Promise<{ head: string; body: unknown }> {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  socket.write(bytes);
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
  return { head, body: JSON.parse(body) };
}

const rules: Rule[] = [
  [
    'spec, Authentication',
    'no key and a wrong key are 401 on every operation',
    async () => {
      for (const key of [null, '', 'wrong', `${KEY} `.repeat(2), `${KEY}x`]) {
        const headers = { 'x-sup-api-key': key };
        for (const path of READS) {
          expectObject(await service.call(path, { headers }), 401, 'Unauthorized');
        }
        for (const [method, path] of OTHERS) {
          const answer = await service.call(path, { method, headers });
          expectObject(answer, 401, 'Unauthorized');
        }
        await eachSpeech({ headers, body: HELLO }, (answer) => {
          expectObject(answer, 401, 'Unauthorized');
          expect((answer.json() as { message: object }).message).toMatchObject({
            message: 'Invalid API key',
          });
        });
      }
    },
  ],
  [
    'supplement, Order of checks',
    '401 comes before 404, and 404 before 400, even when the body cannot be read',
    async () => {
      const path = '/v1/text-to-speech/nobody';
      const broken = { body: '{', headers: {} };
      expectObject(
        await service.call(path, { ...broken, headers: { 'x-sup-api-key': 'x' } }),
        401,
        'Unauthorized',
      );
      expectObject(await service.call(path, broken), 404, 'Not Found');
      const typed = { body: 'x', headers: { 'content-type': 'text/plain' } };
      expectObject(await service.call(path, typed), 404, 'Not Found');
    },
  ],
  [
    'spec, Text-to-speech errors',
    'an unknown voice is 404',
    async () => {
      for (const path of SPEECH) {
        const unknown = path.replace(String(VOICE), '%F0%9F%8E%A7');
        expectObject(await service.call(unknown, { body: HELLO }), 404, 'Not Found');
      }
    },
  ],
  [
    'spec, Text-to-speech errors',
    'a body that is not JSON, not an object, or cut off is 400',
    async () => {
      for (const body of ['{', '', 'null', '[]', '"text"', '17', '{"text":"a","text', '\u0000']) {
        await eachSpeech({ body }, expectSentence);
      }
      await eachSpeech({ body: '{"__proto__":{"text":"a"}}' }, expectSentence);
    },
  ],
  [
    'spec, Text-to-speech errors',
    'another content type, or none, is 400',
    async () => {
      for (const type of [
        'text/plain',
        'application/xml',
        'multipart/form-data',
        'nonsense',
        null,
      ]) {
        const headers = { 'content-type': type };
        await eachSpeech({ body: JSON.stringify(HELLO), headers }, expectSentence);
      }
    },
  ],
  [
    'spec, Text-to-speech errors',
    'a body that is too large to be a request is 400, and the answer arrives',
    () =>
      eachSpeech({ body: { ...HELLO, text: 'a'.repeat(8_000_000) } }, (answer) => {
        expectSentence(answer);
        expect(answer.headers.connection).not.toBe('close');
      }),
  ],
  [
    'spec, Text-to-speech errors',
    'missing fields and fields of another type are 400 and are named, all at once',
    async () => {
      for (const [body, fields] of [
        [{}, ['text', 'language']],
        [{ text: 1, language: 2 }, ['text', 'language']],
        [{ ...HELLO, voice_settings: 'loud' }, ['voice_settings']],
        [{ ...HELLO, include_phonemes: 'yes', style: {} }, ['include_phonemes', 'style']],
      ] as const) {
        await eachSpeech({ body }, (answer) => {
          expectSentence(answer);
          for (const field of fields) expect(answer.bytes.toString()).toContain(field);
        });
      }
    },
  ],
  [
    'supplement, Errors',
    'an unknown path is 404 with the object, before its body is read',
    async () => {
      for (const path of ['/', '/v1', '/v2/voices', '/v1/text-to-speech', '/v1/voices/a/b']) {
        expectObject(await service.call(path), 404, 'Not Found');
        expectObject(await service.call(path, { body: '{' }), 404, 'Not Found');
      }
    },
  ],
  [
    'supplement, Errors',
    'a known path with another method is 405 and says which are allowed',
    async () => {
      for (const [paths, method, allowed] of [
        [SPEECH, 'GET', 'POST'],
        [SPEECH, 'DELETE', 'POST'],
        [READS, 'POST', 'GET'],
        [READS, 'PATCH', 'GET'],
        [READS, 'PROPFIND', 'GET'],
        [OTHERS.map(([, path]) => path), 'PUT', ''],
      ] as const) {
        for (const path of paths) {
          const answer = await service.call(path, { method });
          expectObject(answer, 405, 'Method Not Allowed');
          expect(answer.headers.allow).toContain(allowed);
        }
      }
    },
  ],
  [
    'supplement, Errors',
    'what is not an HTTP request gets the documented shape, too',
    async () => {
      for (const bytes of [
        'NONSENSE\r\n\r\n',
        'GET /v1/voices HTTP/1.1\r\nConnection: close\r\n\r\n',
        'GET /v1/voices/%ZZ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
        `GET / HTTP/1.1\r\nHost: a\r\nx: ${'a'.repeat(20_000)}\r\n\r\n`,
      ]) {
        const { head, body } = await raw(bytes);
        expect(head).toMatch(/^HTTP\/1.1 4\d\d /);
        expect(head).toMatch(/content-type: application\/json(\r\n|$)/i);
        ErrorBody.parse(body);
      }
    },
  ],
  [
    'supplement, Errors',
    'a client that asks for the end of the connection is told of it with a refusal, too',
    async () => {
      const { head } = await raw('GET /v1/voices HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
      expect(head).toMatch(/^HTTP\/1.1 401 /);
      expect(head).toMatch(/^connection: close$/im);
    },
  ],
  [
    'supplement, Errors',
    'what the queue has no room for is 429 with Retry-After, and everything else is spoken',
    async () => {
      await using small = {
        engine: createEngine({ workers: 1, queueLimit: 2 }),
        [Symbol.asyncDispose]: () => small.engine.close(),
      };
      await using crowded = await startService(small.engine);
      const body = { ...HELLO, text: 'One more for the queue. '.repeat(12) };
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => crowded.call(SPEECH[0] ?? '', { body })),
      );
      const refused = answers.filter(({ status }) => status === 429);
      expect(refused.length).toBeGreaterThan(0);
      expect(refused.length).toBeLessThan(20);
      for (const answer of refused) {
        expectObject(answer, 429, 'Too Many Requests');
        expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
      }
      const others = answers.filter((answer) => !refused.includes(answer));
      for (const { status, bytes } of others) {
        expect(status).toBe(200);
        expect(bytes.length).toBeGreaterThan(44_100);
      }
    },
  ],
  [
    'issue, Description',
    'GET /healthz answers without a key',
    async () => {
      const { status, json } = await service.call('/healthz', {
        headers: { 'x-sup-api-key': null },
      });
      expect([status, json()]).toEqual([200, { status: 'ok' }]);
    },
  ],
];

describe.each(rules)('%s', (_section, rule, check) => {
  test(rule, check);
});
