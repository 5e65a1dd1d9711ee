import { z } from 'zod';
import {
  ClonedVoice,
  CustomVoice,
  CustomVoiceEdit,
  CustomVoiceFilters,
  CustomVoicePage,
  NewVoiceText,
} from '../../contract/custom-voices.ts';
import {
  OutputFormat,
  PredictedDuration,
  SpeechLine,
  SpeechRequest,
  SpeechWithPhonemes,
} from '../../contract/speech.ts';
import {
  CreditBalance,
  UsagePage,
  UsageQuery,
  VoiceUsageQuery,
  VoiceUsages,
} from '../../contract/usage.ts';
import { PageQuery, Voice, VoiceFilters, VoicePage } from '../../contract/voices.ts';
import type { Content, Operation } from './operation.ts';

const WAV: Content = { title: '44,100 Hz, mono, 16 bit' };
const MP3: Content = { title: '128 kbit/s, mono' };
const SPEECH_ERRORS = [400, 401, 402, 403, 404, 408, 429, 500];

function json(schema: z.ZodType): Record<string, Content> {
  return { 'application/json': { schema } };
}

const SPEECH_BODY = { type: 'application/json', schema: SpeechRequest } as const;

const SPEECH_QUERY = z.object({
  output_format: OutputFormat.optional().meta({
    title: 'Output format',
    description: 'The same field in the body wins.',
    examples: ['mp3'],
  }),
});

const VOICE = '/v1/voices/{voice_id}';
const CUSTOM = '/v1/custom-voices';

/** All that the service serves (spec, "Endpoints"; supplement, "Paths"). */
export const OPERATIONS: readonly Operation[] = [
  {
    method: 'post',
    path: '/v1/text-to-speech/{voice_id}',
    id: 'createSpeech',
    tag: 'Speech',
    summary: 'Create speech',
    description: 'Speaks a text. With include_phonemes the answer is JSON, else the audio itself.',
    query: SPEECH_QUERY,
    body: SPEECH_BODY,
    success: {
      status: 200,
      description: 'The whole speech.',
      content: { 'audio/wav': WAV, 'audio/mpeg': MP3, ...json(SpeechWithPhonemes) },
      headers: ['X-Audio-Length'],
    },
    errors: SPEECH_ERRORS,
  },
  {
    method: 'post',
    path: '/v1/text-to-speech/{voice_id}/stream',
    id: 'streamSpeech',
    tag: 'Speech',
    summary: 'Stream speech',
    description:
      'Speaks a text and sends the sound while it is made; its length follows in the trailer X-Audio-Length. With include_phonemes the answer is NDJSON, one object a line.',
    query: SPEECH_QUERY,
    body: SPEECH_BODY,
    success: {
      status: 200,
      description: 'The speech in chunks. A streamed WAV has 0xFFFFFFFF for its sizes.',
      content: {
        'audio/wav': WAV,
        'audio/mpeg': MP3,
        'application/x-ndjson': { schema: SpeechLine },
      },
    },
    errors: SPEECH_ERRORS,
  },
  {
    method: 'post',
    path: '/v1/predict-duration/{voice_id}',
    id: 'predictDuration',
    tag: 'Speech',
    summary: 'Predict duration',
    description: 'How long the speech would be. It costs no credits.',
    query: SPEECH_QUERY,
    body: SPEECH_BODY,
    success: { status: 200, description: 'The length.', content: json(PredictedDuration) },
    errors: [400, 401, 404, 408, 429, 500],
  },
  {
    method: 'get',
    path: '/v1/voices',
    id: 'listVoices',
    tag: 'Voices',
    summary: 'List voices',
    query: PageQuery,
    success: { status: 200, description: 'A page of voices.', content: json(VoicePage) },
    errors: [400, 401, 500],
  },
  {
    method: 'get',
    path: '/v1/voices/search',
    id: 'searchVoices',
    tag: 'Voices',
    summary: 'Search voices',
    description: 'Voices that match all filters; no match is an empty page.',
    query: PageQuery.extend(VoiceFilters.shape),
    success: { status: 200, description: 'A page of voices.', content: json(VoicePage) },
    errors: [400, 401, 500],
  },
  {
    method: 'get',
    path: VOICE,
    id: 'getVoice',
    tag: 'Voices',
    summary: 'Get voice',
    success: { status: 200, description: 'The voice.', content: json(Voice) },
    errors: [401, 404, 500],
  },
  {
    method: 'get',
    path: `${VOICE}/samples/{language}/{style}/{file}`,
    id: 'getSample',
    tag: 'Voices',
    summary: 'Get sample audio',
    description: "A sentence in one language, style and model; see the voice's samples.",
    open: true,
    success: {
      status: 200,
      description: 'The sample.',
      content: { 'audio/wav': WAV },
      headers: ['X-Audio-Length'],
    },
    errors: [404, 408, 429, 500],
  },
  {
    method: 'get',
    path: `${VOICE}/thumbnail.png`,
    id: 'getThumbnail',
    tag: 'Voices',
    summary: 'Get picture',
    open: true,
    success: {
      status: 200,
      description: 'The picture of the voice.',
      content: { 'image/png': { title: '400 × 400 pixels' } },
    },
    errors: [404, 500],
  },
  {
    method: 'post',
    path: `${CUSTOM}/cloned-voice`,
    id: 'createClonedVoice',
    tag: 'Custom voices',
    summary: 'Create cloned voice',
    description:
      'Makes a voice from a sample: one clean speaker, little noise, 5 to 30 seconds. It can speak at once. Not for accounts of the free tier.',
    body: {
      type: 'multipart/form-data',
      schema: z
        .object({
          files: z.string().meta({
            title: 'Sample',
            description: 'WAV or MP3 audio, smaller than 3 MB.',
            contentMediaType: 'application/octet-stream',
          }),
        })
        .extend(NewVoiceText.shape)
        .meta({ title: 'New voice' }),
    },
    success: { status: 200, description: 'The voice is made.', content: json(ClonedVoice) },
    errors: [400, 401, 403, 413, 415, 429, 500],
  },
  {
    method: 'get',
    path: CUSTOM,
    id: 'listCustomVoices',
    tag: 'Custom voices',
    summary: 'List custom voices',
    query: PageQuery,
    success: { status: 200, description: 'A page of voices.', content: json(CustomVoicePage) },
    errors: [400, 401, 500],
  },
  {
    method: 'get',
    path: `${CUSTOM}/search`,
    id: 'searchCustomVoices',
    tag: 'Custom voices',
    summary: 'Search custom voices',
    query: PageQuery.extend(CustomVoiceFilters.shape),
    success: { status: 200, description: 'A page of voices.', content: json(CustomVoicePage) },
    errors: [400, 401, 500],
  },
  {
    method: 'get',
    path: `${CUSTOM}/{voice_id}`,
    id: 'getCustomVoice',
    tag: 'Custom voices',
    summary: 'Get custom voice',
    success: { status: 200, description: 'The voice.', content: json(CustomVoice) },
    errors: [401, 404, 500],
  },
  {
    method: 'patch',
    path: `${CUSTOM}/{voice_id}`,
    id: 'editCustomVoice',
    tag: 'Custom voices',
    summary: 'Edit custom voice',
    description: 'Changes the name, the description, or both.',
    body: { type: 'application/json', schema: CustomVoiceEdit },
    success: { status: 200, description: 'The changed voice.', content: json(CustomVoice) },
    errors: [400, 401, 404, 500],
  },
  {
    method: 'delete',
    path: `${CUSTOM}/{voice_id}`,
    id: 'deleteCustomVoice',
    tag: 'Custom voices',
    summary: 'Delete custom voice',
    success: { status: 204, description: 'The voice is gone.' },
    errors: [401, 404, 500],
  },
  {
    method: 'get',
    path: '/v1/credits',
    id: 'getCredits',
    tag: 'Account',
    summary: 'Credit balance',
    description: 'One credit is one second of speech.',
    success: { status: 200, description: 'The balance.', content: json(CreditBalance) },
    errors: [401, 500],
  },
  {
    method: 'get',
    path: '/v1/voice-usage',
    id: 'getVoiceUsage',
    tag: 'Account',
    summary: 'Usage per voice and day',
    query: VoiceUsageQuery,
    success: { status: 200, description: 'The usage.', content: json(VoiceUsages) },
    errors: [400, 401, 500],
  },
  {
    method: 'get',
    path: '/v1/usage',
    id: 'getUsage',
    tag: 'Account',
    summary: 'Usage analytics',
    query: UsageQuery,
    success: { status: 200, description: 'A page of buckets.', content: json(UsagePage) },
    errors: [400, 401, 500],
  },
  {
    method: 'get',
    path: '/healthz',
    id: 'getHealth',
    tag: 'Service',
    summary: 'Health',
    open: true,
    success: {
      status: 200,
      description: 'The service answers.',
      content: json(
        z.object({ status: z.literal('ok').meta({ title: 'Status', examples: ['ok'] }) }),
      ),
    },
    errors: [],
  },
];
