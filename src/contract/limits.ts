/** Code points of `text` and of `normalized_text` in one speech request (spec, "Limits"; supplement, "Speech"). */
export const MAX_TEXT_LENGTH = 300;

/** Voices on a page (supplement, "Shapes"). */
export const PAGE_SIZE = { minimum: 10, maximum: 100, default: 20 } as const;

/** Sound of every answer: mono, 16 bit (supplement, "Speech"). */
export const SAMPLE_RATE = 44_100;

/** Bit rate of MP3 answers in kbit/s, mono (supplement, "Speech"). */
export const MP3_KBITS = 128;

/** The version of the interface (spec, "Versioning"). */
export const INTERFACE_VERSION = '0.9.6';

/** The header that carries the API key (spec, "Authentication"). */
export const API_KEY_HEADER = 'x-sup-api-key';

/** The header, or the trailer of a stream, that carries the seconds of sound (spec, "Response 200"). */
export const AUDIO_LENGTH_HEADER = 'x-audio-length';

/** Length of a text in Unicode code points, which is how the interface counts (supplement, "Speech"). */
export function textLength(text: string): number {
  let length = 0;
  for (const _ of text) length += 1;
  return length;
}

/** Code points of a custom voice's name (spec, "Limits"). */
export const MAX_VOICE_NAME_LENGTH = 100;

/** Code points of a custom voice's description: free-form text, but not without end (ours). */
export const MAX_VOICE_DESCRIPTION_LENGTH = 2_000;

/** A sample for cloning has fewer bytes than this (supplement, "Errors"). */
export const SAMPLE_BYTES_LIMIT = 3 * 1024 * 1024;
