import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decodeWav } from '../../../../src/audio/wav.ts';
import { PAGE_SIZE } from '../../../../src/contract/limits.ts';
import { modelSpeaks } from '../../../../src/contract/models.ts';
import { Voice, VoicePage } from '../../../../src/contract/voices.ts';
import { createEngine } from '../../../../src/engine/builtin.ts';
import { PRESETS, type PresetCharacter } from '../../../../src/engine/characters.ts';
import type { Engine } from '../../../../src/engine/engine.ts';
import { rms } from '../../../helpers/measure.ts';
import { KEY, type Rule, startService, type TestService } from '../service.ts';

let engine: Engine;
let service: TestService;
/** A service with enough voices for several pages, some of them in other scripts. */
let crowded: TestService;

const [first] = PRESETS;
const OTHERS: Partial<PresetCharacter>[] = [
  { id: 'haneul', name: '하늘 누나', description: '따뜻한 목소리', gender: 'female', age: 'child' },
  { id: 'sakura', name: 'さくら', description: '', languages: ['ja'], models: ['sona_speech_1'] },
  { id: 'nur', name: 'نور', description: 'صوت هادئ', age: 'elder', useCases: ['audiobook'] },
  { id: 'emile', name: 'Émile', description: 'Calm, 落ち着いた 🎙️ voice', gender: 'male' },
];

beforeAll(async () => {
  if (!first) throw new Error('there are no presets');
  engine = createEngine({ workers: 1 });
  service = await startService(engine);
  crowded = await startService(engine, {
    presets: Array.from({ length: 25 }, (_, index) => ({
      ...first,
      id: `voice-${index}`,
      name: `Number ${index}`,
      ...OTHERS[index],
    })),
  });
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await crowded?.[Symbol.asyncDispose]();
  await engine?.close();
});

async function page(path: string, from: TestService = service) {
  const answer = await from.call(path);
  expect(answer.status).toBe(200);
  return VoicePage.parse(answer.json());
}

async function ids(query: string) {
  const { items } = await page(`/v1/voices/search?page_size=100&${query}`, crowded);
  return items.map((voice) => voice.voice_id);
}

async function refused(path: string, from: TestService = service) {
  const { status, json } = await from.call(path);
  expect(status).toBe(400);
  // A sentence of this interface, not one of the library that checks it.
  expect(json()).toEqual({ status: 'error', message: expect.not.stringMatching(/expected|NaN/) });
}

const rules: Rule[] = [
  [
    'spec, Voice',
    'every preset is listed with all of its fields',
    async () => {
      const { items, total } = await page('/v1/voices?page_size=100');
      expect(total).toBe(PRESETS.length);
      expect(items.map((voice) => voice.voice_id)).toEqual(PRESETS.map(({ id }) => id));
    },
  ],
  [
    'spec, Voice',
    'samples has one entry for each language, style and model that go together',
    async () => {
      const voice = Voice.parse((await service.call(`/v1/voices/${first?.id}`)).json());
      const expected = voice.models.flatMap((model) =>
        voice.language
          .filter((language) => modelSpeaks(model, language))
          .flatMap((language) => voice.styles.map((style) => `${language} ${style} ${model}`)),
      );
      const given = voice.samples.map((s) => `${s.language} ${s.style} ${s.model}`);
      expect(given.toSorted()).toEqual(expected.toSorted());
      expect(new Set(voice.samples.map(({ url }) => url)).size).toBe(expected.length);
    },
  ],
  [
    'spec, Voice',
    'thumbnail_image_url shows a picture without a key',
    async () => {
      const voice = Voice.parse((await service.call(`/v1/voices/${first?.id}`)).json());
      const answer = await fetch(voice.thumbnail_image_url ?? '');
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png']);
      expect(
        Buffer.from(await answer.arrayBuffer())
          .subarray(1, 4)
          .toString(),
      ).toBe('PNG');
    },
  ],
  [
    'spec, Voice',
    'addresses lead to the service where the request names no host, as HTTP/1.0 allows',
    async () => {
      const { hostname, port } = new URL(service.url);
      for (const head of [
        'GET /v1/voices/aria HTTP/1.0',
        'GET /v1/voices/aria HTTP/1.1\r\nHost:',
      ]) {
        const socket = connect(Number(port), hostname);
        socket.write(`${head}\r\nx-sup-api-key: ${KEY}\r\nConnection: close\r\n\r\n`);
        const [, body = ''] = (await text(socket)).split('\r\n\r\n');
        const { thumbnail_image_url } = Voice.parse(JSON.parse(body));
        expect(thumbnail_image_url).toBe(`${service.url}/v1/voices/aria/thumbnail.png`);
      }
    },
  ],
  [
    'spec, Sample',
    'the address of a sample plays without a key',
    async () => {
      const voice = Voice.parse((await service.call(`/v1/voices/${first?.id}`)).json());
      const sample = voice.samples.find(({ language }) => language === 'ko');
      const answer = await fetch(sample?.url ?? '');
      expect(answer.headers.get('content-type')).toBe('audio/wav');
      const { samples, sampleRate } = decodeWav(new Uint8Array(await answer.arrayBuffer()));
      expect(samples.length / sampleRate).toBeGreaterThan(1);
      expect(rms(samples)).toBeGreaterThan(100);
    },
  ],
  [
    'spec, Sample',
    'a sample of a combination that does not exist is 404',
    async () => {
      for (const path of [
        '/v1/voices/nobody/samples/en/neutral/sona_speech_1.wav',
        `/v1/voices/${first?.id}/samples/fr/neutral/sona_speech_1.wav`,
        `/v1/voices/${first?.id}/samples/en/bored/sona_speech_1.wav`,
        `/v1/voices/${first?.id}/samples/en/neutral/sona_speech_1`,
      ]) {
        expect((await service.call(path)).status).toBe(404);
      }
    },
  ],
  [
    'supplement, Paths',
    'one voice is got by its id, as it is listed',
    async () => {
      const { items } = await page('/v1/voices?page_size=100');
      for (const voice of items) {
        expect((await service.call(`/v1/voices/${voice.voice_id}`)).json()).toEqual(voice);
      }
    },
  ],
  [
    'supplement, Paths',
    'an unknown id is 404 with the object, whatever the id',
    async () => {
      for (const id of [
        'nobody',
        '%EB%AA%A9%EC%86%8C%EB%A6%AC',
        '..%2f..%2fetc',
        'a'.repeat(999),
      ]) {
        const { status, json } = await service.call(`/v1/voices/${id}`);
        expect(status).toBe(404);
        expect(json()).toEqual({
          status: 'error',
          message: { message: 'Voice not found', error: 'Not Found', status_code: 404 },
        });
      }
    },
  ],
  [
    'supplement, Page of voices',
    'a page has 20 voices when no size is asked for',
    async () => {
      const { items, total } = await page('/v1/voices', crowded);
      expect([items.length, total]).toEqual([PAGE_SIZE.default, 25]);
    },
  ],
  [
    'supplement, Page of voices',
    'following the tokens gives every voice once, and the last page answers null',
    async () => {
      const seen: string[] = [];
      for (let token: string | null = ''; token !== null; ) {
        const next = token === '' ? '' : `&next_page_token=${encodeURIComponent(token)}`;
        const { items, next_page_token } = await page(`/v1/voices?page_size=10${next}`, crowded);
        seen.push(...items.map((voice) => voice.voice_id));
        token = next_page_token;
      }
      expect(seen.length).toBe(25);
      expect(new Set(seen).size).toBe(25);
    },
  ],
  [
    'supplement, Page of voices',
    'a size outside 10 to 100 is 400',
    async () => {
      for (const size of ['9', '101', '0', '-10', '10.5', 'ten', '', '1e400']) {
        await refused(`/v1/voices?page_size=${size}`);
        await refused(`/v1/voices/search?page_size=${size}`);
      }
    },
  ],
  [
    'supplement, Page of voices',
    'a token that this listing never gave is 400',
    async () => {
      const { next_page_token } = await page('/v1/voices?page_size=10', crowded);
      const cut = next_page_token?.slice(0, -1);
      for (const token of ['x', '', '10', cut, `${next_page_token}A`, btoa('10'), '%00']) {
        await refused(`/v1/voices?next_page_token=${token}`, crowded);
      }
      await refused(`/v1/voices/search?next_page_token=${next_page_token}`, crowded);
    },
  ],
  [
    'supplement, Search',
    'without filters everything matches; an unknown or empty filter filters nothing',
    async () => {
      expect((await ids('')).length).toBe(25);
      expect((await ids('mood=good&language=')).length).toBe(25);
    },
  ],
  [
    'supplement, Search',
    'language, gender, age, use_case, use_cases, model: any of the values, exactly, in any case',
    async () => {
      expect(await ids('age=elder')).toEqual(['nur']);
      expect(await ids('age=ELDER,%20child')).toEqual(['haneul', 'nur']);
      expect(await ids('age=eld')).toEqual([]);
      expect(await ids('use_case=audiobook')).toEqual(['nur']);
      expect(await ids('use_cases=Audiobook,none')).toEqual(['nur']);
      expect(await ids('gender=male')).toEqual(['emile']);
      expect(await ids('language=fr')).not.toContain('sakura');
      expect(await ids('language=JA')).toContain('sakura');
      expect(await ids('model=engine_api_3')).not.toContain('sakura');
    },
  ],
  [
    'issue, Aliases',
    'another name for a model finds the voices that have the model',
    async () => {
      await using renamed = await startService(engine, {
        modelAliases: { older: 'engine_api_3' },
        presets: [
          { ...(first as PresetCharacter), models: ['sona_speech_1'] },
          ...PRESETS.slice(1),
        ],
      });
      const found = async (model: string) =>
        (await page(`/v1/voices/search?page_size=100&model=${model}`, renamed)).items.map(
          (voice) => voice.voice_id,
        );
      expect(await found('older')).toEqual(await found('engine_api_3'));
      expect(await found('Older,sona_speech_1')).toContain(first?.id);
      expect(await found('older')).not.toContain(first?.id);
      expect(await found('oldest')).toEqual([]);
    },
  ],
  [
    'supplement, Search',
    'style: commas mean any, semicolons mean all, both are 400',
    async () => {
      const style = first?.styles.at(-1)?.name;
      expect((await ids(`style=${style},bored`)).length).toBe(25);
      expect((await ids(`style=${style};neutral`)).length).toBe(25);
      expect(await ids(`style=${style};bored`)).toEqual([]);
      await refused('/v1/voices/search?style=happy,sad;calm');
    },
  ],
  [
    'supplement, Search',
    'name and description: every term occurs, in any case and any script',
    async () => {
      expect(await ids('name=NUMBER%2024')).toEqual(['voice-24']);
      expect(await ids('name=24%20num')).toEqual(['voice-24']);
      expect(await ids('name=하늘')).toEqual(['haneul']);
      expect(await ids('name=くら')).toEqual(['sakura']);
      expect(await ids('name=نور')).toEqual(['nur']);
      expect(await ids(`name=${encodeURIComponent('ÉMILE'.normalize('NFD'))}`)).toEqual(['emile']);
      expect(await ids('description=落ち着%20🎙️')).toEqual(['emile']);
      expect(await ids('description=落ち着%20missing')).toEqual([]);
    },
  ],
  [
    'supplement, Search',
    'filters combine with AND; no match is an empty page',
    async () => {
      expect(await ids('age=elder&gender=female&use_case=audiobook')).toEqual(['nur']);
      const empty = await page('/v1/voices/search?age=elder&name=nobody', crowded);
      expect(empty).toEqual({ items: [], total: 0, next_page_token: null });
    },
  ],
  [
    'supplement, Search',
    'found voices come in pages, too',
    async () => {
      const query = '/v1/voices/search?page_size=10&name=number';
      const one = await page(query, crowded);
      const two = await page(`${query}&next_page_token=${one.next_page_token}`, crowded);
      expect([one.total, one.items.length]).toEqual([21, 10]);
      expect(two.items[0]?.voice_id).not.toBe(one.items[0]?.voice_id);
    },
  ],
];

describe.each(rules)('%s', (_section, rule, check) => {
  test(rule, check);
});
