import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ErrorBody } from '../../../../src/contract/errors.ts';
import { CreditBalance, UsagePage, VoiceUsages } from '../../../../src/contract/usage.ts';
import { createEngine } from '../../../../src/engine/builtin.ts';
import type { Engine } from '../../../../src/engine/engine.ts';
import { createLog } from '../../../../src/log.ts';
import { type Accounts, createAccounts } from '../../../../src/service/accounts.ts';
import { openStore, type ServiceStore } from '../../../../src/service/store/store.ts';
import { type Answer, type Rule, startService, type TestService } from '../service.ts';

let engine: Engine;
let store: ServiceStore;
let accounts: Accounts;
let service: TestService;

const SPEECH = '/v1/text-to-speech/aria';
const STREAM = `${SPEECH}/stream`;
const HELLO = { text: 'Hello', language: 'en' };
const HOUR = 3_600_000;

beforeAll(async () => {
  const log = createLog('silent');
  engine = createEngine({ workers: 1 });
  store = await openStore('sqlite::memory:', log);
  accounts = createAccounts(store.db);
  service = await startService(engine, { store, authenticate: accounts.authenticate, log });
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await engine?.close();
  await store?.close();
});

let made = 0;

interface Client {
  id: string;
  key: string;
  post(path: string, body: unknown): Promise<Answer>;
  get(path: string): Promise<Answer>;
  balance(): Promise<number | null>;
}

/** An account of its own, and requests with its key. */
async function client(credits: number | null, at: () => TestService = () => service) {
  const account = await accounts.create({ name: `client ${++made}`, tier: 'paid', credits });
  const headers = { 'x-sup-api-key': account.key };
  const get = (path: string) => at().call(path, { headers });
  return {
    ...account,
    post: (path, body) => at().call(path, { headers, body }),
    get,
    async balance() {
      return CreditBalance.strict().parse((await get('/v1/credits')).json()).balance;
    },
  } satisfies Client;
}

async function voiceUsage({ get }: Client, from: string, to: string) {
  const answer = await get(`/v1/voice-usage?start_date=${from}&end_date=${to}`);
  return VoiceUsages.parse(answer.json()).usages;
}

async function usage({ get }: Client, query: Record<string, string>): Promise<UsagePage> {
  const answer = await get(`/v1/usage?${new URLSearchParams(query)}`);
  expect(answer.status, answer.bytes.toString()).toBe(200);
  return UsagePage.strict().parse(answer.json());
}

/** Puts a speech on record that was made at another time. */
async function spoke({ id, key }: Client, at: string, lengthMs: number, fields: object = {}) {
  const row = {
    account_id: id,
    made_at: Date.parse(at),
    key_tail: key.slice(-4),
    voice_id: 'aria',
    voice_name: 'Aria',
    style: 'neutral',
    language: 'en',
    model: 'sona_speech_1',
    length_ms: lengthMs,
  };
  await store.db
    .insertInto('usage')
    .values({ ...row, ...fields })
    .execute();
}

/** Minutes of a day around now, whatever the clock says between two requests. */
async function spokenToday(one: Client): Promise<number> {
  const day = (time: number) => new Date(time).toISOString().slice(0, 10);
  const rows = await voiceUsage(one, day(Date.now() - 24 * HOUR), day(Date.now() + 24 * HOUR));
  return rows.reduce((sum, row) => sum + row.total_minutes_used, 0);
}

function expectObject({ status, headers, json }: Answer, code: number, reason: string) {
  expect(status).toBe(code);
  expect(headers['content-type']).toBe('application/json');
  expect(ErrorBody.parse(json()).message).toMatchObject({ status_code: code, error: reason });
}

const CREDITS: Rule[] = [
  [
    'supplement, Paths',
    'GET /v1/credits gives the seconds that are left, and null for an unlimited account',
    async () => {
      expect(await (await client(12.345)).balance()).toBe(12.345);
      expect(await (await client(0)).balance()).toBe(0);
      expect(await (await client(null)).balance()).toBeNull();
    },
  ],
  [
    'supplement, Accounts',
    'a second of speech costs one credit, to the millisecond: as a file, from the cache, and as a stream',
    async () => {
      const one = await client(100);
      let left = 100;
      for (const [path, fields] of [
        [SPEECH, {}],
        [SPEECH, {}],
        [SPEECH, { output_format: 'mp3' }],
        [SPEECH, { include_phonemes: true }],
        [STREAM, { voice_settings: { speed: 2 } }],
        [STREAM, { output_format: 'mp3', text: 'Something else' }],
        [STREAM, { include_phonemes: true, text: 'And another' }],
      ] as const) {
        const answer = await one.post(path, { ...HELLO, ...fields });
        expect(answer.status).toBe(200);
        const length = Number(
          answer.headers['x-audio-length'] ?? answer.trailers['x-audio-length'],
        );
        expect(length).toBeGreaterThan(0.1);
        left -= length;
        expect(await one.balance()).toBeCloseTo(left, 6);
      }
      expect((await spokenToday(one)) * 60).toBeCloseTo(100 - left, 6);
    },
  ],
  [
    'supplement, Accounts',
    'predict-duration, a faulty request and an unknown voice cost nothing',
    async () => {
      const one = await client(1);
      const long = { ...HELLO, text: 'One two three four five. '.repeat(10) };
      expect((await one.post('/v1/predict-duration/aria', long)).status).toBe(200);
      expect((await one.post(SPEECH, { ...HELLO, text: '' })).status).toBe(400);
      expect((await one.post('/v1/text-to-speech/nobody', HELLO)).status).toBe(404);
      expect(await one.balance()).toBe(1);
      expect(await spokenToday(one)).toBe(0);
    },
  ],
  [
    'spec, Text-to-speech errors',
    'a speech that is predicted above the balance is 402 with the object, and costs nothing',
    async () => {
      const one = await client(2);
      const body = { ...HELLO, voice_settings: { duration: 2.001 } };
      for (const path of [SPEECH, STREAM]) {
        expectObject(await one.post(path, body), 402, 'Payment Required');
      }
      expect(await one.balance()).toBe(2);
      expect(await spokenToday(one)).toBe(0);
      expect((await one.post(SPEECH, { ...HELLO, voice_settings: { duration: 2 } })).status).toBe(
        200,
      );
      expect(await one.balance()).toBe(0);
    },
  ],
  [
    'supplement, Order of checks',
    'a wrong key, an unknown voice and a faulty body come before an empty balance',
    async () => {
      const poor = await client(0);
      const faulty = { ...HELLO, text: '' };
      const headers = { 'x-sup-api-key': 'wrong' };
      expect(
        (await service.call('/v1/text-to-speech/nobody', { headers, body: faulty })).status,
      ).toBe(401);
      expect((await poor.post('/v1/text-to-speech/nobody', faulty)).status).toBe(404);
      expect((await poor.post(SPEECH, faulty)).status).toBe(400);
      expect((await poor.post(SPEECH, HELLO)).status).toBe(402);
    },
  ],
  [
    'supplement, Accounts',
    'a speech that fails costs nothing',
    async () => {
      const log = createLog('silent');
      const broken: Engine = {
        ...engine,
        async *speak(utterance, options) {
          for await (const part of engine.speak(utterance, options)) {
            yield part;
            throw new Error('the engine broke');
          }
        },
      };
      await using failing = await startService(broken, {
        store,
        authenticate: accounts.authenticate,
        log,
      });
      const one = await client(60, () => failing);
      expectObject(await one.post(SPEECH, HELLO), 500, 'Internal Server Error');
      const text = 'A sentence. '.repeat(20);
      await expect(one.post(STREAM, { ...HELLO, text })).rejects.toThrow();
      await vi.waitFor(async () => expect(await one.balance()).toBe(60), 5_000);
      expect(await spokenToday(one)).toBe(0);
    },
  ],
  [
    'supplement, Streaming',
    'a client that goes away pays for what was made until then',
    async () => {
      const one = await client(100);
      const body = { ...HELLO, text: 'This is a sentence of some length. '.repeat(8) };
      const { duration } = (await one.post('/v1/predict-duration/aria', body)).json() as {
        duration: number;
      };
      const open = await service.open(STREAM, { headers: { 'x-sup-api-key': one.key }, body });
      await open.body[Symbol.asyncIterator]().next();
      open.body.destroy();
      await vi.waitFor(async () => expect(await spokenToday(one)).toBeGreaterThan(0), 5_000);
      const spoken = (await spokenToday(one)) * 60;
      expect(spoken).toBeLessThan(duration + 0.1);
      expect(await one.balance()).toBeCloseTo(100 - spoken, 6);
    },
  ],
  [
    'supplement, Accounts',
    'a new key ends the old one, and a disabled account opens nothing',
    async () => {
      const one = await client(null);
      const { key } = await accounts.rotate(one.id);
      const status = async (key: string) =>
        (await service.call('/v1/credits', { headers: { 'x-sup-api-key': key } })).status;
      await vi.waitFor(async () => expect(await status(one.key)).toBe(401), 2_000);
      expect(await status(key)).toBe(200);
      await accounts.disable(one.id, true);
      await vi.waitFor(async () => expect(await status(key)).toBe(401), 2_000);
      await accounts.disable(one.id, false);
      expect(await status(key)).toBe(200);
    },
  ],
  [
    'supplement, Accounts',
    'keys are kept as hashes only',
    async () => {
      const { key } = await client(null);
      const rows = await store.db.selectFrom('api_keys').selectAll().execute();
      expect(JSON.stringify(rows)).not.toContain(key.slice(5, -4));
      expect(rows.find(({ tail }) => tail === key.slice(-4))?.hash).toMatch(/^[0-9a-f]{64}$/);
    },
  ],
];

const USAGE: Rule[] = [
  [
    'supplement, Voice usage row',
    'a row for each day, voice, style, language and model of the account, with its minutes',
    async () => {
      const one = await client(null);
      const other = await client(null);
      await spoke(one, '2026-03-01T00:00:00Z', 30_000);
      await spoke(one, '2026-03-01T23:59:59.999Z', 60_000);
      await spoke(one, '2026-03-02T00:00:00Z', 15_000, { style: 'happy', language: 'ko' });
      await spoke(one, '2026-02-28T23:59:59.999Z', 1_000);
      await spoke(one, '2026-03-03T00:00:00Z', 1_000);
      await spoke(other, '2026-03-01T12:00:00Z', 1_000);
      const thumbnail_url = `${service.url}/v1/voices/aria/thumbnail.png`;
      const row = { voice_id: 'aria', name: 'Aria', model: 'sona_speech_1', thumbnail_url };
      expect(await voiceUsage(one, '2026-03-01', '2026-03-02')).toEqual([
        {
          ...row,
          date: '2026-03-01',
          style: 'neutral',
          language: 'en',
          total_minutes_used: 1.5,
        },
        {
          ...row,
          date: '2026-03-02',
          style: 'happy',
          language: 'ko',
          total_minutes_used: 0.25,
        },
      ]);
    },
  ],
  [
    'supplement, Paths',
    'both dates are required, are days, and come in their order; otherwise 400 says which',
    async () => {
      const one = await client(null);
      for (const [query, name] of [
        ['end_date=2026-03-01', 'start_date'],
        ['start_date=2026-03-01', 'end_date'],
        ['start_date=2026-02-30&end_date=2026-03-01', 'start_date'],
        ['start_date=today&end_date=2026-03-01', 'start_date'],
        ['start_date=2026-03-02&end_date=2026-03-01', 'end_date'],
        ['start_date=2026-03-01&start_date=2026-03-02&end_date=2026-03-03', 'start_date'],
      ]) {
        const answer = await one.get(`/v1/voice-usage?${query}`);
        expect(answer.status).toBe(400);
        expect(ErrorBody.parse(answer.json()).message).toContain(name);
      }
    },
  ],
  [
    'supplement, Usage analytics',
    'days are those of the offset of start_time; an empty one is there with no results',
    async () => {
      const one = await client(null);
      await spoke(one, '2026-03-01T23:30:00+09:00', 60_000);
      await spoke(one, '2026-03-03T00:00:00+09:00', 120_000);
      expect(
        await usage(one, {
          start_time: '2026-03-01T00:00:00+09:00',
          end_time: '2026-03-04T00:00:00+09:00',
        }),
      ).toEqual({
        data: [
          {
            starting_at: '2026-03-01T00:00:00+09:00',
            ending_at: '2026-03-02T00:00:00+09:00',
            results: [{ minutes_used: 1 }],
          },
          {
            starting_at: '2026-03-02T00:00:00+09:00',
            ending_at: '2026-03-03T00:00:00+09:00',
            results: [],
          },
          {
            starting_at: '2026-03-03T00:00:00+09:00',
            ending_at: '2026-03-04T00:00:00+09:00',
            results: [{ minutes_used: 2 }],
          },
        ],
        total: 3,
        next_page_token: null,
      });
    },
  ],
  [
    'supplement, Usage analytics',
    'hours begin at the full hours of any offset, and only the time that was asked for counts',
    async () => {
      const one = await client(null);
      await spoke(one, '2026-03-01T10:29:59+05:45', 60_000);
      await spoke(one, '2026-03-01T10:30:00+05:45', 120_000);
      await spoke(one, '2026-03-01T11:30:00+05:45', 60_000);
      const page = await usage(one, {
        start_time: '2026-03-01T10:30:00+05:45',
        end_time: '2026-03-01T11:30:00+05:45',
        bucket_width: 'hour',
      });
      expect(page.data).toEqual([
        {
          starting_at: '2026-03-01T10:00:00+05:45',
          ending_at: '2026-03-01T11:00:00+05:45',
          results: [{ minutes_used: 2 }],
        },
        {
          starting_at: '2026-03-01T11:00:00+05:45',
          ending_at: '2026-03-01T12:00:00+05:45',
          results: [],
        },
      ]);
    },
  ],
  [
    'supplement, Usage analytics',
    'results split by any of voice_id, voice_name, api_key and model, repeated or comma-separated; keys are masked',
    async () => {
      const one = await client(null);
      await spoke(one, '2026-03-01T10:00:00Z', 60_000);
      await spoke(one, '2026-03-01T11:00:00Z', 60_000);
      await spoke(one, '2026-03-01T12:00:00Z', 30_000, { voice_id: 'b', voice_name: 'ひなた' });
      const asked = { start_time: '2026-03-01T00:00:00Z', end_time: '2026-03-02T00:00:00Z' };
      const api_key = `****${one.key.slice(-4)}`;
      const model = 'sona_speech_1';
      const [day] = (
        await usage(one, { ...asked, breakdown_type: 'voice_id,voice_name,api_key,model' })
      ).data;
      expect(day?.results).toEqual([
        { minutes_used: 2, voice_id: 'aria', voice_name: 'Aria', api_key, model },
        { minutes_used: 0.5, voice_id: 'b', voice_name: 'ひなた', api_key, model },
      ]);
      const repeated = await one.get(
        `/v1/usage?${new URLSearchParams(asked)}&breakdown_type=model&breakdown_type=api_key`,
      );
      expect(UsagePage.parse(repeated.json()).data[0]?.results).toEqual([
        { minutes_used: 2.5, api_key, model },
      ]);
    },
  ],
  [
    'supplement, Usage analytics',
    'pages of 1 to 20 buckets, 10 by default, hold every bucket once',
    async () => {
      const one = await client(null);
      await spoke(one, '2026-03-25T10:00:00Z', 60_000);
      const asked = { start_time: '2026-03-01T00:00:00Z', end_time: '2026-04-01T00:00:00Z' };
      const starts: string[] = [];
      const sizes: number[] = [];
      let minutes = 0;
      for (let token: string | null = ''; token !== null; ) {
        const page: UsagePage = await usage(one, {
          ...asked,
          ...(token && { next_page_token: token }),
        });
        expect(page.total).toBe(31);
        sizes.push(page.data.length);
        starts.push(...page.data.map(({ starting_at }) => starting_at));
        minutes += page.data.flatMap(({ results }) => results)[0]?.minutes_used ?? 0;
        token = page.next_page_token;
      }
      expect(sizes).toEqual([10, 10, 10, 1]);
      expect(new Set(starts).size).toBe(31);
      expect(minutes).toBe(1);
      expect((await usage(one, { ...asked, page_size: '20' })).data).toHaveLength(20);
      expect((await usage(one, { ...asked, page_size: '1' })).data).toHaveLength(1);
    },
  ],
  [
    'supplement, Usage analytics',
    'a plus sign that came as a space is still an offset',
    async () => {
      const one = await client(null);
      const answer = await one.get(
        '/v1/usage?start_time=2026-03-01T00:00:00+09:00&end_time=2026-03-02T00:00:00+09:00',
      );
      expect(UsagePage.parse(answer.json()).data[0]?.starting_at).toBe('2026-03-01T00:00:00+09:00');
    },
  ],
  [
    'supplement, Usage analytics',
    'a time without an offset, an end before the start, an unknown field and a page out of range are 400',
    async () => {
      const one = await client(null);
      const start_time = '2026-03-01T00:00:00Z';
      const end_time = '2026-03-02T00:00:00Z';
      for (const [query, said] of [
        [{ end_time }, 'start_time'],
        [{ start_time }, 'end_time'],
        [{ start_time: '2026-03-01T00:00:00', end_time }, 'start_time'],
        [{ start_time: end_time, end_time: start_time }, 'end_time'],
        [{ start_time, end_time: '9999-12-31T23:59:59Z' }, 'end_time'],
        [{ start_time, end_time, bucket_width: 'week' }, 'hour, day'],
        [{ start_time, end_time, breakdown_type: 'voice_id,style' }, '"style"'],
        [{ start_time, end_time, page_size: '0' }, '1 to 20'],
        [{ start_time, end_time, page_size: '21' }, '1 to 20'],
        [{ start_time, end_time, page_size: 'all' }, 'page_size'],
        [{ start_time, end_time, next_page_token: 'abc' }, 'next_page_token'],
      ] as const) {
        const answer = await one.get(`/v1/usage?${new URLSearchParams(query)}`);
        expect(answer.status).toBe(400);
        expect(ErrorBody.parse(answer.json()).message).toContain(said);
      }
    },
  ],
  [
    'supplement, Accounts',
    'balance and usage need a key',
    async () => {
      for (const path of ['/v1/credits', '/v1/voice-usage', '/v1/usage']) {
        expectObject(
          await service.call(path, { headers: { 'x-sup-api-key': null } }),
          401,
          'Unauthorized',
        );
      }
    },
  ],
];

const LIMITS: Rule[] = [
  [
    'supplement, Limits',
    'speech above the rate of a key is 429 with Retry-After, for that key alone, and costs nothing',
    async () => {
      await using limited = await startService(engine, {
        store,
        authenticate: accounts.authenticate,
        speechRate: 3,
      });
      const one = await client(100, () => limited);
      for (const body of [HELLO, { ...HELLO, text: '' }, HELLO]) await one.post(SPEECH, body);
      expect((await one.post('/v1/predict-duration/aria', HELLO)).status).toBe(200);
      expect((await one.post(STREAM, HELLO)).status).toBe(200);
      const balance = await one.balance();
      for (const path of [SPEECH, STREAM]) {
        const refused = await one.post(path, HELLO);
        expectObject(refused, 429, 'Too Many Requests');
        const seconds = Number(refused.headers['retry-after']);
        expect(seconds).toBeGreaterThanOrEqual(1);
        expect(seconds).toBeLessThanOrEqual(60);
      }
      expect((await one.post('/v1/text-to-speech/nobody', HELLO)).status).toBe(404);
      expect((await one.post(SPEECH, { ...HELLO, text: '' })).status).toBe(400);
      expect(await one.balance()).toBe(balance);
      expect((await (await client(null, () => limited)).post(SPEECH, HELLO)).status).toBe(200);
    },
  ],
];

describe.each([...CREDITS, ...USAGE, ...LIMITS])('%s', (_section, rule, check) => {
  test(rule, check);
});
