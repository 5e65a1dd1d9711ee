import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decodeWav } from '../../../../src/audio/wav.ts';
import { LANGUAGES, type Language } from '../../../../src/contract/languages.ts';
import { SAMPLE_RATE } from '../../../../src/contract/limits.ts';
import type { SettingName } from '../../../../src/contract/settings.ts';
import { createEngine } from '../../../../src/engine/builtin.ts';
import type { Engine } from '../../../../src/engine/engine.ts';
import { SAMPLE_SENTENCES } from '../../../../src/service/sample-sentences.ts';
import { f0Range, medianF0, rms } from '../../../helpers/measure.ts';
import { startService, type TestService } from '../service.ts';

let engine: Engine;
let service: TestService;

const SPEECH = '/v1/text-to-speech/aria';

beforeAll(async () => {
  engine = createEngine({ workers: 1 });
  service = await startService(engine);
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await engine?.close();
});

const SONA_2 =
  'en, ko, ja, bg, cs, da, el, es, et, fi, hu, it, nl, pl, pt, ro, ar, de, fr, hi, id, ru, vi';

/** The table of the specification, "Languages per model", as it stands there. */
const SPOKEN = {
  sona_speech_1: 'en, ko, ja',
  sona_speech_2: SONA_2,
  sona_speech_2_flash: SONA_2,
  engine_api_1: 'en, ko, ja, es, pt',
  engine_api_3:
    'en, ko, ja, ar, bg, cs, da, de, el, es, et, fi, fr, hi, hr, hu, id, it, lt, lv, nl, pl, pt, ro, ru, sk, sl, sv, tr, uk, vi',
} as const;

type Model = keyof typeof SPOKEN;

const MODELS = Object.keys(SPOKEN) as Model[];

describe('spec, Languages per model', () => {
  const walked: string[] = [];

  describe.each(MODELS)('%s', (model) => {
    const allowed = SPOKEN[model].split(', ');

    test.each(LANGUAGES.filter((language) => allowed.includes(language)))(
      'speaks %s',
      async (language) => {
        const answer = await ask({ model, language });
        expect(answer.status).toBe(200);
        const { samples } = decodeWav(answer.bytes);
        expect(samples.length / SAMPLE_RATE).toBeGreaterThan(1);
        expect(rms(samples)).toBeGreaterThan(100);
        walked.push(`${model} ${language}`);
      },
    );

    const refused = LANGUAGES.filter((language) => !allowed.includes(language));
    // engine_api_3 has them all.
    if (refused.length === 0) return;
    test('refuses all others and names those it has', async () => {
      for (const language of refused) {
        const { status, json } = await ask({ model, language });
        expect([language, status]).toEqual([language, 400]);
        expect((json() as { message: string }).message).toContain(SPOKEN[model]);
        walked.push(`${model} ${language}`);
      }
    });
  });

  test('the matrix of 5 × 31 was walked in full', () => {
    expect(new Set(walked).size).toBe(5 * 31);
  });

  function ask({ model, language }: { model: Model; language: Language }) {
    return service.call(SPEECH, { body: { text: SAMPLE_SENTENCES[language], language, model } });
  }
});

/** The table of the specification, "Support per model". */
const SUPPORT: Readonly<Record<SettingName, readonly Model[]>> = {
  pitch_shift: ['sona_speech_1', 'sona_speech_2', 'sona_speech_2_flash'],
  pitch_variance: ['sona_speech_1', 'sona_speech_2', 'sona_speech_2_flash'],
  duration: ['sona_speech_1', 'sona_speech_2', 'sona_speech_2_flash'],
  speed: MODELS,
  similarity: ['sona_speech_1', 'sona_speech_2'],
  text_guidance: ['sona_speech_1', 'sona_speech_2'],
  subharmonic_amplitude_control: ['sona_speech_1'],
};

/** Ranges of the specification, "Voice settings". */
const ENDS: Readonly<Record<SettingName, readonly number[]>> = {
  pitch_shift: [-24, 24],
  pitch_variance: [0, 2],
  speed: [0.5, 2],
  duration: [0, 60],
  similarity: [1, 5],
  text_guidance: [0, 4],
  subharmonic_amplitude_control: [0, 2],
};

/** A value for each setting, and what it does to the sound, which is given with the plain one. */
const EFFECTS: Partial<
  Record<SettingName, { value: number; effect(sound: Int16Array, plain: Int16Array): void }>
> = {
  pitch_shift: {
    value: 7,
    effect(sound, plain) {
      const [shifted, own] = [medianF0(sound, SAMPLE_RATE), medianF0(plain, SAMPLE_RATE)];
      expect(Math.abs(12 * Math.log2(shifted / own) - 7)).toBeLessThan(1);
    },
  },
  pitch_variance: {
    value: 0,
    effect(sound, plain) {
      expect(f0Range(sound, SAMPLE_RATE)).toBeLessThan(f0Range(plain, SAMPLE_RATE) / 2);
    },
  },
  speed: {
    value: 0.5,
    effect(sound, plain) {
      expect(sound.length / plain.length).toBeCloseTo(2, 1);
    },
  },
  duration: {
    value: 4,
    effect(sound) {
      expect(sound.length).toBe(4 * SAMPLE_RATE);
    },
  },
};

const SETTINGS = Object.keys(SUPPORT) as SettingName[];

describe('spec, Support per model', () => {
  const body = { text: 'Is the meeting at ten, or at eleven? I am not sure.', language: 'en' };

  async function speak(fields: object): Promise<Buffer> {
    const { status, bytes } = await service.call(SPEECH, { body: { ...body, ...fields } });
    expect(status).toBe(200);
    return bytes;
  }

  describe.each(MODELS)('%s', (model) => {
    const supported = SETTINGS.filter((name) => SUPPORT[name].includes(model));

    test.each(supported.filter((name) => EFFECTS[name]))('%s takes effect', async (name) => {
      const { value = 0, effect } = EFFECTS[name] ?? {};
      const sound = decodeWav(await speak({ model, voice_settings: { [name]: value } }));
      effect?.(sound.samples, decodeWav(await speak({ model })).samples);
    });

    test.each(supported)('%s is taken at both ends of its range', async (name) => {
      for (const value of ENDS[name]) {
        const { samples } = decodeWav(await speak({ model, voice_settings: { [name]: value } }));
        expect(rms(samples)).toBeGreaterThan(100);
      }
    });

    const ignored = SETTINGS.filter((name) => !supported.includes(name));
    test.runIf(ignored.length > 0).each(ignored)('%s is ignored without an error', async (name) => {
      const plain = await speak({ model });
      for (const value of ENDS[name]) {
        // The very same sound: the service knows that nothing differs.
        const sound = await speak({ model, voice_settings: { [name]: value } });
        expect(sound.equals(plain)).toBe(true);
      }
    });
  });
});
