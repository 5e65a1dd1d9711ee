import { z } from 'zod';

/** The codes that the interface knows: the union of the lists of all models (spec, "Languages per model"). */
export const LANGUAGES = [
  'en',
  'ko',
  'ja',
  'ar',
  'bg',
  'cs',
  'da',
  'de',
  'el',
  'es',
  'et',
  'fi',
  'fr',
  'hi',
  'hr',
  'hu',
  'id',
  'it',
  'lt',
  'lv',
  'nl',
  'pl',
  'pt',
  'ro',
  'ru',
  'sk',
  'sl',
  'sv',
  'tr',
  'uk',
  'vi',
] as const;

export const Language = z
  .enum(LANGUAGES)
  .meta({ title: 'Language', description: 'ISO 639-1 code of the language.', examples: ['en'] });

export type Language = z.infer<typeof Language>;
