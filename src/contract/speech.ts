import { z } from 'zod';
import type { Fault } from './faults.ts';
import { faultsOf } from './faults.ts';
import { Language } from './languages.ts';
import { MAX_TEXT_LENGTH, textLength } from './limits.ts';
import { DEFAULT_MODEL, MODELS, Model } from './models.ts';
import { VoiceSettings } from './settings.ts';
import type { Voice } from './voices.ts';

export const OUTPUT_FORMATS = ['wav', 'mp3'] as const;

export const OutputFormat = z
  .enum(OUTPUT_FORMATS)
  .meta({ title: 'Output format', description: 'Format of the audio.', examples: ['wav'] });

export type OutputFormat = z.infer<typeof OutputFormat>;

/** Body of create speech, stream speech and predict duration (spec, "POST /v1/text-to-speech/{voice_id}"). */
export const SpeechRequest = z
  .object({
    text: z.string().meta({
      title: 'Text',
      description: `1 to ${MAX_TEXT_LENGTH} Unicode code points.`,
      examples: ['Hello, team!'],
    }),
    language: Language,
    style: z
      .string()
      .optional()
      .meta({
        title: 'Style',
        description: "Default: the first of the voice's styles.",
        examples: ['happy'],
      }),
    model: Model.default(DEFAULT_MODEL),
    output_format: OutputFormat.default('wav'),
    voice_settings: VoiceSettings.optional(),
    include_phonemes: z
      .boolean()
      .default(false)
      .meta({
        title: 'Include phonemes',
        description: 'Answer with JSON: base64 audio and phoneme times.',
        examples: [false],
      }),
    normalized_text: z
      .string()
      .optional()
      .meta({
        title: 'Normalized text',
        description:
          'What is spoken instead of text by the models that know it (chiefly for Japanese).',
        examples: ['かいぎは じゅっぷんごです。'],
      }),
  })
  .meta({ id: 'SpeechRequest', title: 'Speech request' });

/** A request as a client sends it: fields with a default may be left out. */
export type SpeechRequest = z.input<typeof SpeechRequest>;

/** A checked request: defaults filled in, the style named. */
export type Speech = z.output<typeof SpeechRequest> & { style: string };

/** What a voice can do, as far as a request has to fit it. Custom voices have it as presets do. */
export type VoiceAbilities = Pick<Voice, 'language' | 'styles' | 'models'>;

export type SpeechCheck = { ok: true; speech: Speech } | { ok: false; faults: Fault[] };

/**
 * Checks a speech request against the tables and the voice that is to speak it. The bot checks
 * `/say` with it before it asks, the service every request: what one accepts, the other does.
 *
 * @param request - the body as it came
 * @param voice - what the voice of the path can do
 * @param maxTextLength - code points allowed; a client that splits long texts allows more than the service
 * @see spec, "POST /v1/text-to-speech/{voice_id}"; supplement, "Speech"
 */
export function checkSpeech(
  request: unknown,
  voice: VoiceAbilities,
  maxTextLength: number = MAX_TEXT_LENGTH,
): SpeechCheck {
  const parsed = SpeechRequest.safeParse(request);
  if (!parsed.success) return { ok: false, faults: faultsOf(parsed.error, request) };

  const speech = parsed.data;
  const style = speech.style ?? voice.styles[0] ?? 'neutral';
  const faults: Fault[] = [];
  for (const field of ['text', 'normalized_text'] as const) {
    const text = speech[field];
    if (text === undefined) continue;
    const length = textLength(text);
    if (text.trim() === '') faults.push({ field, problem: 'blank' });
    else if (length > maxTextLength) {
      faults.push({ field, problem: 'too_long', length, maximum: maxTextLength });
    }
  }
  const notAllowed = (
    field: string,
    given: string,
    allowed: readonly string[],
    allowedBy: 'model' | 'voice',
  ) => {
    if (!allowed.includes(given)) {
      faults.push({ field, problem: 'not_allowed', given, allowed, allowedBy });
    }
  };
  notAllowed('model', speech.model, voice.models, 'voice');
  notAllowed('language', speech.language, MODELS[speech.model].languages, 'model');
  notAllowed('language', speech.language, voice.language, 'voice');
  notAllowed('style', style, voice.styles, 'voice');
  return faults.length > 0 ? { ok: false, faults } : { ok: true, speech: { ...speech, style } };
}

/** The text that is spoken (spec, "normalized_text"). */
export function spokenText(speech: Speech): string {
  const { normalizedText } = MODELS[speech.model];
  return (normalizedText ? speech.normalized_text : undefined) ?? speech.text;
}

/** Phonemes of an answer: three arrays of equal length (spec, "Phoneme data"; supplement, "Phonemes"). */
export const PhonemeData = z
  .object({
    symbols: z.array(z.string()).meta({
      title: 'IPA symbols',
      description: 'Empty for silence.',
      examples: [['', 'h', 'a', 'ɪ', '']],
    }),
    start_times_seconds: z.array(z.number()).meta({
      title: 'Start times',
      description: 'Unit: seconds.',
      examples: [[0, 0.1, 0.16, 0.24, 0.33]],
    }),
    durations_seconds: z.array(z.number()).meta({
      title: 'Durations',
      description: 'Unit: seconds.',
      examples: [[0.1, 0.06, 0.08, 0.09, 0.05]],
    }),
  })
  .meta({
    id: 'PhonemeData',
    title: 'Phoneme data',
    description: 'Three arrays of equal length that correspond index by index.',
  });

export type PhonemeData = z.infer<typeof PhonemeData>;

/** Answer of create speech with `include_phonemes` (spec, "Response 200"). */
export const SpeechWithPhonemes = z
  .object({
    audio_base64: z.base64().meta({ title: 'Audio', description: 'The whole file, in base64.' }),
    phonemes: PhonemeData,
  })
  .meta({ id: 'SpeechWithPhonemes', title: 'Speech with phonemes' });

export type SpeechWithPhonemes = z.infer<typeof SpeechWithPhonemes>;

/** One line of a stream with `include_phonemes`: exactly one of the two is null (supplement, "Streaming"). */
export const SpeechLine = z
  .object({
    audio_base64: z
      .base64()
      .nullable()
      .meta({ title: 'Audio', description: 'The next bytes of the file, in base64, or null.' }),
    phonemes: PhonemeData.nullable().meta({
      title: 'Phonemes',
      description: 'The next phonemes, or null. Times count from the start of the whole audio.',
    }),
  })
  .meta({ id: 'SpeechLine', title: 'Line of a speech stream' });

export type SpeechLine = z.infer<typeof SpeechLine>;

/** Answer of predict duration (spec, "POST /v1/predict-duration/{voice_id}"). */
export const PredictedDuration = z
  .object({
    duration: z
      .number()
      .nonnegative()
      .meta({ title: 'Duration', description: 'Unit: seconds.', examples: [3.42] }),
  })
  .meta({ id: 'PredictedDuration', title: 'Predicted duration' });

export type PredictedDuration = z.infer<typeof PredictedDuration>;
