import type { z } from 'zod';

/** What a caller finds in an answer. */
export interface Content {
  /** Schema of JSON, or undefined for bytes. */
  schema?: z.ZodType;
  /** What the bytes are. */
  title?: string;
}

/** One operation of the interface, as it is described to its callers. */
export interface Operation {
  method: 'get' | 'post' | 'patch' | 'delete';
  /** With its parameters in braces. */
  path: string;
  /** Name of the operation in generated clients. */
  id: string;
  tag: Tag;
  summary: string;
  description?: string;
  /** An operation that takes no API key. */
  open?: true;
  query?: z.ZodObject;
  body?: { type: 'application/json' | 'multipart/form-data'; schema: z.ZodType };
  success: {
    status: 200 | 204;
    description: string;
    /** By content type. */
    content?: Readonly<Record<string, Content>>;
    headers?: readonly HeaderName[];
  };
  errors: readonly number[];
}

/** Groups of operations, in the order in which they are shown. */
export const TAGS = {
  Speech: 'Speech from text, whole or while it is made.',
  Voices: 'The voices that everybody has.',
  'Custom voices': 'Voices that an account made from samples; for everybody else they are 404.',
  Account: 'Credits and usage of the account that the API key belongs to.',
  Service: 'The service itself.',
} as const;

export type Tag = keyof typeof TAGS;

/** Headers of answers. */
export const HEADERS = {
  'X-Audio-Length': {
    description: 'Length of the decoded sound. Unit: seconds, to the millisecond.',
    schema: { type: 'number', title: 'Length of the sound', examples: [3.42] },
  },
  'Retry-After': {
    description: 'When it is worth trying again. Unit: seconds.',
    schema: { type: 'integer', title: 'Time to wait', examples: [1] },
  },
} as const;

export type HeaderName = keyof typeof HEADERS;

/** Parameters of paths. */
export const PATH_PARAMETERS = {
  voice_id: {
    description: 'Identifies one voice, as the lists of voices give it.',
    schema: { type: 'string', title: 'Voice id', examples: ['aria'] },
  },
  language: {
    description: 'Code of the language.',
    schema: { type: 'string', title: 'Language', examples: ['en'] },
  },
  style: {
    description: "One of the voice's styles.",
    schema: { type: 'string', title: 'Style', examples: ['neutral'] },
  },
  file: {
    description: 'The model, with .wav behind it.',
    schema: { type: 'string', title: 'File', examples: ['sona_speech_1.wav'] },
  },
} as const;

/** What each status of an error means to a caller, and a message that comes with it. */
export const ERRORS: Readonly<Record<number, { description: string; message: string }>> = {
  400: {
    description:
      'The body, a header or a parameter is not valid; the message names all that is wrong.',
    message: 'language "fr" is not available for this model; use one of: en, ko, ja.',
  },
  401: { description: 'The API key is missing or invalid.', message: 'Invalid API key' },
  402: {
    description: 'The predicted length of the speech is above the balance.',
    message: 'Not enough credits',
  },
  403: { description: 'The account may not do this.', message: 'Permission denied' },
  404: { description: 'There is no such voice for this account.', message: 'Voice not found' },
  408: { description: 'The speech was not ready in time.', message: 'Request timed out' },
  413: {
    description: 'The audio file has 3 MB (3,145,728 bytes) or more.',
    message: 'The audio file must be smaller than 3 MB.',
  },
  415: {
    description: 'The file is neither WAV nor MP3, judged by its bytes.',
    message: 'Supported formats are WAV and MP3; the file is image/png.',
  },
  429: {
    description: 'Too many requests, or too many speeches waiting; see Retry-After.',
    message: 'Too many requests: try again in 1 s.',
  },
  500: { description: 'The service failed; its log says why.', message: 'Internal error' },
};
