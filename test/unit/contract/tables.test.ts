import { describe, expect, it } from 'vitest';
import { LANGUAGES } from '../../../src/contract/languages.ts';
import { MODELS, type Model, modelSpeaks, modelSupports } from '../../../src/contract/models.ts';
import {
  DEFAULT_SETTINGS,
  effectiveSettings,
  finishedSeconds,
  ignoredSettings,
  SETTING_NAMES,
  SETTINGS,
  type SettingName,
} from '../../../src/contract/settings.ts';

const SONA_2 =
  'en, ko, ja, bg, cs, da, el, es, et, fi, hu, it, nl, pl, pt, ro, ar, de, fr, hi, id, ru, vi';

/** Spec, "Languages per model". */
const SPOKEN: Record<Model, string> = {
  sona_speech_2: SONA_2,
  sona_speech_2_flash: SONA_2,
  engine_api_3:
    'en, ko, ja, ar, bg, cs, da, de, el, es, et, fi, fr, hi, hr, hu, id, it, lt, lv, nl, pl, pt, ro, ru, sk, sl, sv, tr, uk, vi',
  engine_api_1: 'en, ko, ja, es, pt',
  sona_speech_1: 'en, ko, ja',
};

/** Spec, "Support per model": columns in the order of SPOKEN. */
const SUPPORT: Record<SettingName, string> = {
  pitch_shift: 'yes yes no no yes',
  pitch_variance: 'yes yes no no yes',
  duration: 'yes yes no no yes',
  speed: 'yes yes yes yes yes',
  similarity: 'yes no no no yes',
  text_guidance: 'yes no no no yes',
  subharmonic_amplitude_control: 'no no no no yes',
};

/** Spec, "Voice settings": minimum, maximum, default. */
const RANGES: Record<SettingName, [number, number, number]> = {
  pitch_shift: [-24, 24, 0],
  pitch_variance: [0, 2, 1],
  speed: [0.5, 2, 1],
  duration: [0, 60, 0],
  similarity: [1, 5, 3],
  text_guidance: [0, 4, 1],
  subharmonic_amplitude_control: [0, 2, 1],
};

const MODEL_NAMES = Object.keys(SPOKEN) as Model[];

describe('the tables of the specification', () => {
  it('know 5 models, 31 languages and 7 settings', () => {
    expect(Object.keys(MODELS).toSorted()).toEqual(MODEL_NAMES.toSorted());
    expect(new Set(LANGUAGES).size).toBe(31);
    expect(SETTING_NAMES.toSorted()).toEqual(Object.keys(RANGES).toSorted());
  });

  it.each(MODEL_NAMES)('%s speaks its languages and no other', (model) => {
    const spoken = LANGUAGES.filter((language) => modelSpeaks(model, language));
    expect(spoken.toSorted()).toEqual(SPOKEN[model].split(', ').toSorted());
  });

  it.each(SETTING_NAMES)('%s takes effect in its models, in its range', (name) => {
    const supported = MODEL_NAMES.map((model) => (modelSupports(model, name) ? 'yes' : 'no'));
    expect(supported.join(' ')).toBe(SUPPORT[name]);
    const { minimum, maximum, default: value } = SETTINGS[name];
    expect([minimum, maximum, value]).toEqual(RANGES[name]);
  });
});

describe('settings that a model does not support', () => {
  const asked = { pitch_shift: 5, speed: 2, similarity: 3, subharmonic_amplitude_control: 2 };

  it('are left at their default', () => {
    expect(effectiveSettings('engine_api_3', asked)).toEqual({ ...DEFAULT_SETTINGS, speed: 2 });
    expect(effectiveSettings('sona_speech_1', asked)).toEqual({ ...DEFAULT_SETTINGS, ...asked });
  });

  it('are named when they were changed, and only then', () => {
    expect(ignoredSettings('engine_api_3', asked)).toEqual([
      'pitch_shift',
      'subharmonic_amplitude_control',
    ]);
    expect(ignoredSettings('sona_speech_1', asked)).toEqual([]);
  });
});

describe('the length of speech (supplement, "duration and speed")', () => {
  it.each([
    ['natural length', 4, 0, 1, 4],
    ['speed 2 halves it', 4, 0, 2, 2],
    ['speed 0.5 doubles it', 4, 0, 0.5, 8],
    ['a duration sets it', 4, 5, 1, 5],
    ['duration 5 with speed 2 is 10 s', 4, 5, 2, 10],
  ])('%s', (_, natural, duration, speed, seconds) => {
    expect(finishedSeconds(natural, { duration, speed })).toBe(seconds);
  });
});
