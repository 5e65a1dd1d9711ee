import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAudioEncoder } from '../../../../src/audio/encoder.ts';
import type { Pcm } from '../../../../src/audio/pcm.ts';
import { decodeWav } from '../../../../src/audio/wav.ts';
import {
  ClonedVoice,
  CustomVoice,
  CustomVoicePage,
} from '../../../../src/contract/custom-voices.ts';
import { LANGUAGES } from '../../../../src/contract/languages.ts';
import { SAMPLE_BYTES_LIMIT } from '../../../../src/contract/limits.ts';
import { MODEL_NAMES, modelSpeaks } from '../../../../src/contract/models.ts';
import { createEngine } from '../../../../src/engine/builtin.ts';
import type { Cloner } from '../../../../src/engine/cloning/cloner.ts';
import { profileOf } from '../../../../src/engine/cloning/profile.ts';
import { type Engine, EngineBusyError, EngineError } from '../../../../src/engine/engine.ts';
import { createLog } from '../../../../src/log.ts';
import { createAccounts } from '../../../../src/service/accounts.ts';
import { createCustomVoices } from '../../../../src/service/custom-voices.ts';
import { openStore, type ServiceStore } from '../../../../src/service/store/store.ts';
import { medianF0 } from '../../../helpers/measure.ts';
import { noise } from '../../../helpers/noise.ts';
import { inChunks } from '../../../helpers/sounds.ts';
import { CLONE, type Field, form, postClone, postEndless, sampleOf } from '../clone-call.ts';
import { type Rule, startService, type TestService } from '../service.ts';

const log = createLog('silent');
const encoder = createAudioEncoder();
let engine: Engine;
let store: ServiceStore;
let service: TestService;
let theo: Uint8Array<ArrayBuffer>;
let crowd: string;
const keys = { paid: '', other: '', free: '', crowd: '' };

beforeAll(async () => {
  engine = createEngine({ workers: 1 });
  store = await openStore('sqlite::memory:', log);
  const accounts = createAccounts(store.db);
  for (const name of ['paid', 'other', 'free', 'crowd'] as const) {
    const tier = name === 'free' ? 'free' : 'paid';
    const { id, key } = await accounts.create({ name, tier, credits: null });
    keys[name] = key;
    if (name === 'crowd') crowd = id;
  }
  service = await startService(engine, { store, authenticate: accounts.authenticate });
  theo = await sampleOf(engine, 'theo');
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await store?.close();
  await engine?.close();
  await encoder.close();
});

function clone(fields: readonly Field[], key: string | undefined = keys.paid) {
  return postClone(service.url, key, form(fields));
}

async function cloned(fields: readonly Field[], key = keys.paid): Promise<string> {
  const { status, body } = await clone(fields, key);
  expect(body).toEqual({ voice_id: expect.stringMatching(/^cv_/) });
  expect(status).toBe(200);
  return ClonedVoice.parse(body).voice_id;
}

/** Expects an error whose message is a plain sentence. */
async function sentence(answer: ReturnType<typeof postClone>, status: number, reason: RegExp) {
  const { status: given, headers, body } = await answer;
  expect(body).toEqual({ status: 'error', message: expect.stringMatching(reason) });
  expect(given).toBe(status);
  expect(headers.get('content-type')).toBe('application/json');
}

function object(body: unknown, status: number, error: string) {
  expect(body).toEqual({
    status: 'error',
    message: { message: expect.any(String), error, status_code: status },
  });
}

function call(path: string, key: string, given: { method?: string; body?: unknown } = {}) {
  return service.call(path, { ...given, headers: { 'x-sup-api-key': key } });
}

async function page(path: string, key: string) {
  const answer = await call(path, key);
  expect(answer.status).toBe(200);
  return CustomVoicePage.parse(answer.json());
}

/** A file of the given length that begins as a sample and goes on with silence. */
function padded(length: number): Uint8Array<ArrayBuffer> {
  const file = new Uint8Array(length);
  file.set(theo);
  return file;
}

async function mp3Of({ samples, sampleRate }: Pcm): Promise<Uint8Array<ArrayBuffer>> {
  const sound = { chunks: inChunks(samples, samples.length), sampleRate };
  const { file } = await encoder.mp3(sound, AbortSignal.timeout(10_000));
  return new Uint8Array(file);
}

/** Starts a service whose analysis does what no real sample makes it do. */
function serviceWith(analyse: Cloner['analyse']) {
  return startService(engine, { cloner: { analyse } });
}

const LIST = '/v1/custom-voices';
const UNKNOWN = 'cv_AAAAAAAAAAAAAAAAAAAAAA';

const rules: Rule[] = [
  [
    'spec, Cloned voice',
    'a sample and a name give a voice_id that speaks at once, in the pitch of its sample',
    async () => {
      const id = await cloned([
        ['files', theo],
        ['name', '우리 목소리 🎙️'],
      ]);
      const body = { text: 'We meet again on a cold and windy day.', language: 'en' };
      const spoken = await call(`/v1/text-to-speech/${id}`, keys.paid, { body });
      expect(spoken.status).toBe(200);
      const sample = decodeWav(theo);
      const speech = decodeWav(spoken.bytes);
      const interval =
        12 *
        Math.log2(
          medianF0(speech.samples, speech.sampleRate) / medianF0(sample.samples, sample.sampleRate),
        );
      expect(Math.abs(interval)).toBeLessThan(1);
      const predicted = await call(`/v1/predict-duration/${id}`, keys.paid, { body });
      expect(predicted.json()).toEqual({ duration: expect.any(Number) });
      const streamed = await call(`/v1/text-to-speech/${id}/stream`, keys.paid, { body });
      expect(Number(streamed.trailers['x-audio-length'])).toBeGreaterThan(1);
    },
  ],
  [
    'spec, Cloned voice',
    'a cloned voice speaks every language and every one of its styles',
    async () => {
      const id = await cloned([
        ['files', theo],
        ['name', 'Polyglot'],
      ]);
      for (const language of LANGUAGES) {
        const model = MODEL_NAMES.find((name) => modelSpeaks(name, language));
        const body = { text: '1', language, model };
        const spoken = await call(`/v1/text-to-speech/${id}`, keys.paid, { body });
        expect([language, spoken.status]).toEqual([language, 200]);
      }
      const refused = await call(`/v1/text-to-speech/${id}`, keys.paid, {
        body: { text: 'Hi', language: 'en', style: 'bored' },
      });
      expect(refused.status).toBe(400);
      const styles = /use one of: (.+)\.$/
        .exec((refused.json() as { message: string }).message)?.[1]
        ?.split(', ');
      expect(styles?.[0]).toBe('neutral');
      for (const style of styles ?? []) {
        const body = { text: 'Hi', language: 'en', style };
        expect((await call(`/v1/text-to-speech/${id}`, keys.paid, { body })).status).toBe(200);
      }
    },
  ],
  [
    'spec, POST /v1/custom-voices/cloned-voice',
    'a sample may be MP3, whatever its part is typed, and fields come in any order',
    async () => {
      const mp3 = await mp3Of(decodeWav(theo));
      for (const type of ['audio/mpeg', 'audio/wav', 'application/octet-stream']) {
        for (const file of [mp3, theo]) {
          await cloned([
            ['description', ''],
            ['files', file, type],
            ['name', 'Any order'],
            ['remark', 'nobody asked for this'],
            ['extra', new Uint8Array(9)],
          ]);
        }
      }
    },
  ],
  [
    'spec, Limits',
    'a name has 1 to 100 code points: 101 are 400, 100 emoji are fine',
    async () => {
      const long = '🎙'.repeat(100);
      const id = await cloned([
        ['name', long],
        ['files', theo],
      ]);
      expect((await call(`${LIST}/${id}`, keys.paid)).json()).toEqual({
        voice_id: id,
        name: long,
        description: '',
      });
      const refuse = (name: string, reason: RegExp) =>
        sentence(
          clone([
            ['files', theo],
            ['name', name],
          ]),
          400,
          reason,
        );
      await refuse(`${long}한`, /name has 101 characters; at most 100/);
      await refuse('a'.repeat(1_000_000), /name has \d+ characters; at most 100/);
      await refuse('', /name must not be empty/);
      await refuse(' \u3000', /name must not be empty/);
      await refuse('a\0b', /name/);
    },
  ],
  [
    'spec, Cloned voice creation errors',
    '400 with a sentence: files or name missing, an empty file, two files, no file in files',
    async () => {
      await sentence(clone([['name', 'x']]), 400, /files is required/);
      await sentence(clone([['files', theo]]), 400, /name is required/);
      await sentence(clone([]), 400, /./);
      await sentence(
        clone([
          ['files', new Uint8Array(0)],
          ['name', 'x'],
        ]),
        400,
        /files must not be empty/,
      );
      await sentence(
        clone([
          ['files', 'a text'],
          ['name', 'x'],
        ]),
        400,
        /files must be/,
      );
      await sentence(
        clone([
          ['files', theo],
          ['files', theo],
          ['name', 'x'],
        ]),
        400,
        /only one sample/,
      );
      await sentence(
        clone([
          ['files', theo],
          ['name', 'x'],
          ['description', 'd'.repeat(2_001)],
        ]),
        400,
        /description has 2001 characters/,
      );
    },
  ],
  [
    'spec, Cloned voice creation errors',
    '400 with a sentence: a body that is no form, or is cut off',
    async () => {
      const post = (body: string, type: string) =>
        sentence(postClone(service.url, keys.paid, body, { 'content-type': type }), 400, /./);
      await post('{"name":"x"}', 'application/json');
      await post('name=x', 'application/x-www-form-urlencoded');
      await post('x', 'multipart/form-data');
      await post('x', 'multipart/form-data; boundary=');
      await post('x', 'multipart/form-data; boundary=b');
      await post('', 'multipart/form-data; boundary=b');
      const part =
        '--b\r\nContent-Disposition: form-data; name="files"; filename="a"\r\n\r\nRIFF1234WAVE';
      await post(part, 'multipart/form-data; boundary=b');
      await post(part.slice(0, 40), 'multipart/form-data; boundary=b');
      await post('--b--\r\n', 'multipart/form-data; boundary=b');
      const field = (head: string, value = 'x') => `--b\r\n${head}\r\n\r\n${value}\r\n`;
      const named = (name: string) => `Content-Disposition: form-data; name="${name}"`;
      for (const fields of [
        field('\0\0\0'),
        field(`X: ${'y'.repeat(200_000)}`),
        field('Content-Disposition: form-data'),
        field(named('__proto__')) + field(named('constructor')),
        field(`${named('name')}\r\nContent-Type: application/json`, '{"a'),
        field(named('extra')).repeat(1_000),
        field(`${named('extra')}; filename="x"`).repeat(1_000),
      ]) {
        await post(`${fields}--b--\r\n`, 'multipart/form-data; boundary=b');
      }
    },
  ],
  [
    'issue, Custom voices',
    '400 with the reason: a sample that is unreadable, cut off, silent, without a voice, or too short',
    async () => {
      const refuse = (file: Uint8Array<ArrayBuffer>, reason: RegExp) =>
        sentence(
          clone([
            ['files', file],
            ['name', 'x'],
          ]),
          400,
          reason,
        );
      await refuse(theo.slice(0, theo.length / 2), /cannot be read.*cut off/);
      await refuse(new Uint8Array([0xff, 0xfb, 0, 0]), /cannot be read/);
      await refuse(new Uint8Array(Buffer.from(`ID3${'x'.repeat(500)}`)), /cannot be read/);
      const sound = (samples: Int16Array) => {
        const file = theo.slice(0, 44 + samples.byteLength);
        file.set(new Uint8Array(samples.buffer), 44);
        new DataView(file.buffer).setUint32(40, samples.byteLength, true);
        return file;
      };
      await refuse(sound(new Int16Array(88_200)), /silent/);
      // Of steady noise about half counts as active, so four seconds are plenty.
      await refuse(sound(noise(4 * 44_100, 8_000)), /no voice/i);
      await refuse(sound(decodeWav(theo).samples.slice(0, 22_050)), /at least 1 s/);
    },
  ],
  [
    'spec, Cloned voice creation errors',
    '401 without a key or with a wrong one, before the body is looked at',
    async () => {
      for (const key of [undefined, 'wrong']) {
        const { status, body } = await postClone(service.url, key, form([['name', 'x']]));
        expect(status).toBe(401);
        object(body, 401, 'Unauthorized');
      }
    },
  ],
  [
    'spec, Cloned voice creation errors; supplement, Order of checks',
    '403 for the free tier, after 400',
    async () => {
      const { status, body } = await clone(
        [
          ['files', theo],
          ['name', 'x'],
        ],
        keys.free,
      );
      expect(status).toBe(403);
      object(body, 403, 'Forbidden');
      await sentence(clone([['files', theo]], keys.free), 400, /name is required/);
    },
  ],
  [
    'supplement, Errors',
    '413 for 3 × 1024 × 1024 bytes, and not for one less',
    async () => {
      await cloned([
        ['files', padded(SAMPLE_BYTES_LIMIT - 1)],
        ['name', 'just small enough'],
      ]);
      const { status, body } = await clone([
        ['files', padded(SAMPLE_BYTES_LIMIT)],
        ['name', 'too large'],
      ]);
      expect(status).toBe(413);
      object(body, 413, 'Payload Too Large');
    },
  ],
  [
    'supplement, Errors',
    '413 while it is read: the answer comes to a client that is still sending',
    async () => {
      const { status, body, sent } = await postEndless(service.url, keys.paid, theo.slice(0, 44));
      expect(status).toBe(413);
      object(body, 413, 'Payload Too Large');
      expect(sent).toBeLessThan(32 * 1024 * 1024);
    },
  ],
  [
    'supplement, Errors',
    '415 from the first bytes, naming the formats and what came, while it is read',
    async () => {
      const files: [start: string, declared: string, received: RegExp][] = [
        ['OggS', 'audio/wav', /audio\/ogg/],
        ['fLaC', 'audio/mpeg', /audio\/flac/],
        ['\0\0\0\x20ftypM4A ', 'audio/mpeg', /audio\/mp4/],
        ['\x89PNG\r\n', 'image/png', /image\/png/],
        ['\xff\xf1\x50', 'audio/aac', /audio\/aac/],
        ['RIFF\0\0\0\0AVI LIST', 'video/avi', /video\/avi/],
        ['안녕하세요', 'text/plain', /text\/plain/],
        ['?', 'audio/wav', /application\/octet-stream/],
        ['<script>', 'te xt/<b>', /application\/octet-stream/],
      ];
      for (const [start, declared, received] of files) {
        const bytes = new Uint8Array(
          Buffer.from(start, /[^\0-\xff]/.test(start) ? 'utf8' : 'latin1'),
        );
        const fields: Field[] = [
          ['files', bytes, declared],
          ['name', 'x'],
        ];
        await sentence(clone(fields), 415, /WAV.*MP3/);
        await sentence(clone(fields), 415, received);
      }
      const { status } = await postEndless(service.url, keys.paid, Buffer.from('OggS12345678'));
      expect(status).toBe(415);
    },
  ],
  [
    'supplement, Errors',
    'after 413 and 415 the rest of the body is read away, and the connection takes the next request',
    async () => {
      const { hostname, port } = new URL(service.url);
      for (const [head, status] of [
        [theo.slice(0, 44), 413],
        [new Uint8Array(44), 415],
      ] as const) {
        const body = Buffer.concat([
          Buffer.from('--b\r\nContent-Disposition: form-data; name="files"; filename="a"\r\n\r\n'),
          head,
          new Uint8Array(2 * SAMPLE_BYTES_LIMIT),
          Buffer.from('\r\n--b--\r\n'),
        ]);
        const socket = connect(Number(port), hostname);
        socket.write(
          `POST ${CLONE} HTTP/1.1\r\nHost: a\r\nx-sup-api-key: ${keys.paid}\r\n` +
            `Content-Type: multipart/form-data; boundary=b\r\nContent-Length: ${body.length}\r\n\r\n`,
        );
        socket.write(body);
        socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
        const statuses = (await text(socket)).match(/(?<=HTTP\/1.1 )\d{3}/g);
        expect(statuses).toEqual([String(status), '200']);
      }
    },
  ],
  [
    'supplement, Limits',
    '429 with Retry-After for more than CLONE_RATE requests a minute of a key',
    async () => {
      const { authenticate } = createAccounts(store.db);
      await using limited = await startService(engine, { store, authenticate, cloneRate: 2 });
      const fields: Field[] = [
        ['files', theo],
        ['name', 'often'],
      ];
      const ask = (key: string) => postClone(limited.url, key, form(fields));
      expect((await ask(keys.paid)).status).toBe(200);
      expect((await ask(keys.paid)).status).toBe(200);
      const { status, headers, body } = await ask(keys.paid);
      expect(status).toBe(429);
      object(body, 429, 'Too Many Requests');
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      expect((await ask(keys.other)).status).toBe(200);
    },
  ],
  [
    'spec, Cloned voice creation errors',
    '500 that keeps its cause to itself when the analysis breaks; 429 when too many wait',
    async () => {
      const failures: [error: Error, status: number, reason: string][] = [
        [new EngineError('secret', { cause: new Error('/a/path') }), 500, 'Internal Server Error'],
        [new EngineBusyError('8 are waiting'), 429, 'Too Many Requests'],
      ];
      for (const [error, code, reason] of failures) {
        await using broken = await serviceWith(() => Promise.reject(error));
        const fields: Field[] = [
          ['files', theo],
          ['name', 'x'],
        ];
        const { status, body } = await postClone(
          broken.url,
          'a key that opens the service',
          form(fields),
        );
        expect(status).toBe(code);
        object(body, code, reason);
        expect(JSON.stringify(body)).not.toContain('secret');
      }
    },
  ],
  [
    'supplement, Paths',
    'a custom voice is got, changed in part, and deleted with 204 and no body',
    async () => {
      const id = await cloned([
        ['files', theo],
        ['name', 'First'],
        ['description', 'صوت هادئ'],
      ]);
      const path = `${LIST}/${id}`;
      const first = { voice_id: id, name: 'First', description: 'صوت هادئ' };
      expect((await call(path, keys.paid)).json()).toEqual(first);
      const patch = (body: unknown) => call(path, keys.paid, { method: 'PATCH', body });
      expect((await patch({ name: '二番目' })).json()).toEqual({ ...first, name: '二番目' });
      expect((await patch({ description: '' })).json()).toEqual({
        ...first,
        name: '二番目',
        description: '',
      });
      const whole = CustomVoice.parse((await patch({ name: 'Third', description: 'D' })).json());
      expect((await call(path, keys.paid)).json()).toEqual(whole);
      const gone = await call(path, keys.paid, { method: 'DELETE' });
      expect([gone.status, gone.bytes.length]).toEqual([204, 0]);
      expect((await call(path, keys.paid)).status).toBe(404);
      expect((await call(path, keys.paid, { method: 'DELETE' })).status).toBe(404);
      const body = { text: 'Hello', language: 'en' };
      expect((await call(`/v1/text-to-speech/${id}`, keys.paid, { body })).status).toBe(404);
    },
  ],
  [
    'supplement, Paths',
    'a change without name and description, or with a bad one, is 400 and changes nothing',
    async () => {
      const id = await cloned([
        ['files', theo],
        ['name', 'Stays'],
      ]);
      for (const body of [
        {},
        [],
        null,
        'text',
        { title: 'x' },
        { name: '' },
        { name: '  ' },
        { name: null },
        { name: 7 },
        { name: '한'.repeat(101) },
        { name: 'good', description: 'd'.repeat(2_001) },
        { name: 'half \ud83d' },
        { name: 'a\0' },
      ]) {
        const answer = await call(`${LIST}/${id}`, keys.paid, { method: 'PATCH', body });
        expect([body, answer.status]).toEqual([body, 400]);
        expect(answer.json()).toEqual({ status: 'error', message: expect.any(String) });
      }
      expect((await call(`${LIST}/${id}`, keys.paid)).json()).toMatchObject({ name: 'Stays' });
    },
  ],
  [
    'supplement, Accounts',
    'for another account a custom voice is 404 everywhere, as one that does not exist',
    async () => {
      const id = await cloned([
        ['files', theo],
        ['name', 'Mine'],
      ]);
      const body = { text: 'Hello', language: 'en' };
      for (const [key, voice] of [
        [keys.other, id],
        [keys.paid, UNKNOWN],
        [keys.paid, '%00'],
        [keys.paid, `${id}x`],
        [keys.paid, 'aria'],
      ] as const) {
        const answers = [
          await call(`${LIST}/${voice}`, key),
          await call(`${LIST}/${voice}`, key, { method: 'PATCH', body: { name: 'Yours' } }),
          await call(`${LIST}/${voice}`, key, { method: 'PATCH', body: {} }),
          await call(`${LIST}/${voice}`, key, { method: 'DELETE' }),
        ];
        if (voice !== 'aria') {
          answers.push(
            await call(`/v1/text-to-speech/${voice}`, key, { body }),
            await call(`/v1/text-to-speech/${voice}/stream`, key, { body }),
            await call(`/v1/predict-duration/${voice}`, key, { body }),
          );
        }
        for (const answer of answers) {
          expect(answer.status).toBe(404);
          object(answer.json(), 404, 'Not Found');
        }
      }
      expect((await page(LIST, keys.other)).items.map(({ voice_id }) => voice_id)).not.toContain(
        id,
      );
      expect((await call(`${LIST}/${id}`, keys.paid)).json()).toMatchObject({ name: 'Mine' });
    },
  ],
  [
    'supplement, Paths',
    'GET /v1/voices/{voice_id} and the lists of voices know presets only',
    async () => {
      const id = await cloned([
        ['files', theo],
        ['name', 'Hidden'],
      ]);
      expect((await call(`/v1/voices/${id}`, keys.paid)).status).toBe(404);
      const { items } = (await call('/v1/voices?page_size=100', keys.paid)).json() as {
        items: { voice_id: string }[];
      };
      expect(items.map(({ voice_id }) => voice_id)).not.toContain(id);
    },
  ],
  [
    'supplement, Page of voices; supplement, Search',
    'custom voices come in pages, in the order in which they were made, and are searched by their words',
    async () => {
      const made: string[] = [];
      const profile = await profileOf(decodeWav(theo));
      for (let i = 0; i < 12; i += 1) {
        const text = {
          name: i === 3 ? 'Émile 하늘' : `Number ${i}`,
          description: i % 2 === 0 ? 'even 落ち着いた' : 'odd',
        };
        made.push(await createCustomVoices(store.db).create(crowd, text, profile));
        // The order is that of the clock, which has moved on when another voice is asked for.
        for (const now = Date.now(); Date.now() === now; ) await setImmediate();
      }
      const one = await page(`${LIST}?page_size=10`, keys.crowd);
      expect([one.items.length, one.total]).toEqual([10, 12]);
      const token = `next_page_token=${one.next_page_token}`;
      const two = await page(`${LIST}?page_size=10&${token}`, keys.crowd);
      expect(two.next_page_token).toBeNull();
      expect([...one.items, ...two.items].map(({ voice_id }) => voice_id)).toEqual(made);

      const search = async (query: string) => {
        const { items } = await page(`${LIST}/search?${query}`, keys.crowd);
        return items.map(({ voice_id }) => made.indexOf(voice_id));
      };
      expect(await search('name=NUMBER%201')).toEqual([1, 10, 11]);
      expect(await search(`name=${encodeURIComponent('하늘 émile'.normalize('NFD'))}`)).toEqual([
        3,
      ]);
      expect(await search('description=even&name=number%201')).toEqual([10]);
      expect(await search('description=落ち着&mood=good')).toEqual([0, 2, 4, 6, 8, 10]);
      expect(await search('name=nobody')).toEqual([]);

      for (const bad of ['page_size=9', 'page_size=101', 'next_page_token=x']) {
        expect((await call(`${LIST}?${bad}`, keys.crowd)).status).toBe(400);
        expect((await call(`${LIST}/search?${bad}`, keys.crowd)).status).toBe(400);
      }
      // A token belongs to the listing of the account that it was given to.
      expect((await call(`${LIST}?page_size=10&${token}`, keys.other)).status).toBe(400);
      expect((await call(`${LIST}/search?page_size=10&${token}`, keys.crowd)).status).toBe(400);
    },
  ],
  [
    'supplement, Errors',
    'a client that stops in the middle of its sample ends nothing but its own request',
    async () => {
      const { hostname, port } = new URL(service.url);
      const socket = connect(Number(port), hostname);
      socket.write(
        `POST ${CLONE} HTTP/1.1\r\nHost: x\r\nx-sup-api-key: ${keys.paid}\r\nContent-Length: 100000\r\n` +
          'Content-Type: multipart/form-data; boundary=b\r\n\r\n--b\r\n' +
          'Content-Disposition: form-data; name="files"; filename="a"\r\n\r\nRIFF1234WAVEfmt ',
      );
      await new Promise((resolve) => socket.once('connect', resolve));
      socket.destroy();
      await cloned([
        ['files', theo],
        ['name', 'after that'],
      ]);
    },
  ],
];

describe.each(rules)('%s', (_section, rule, check) => {
  test(rule, check);
});
