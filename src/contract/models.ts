import { z } from 'zod';
import { LANGUAGES, type Language } from './languages.ts';
import type { SettingName } from './settings.ts';

interface ModelRules {
  /** Languages that the model speaks (spec, "Languages per model"). */
  languages: readonly Language[];
  /** Settings that take effect; the others are ignored without an error (spec, "Support per model"). */
  settings: readonly SettingName[];
  /** Whether `normalized_text` is what the model speaks (spec, "POST /v1/text-to-speech/{voice_id}"). */
  normalizedText: boolean;
}

const SONA_2_LANGUAGES = [
  'en',
  'ko',
  'ja',
  'bg',
  'cs',
  'da',
  'el',
  'es',
  'et',
  'fi',
  'hu',
  'it',
  'nl',
  'pl',
  'pt',
  'ro',
  'ar',
  'de',
  'fr',
  'hi',
  'id',
  'ru',
  'vi',
] as const;

export const MODELS = {
  sona_speech_1: {
    languages: ['en', 'ko', 'ja'],
    settings: [
      'pitch_shift',
      'pitch_variance',
      'speed',
      'duration',
      'similarity',
      'text_guidance',
      'subharmonic_amplitude_control',
    ],
    normalizedText: false,
  },
  sona_speech_2: {
    languages: SONA_2_LANGUAGES,
    settings: ['pitch_shift', 'pitch_variance', 'speed', 'duration', 'similarity', 'text_guidance'],
    normalizedText: true,
  },
  sona_speech_2_flash: {
    languages: SONA_2_LANGUAGES,
    settings: ['pitch_shift', 'pitch_variance', 'speed', 'duration'],
    normalizedText: true,
  },
  engine_api_1: {
    languages: ['en', 'ko', 'ja', 'es', 'pt'],
    settings: ['speed'],
    normalizedText: false,
  },
  engine_api_3: {
    languages: LANGUAGES,
    settings: ['speed'],
    normalizedText: false,
  },
} as const satisfies Record<string, ModelRules>;

export type Model = keyof typeof MODELS;

export const MODEL_NAMES = Object.keys(MODELS) as [Model, ...Model[]];

/** What a request without `model` gets (spec, "POST /v1/text-to-speech/{voice_id}"). */
export const DEFAULT_MODEL: Model = 'sona_speech_1';

export const Model = z
  .enum(MODEL_NAMES)
  .meta({ title: 'Model', description: 'The speech model.', examples: [DEFAULT_MODEL] });

export function modelSpeaks(model: Model, language: Language): boolean {
  return (MODELS[model].languages as readonly Language[]).includes(language);
}

export function modelSupports(model: Model, setting: SettingName): boolean {
  return (MODELS[model].settings as readonly SettingName[]).includes(setting);
}
