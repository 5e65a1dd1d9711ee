import { z } from 'zod';
import { Language } from './languages.ts';
import { PAGE_SIZE } from './limits.ts';
import { Model } from './models.ts';

/** Playable speech of a voice in one language, style and model (spec, "Sample"). */
export const Sample = z
  .object({
    language: Language,
    style: z.string().meta({ title: 'Style', examples: ['neutral'] }),
    model: Model,
    url: z.url().meta({
      title: 'Address of the sample audio',
      description: 'Plays without an API key.',
      examples: ['http://127.0.0.1:8600/v1/voices/aria/samples/en/neutral/sona_speech_1.wav'],
    }),
  })
  .meta({ id: 'Sample', title: 'Sample' });

export type Sample = z.infer<typeof Sample>;

/** A preset voice (spec, "Voice"; supplement, "Shapes"). Optional fields without a value are left out. */
export const Voice = z
  .object({
    voice_id: z.string().meta({ title: 'Voice id', examples: ['aria'] }),
    name: z.string().meta({ title: 'Character name', examples: ['Aria'] }),
    description: z.string().meta({ title: 'Description', description: 'May be an empty string.' }),
    age: z.string().meta({ title: 'Age', examples: ['young-adult'] }),
    gender: z.string().meta({ title: 'Gender', examples: ['female'] }),
    use_case: z.string().meta({ title: 'Use', description: 'The first element of use_cases.' }),
    use_cases: z.array(z.string()).meta({ title: 'Uses', examples: [['narration']] }),
    language: z.array(Language).meta({ title: 'Languages', examples: [['en', 'ko']] }),
    styles: z.array(z.string()).meta({
      title: 'Styles',
      description: 'The first one is the default.',
      examples: [['neutral', 'happy']],
    }),
    models: z.array(Model).meta({ title: 'Models', examples: [['sona_speech_1']] }),
    samples: z.array(Sample).meta({
      title: 'Samples',
      description: 'One entry for each language, style and model that go together.',
    }),
    thumbnail_image_url: z
      .url()
      .optional()
      .meta({
        title: 'Address of the picture',
        description: '400 × 400 pixels; shows without an API key.',
        examples: ['http://127.0.0.1:8600/v1/voices/aria/thumbnail.png'],
      }),
  })
  .meta({ id: 'Voice', title: 'Voice' });

export type Voice = z.infer<typeof Voice>;

/** A page of voices (supplement, "Page of voices"). */
export const VoicePage = z
  .object({
    items: z.array(Voice).meta({ title: 'Voices', description: 'Those of this page.' }),
    total: z.int().nonnegative().meta({ title: 'Total', description: 'Voices on all pages.' }),
    next_page_token: z
      .string()
      .nullable()
      .meta({ title: 'Token of the next page', description: 'null on the last page.' }),
  })
  .meta({ id: 'VoicePage', title: 'Page of voices' });

export type VoicePage = z.infer<typeof VoicePage>;

/** Query of every listing of voices (supplement, "Page of voices"). */
export const PageQuery = z.object({
  page_size: z.coerce
    .number()
    .int()
    .min(PAGE_SIZE.minimum)
    .max(PAGE_SIZE.maximum)
    .default(PAGE_SIZE.default)
    .meta({ title: 'Page size', description: 'Voices a page.' }),
  next_page_token: z.string().min(1, 'must not be empty').optional().meta({
    title: 'Token from the page before',
    description: 'Without it the first page is given.',
  }),
});

export type PageQuery = z.infer<typeof PageQuery>;

/** Filters of a voice search, all of which must match (supplement, "Search"). */
export const VoiceFilters = z.object({
  language: z
    .string()
    .optional()
    .meta({ title: 'Languages', description: 'Comma-separated; any.' }),
  gender: z.string().optional().meta({ title: 'Genders', description: 'Comma-separated; any.' }),
  age: z.string().optional().meta({ title: 'Ages', description: 'Comma-separated; any.' }),
  use_case: z.string().optional().meta({ title: 'Uses', description: 'Comma-separated; any.' }),
  use_cases: z.string().optional().meta({ title: 'Uses', description: 'Comma-separated; any.' }),
  model: z.string().optional().meta({ title: 'Models', description: 'Comma-separated; any.' }),
  style: z
    .string()
    .refine((value) => !(value.includes(',') && value.includes(';')), {
      error: 'commas mean any, semicolons mean all; one value cannot have both',
    })
    .optional()
    .meta({ title: 'Styles', description: 'Commas mean any, semicolons mean all.' }),
  name: z
    .string()
    .optional()
    .meta({ title: 'Name', description: 'Terms, all of which must occur.' }),
  description: z
    .string()
    .optional()
    .meta({ title: 'Description', description: 'Terms, all of which must occur.' }),
});

export type VoiceFilters = z.infer<typeof VoiceFilters>;
