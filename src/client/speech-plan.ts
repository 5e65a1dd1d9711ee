import { DEFAULT_MODEL, MODELS } from '../contract/models.ts';
import { effectiveSettings, finishedSeconds } from '../contract/settings.ts';
import type { SpeechRequest } from '../contract/speech.ts';
import { type Break, splitText } from './split.ts';

/** One request of a long speech. */
export interface PlannedPart {
  request: SpeechRequest;
  /** Samples of silence before it, when `sent` samples of the speech went before at this rate. */
  silence(sampleRate: number, sent: number): number;
}

/** Seconds of silence after a part at normal speed, added to what the parts end with themselves. */
const PAUSES: Readonly<Record<Break | 'text', number>> = {
  paragraph: 0.6,
  sentence: 0.3,
  clause: 0.12,
  word: 0,
  inWord: 0,
  text: 0,
};

/** Even a part without a sound, such as "…", needs a duration: none at all means "by nature". */
const SHORTEST_SECONDS = 0.05;

/**
 * Divides a request of any length into requests of one part each, and says how long to pause
 * between them. A `duration` is shared out by the lengths that the parts have by nature, pauses
 * included, so that the whole lasts what it would have lasted in one request, to a sample.
 *
 * @param predict - seconds that a request would last
 * @see supplement, "duration and speed"
 */
export async function planSpeech(
  request: SpeechRequest,
  predict: (request: SpeechRequest) => Promise<number>,
): Promise<PlannedPart[]> {
  const model = request.model ?? DEFAULT_MODEL;
  const settings = effectiveSettings(model, request.voice_settings);
  const { normalized_text: normalized, ...rest } = request;
  const usesNormalized = MODELS[model].normalizedText && normalized !== undefined;
  const source = usesNormalized ? normalized : request.text;

  const parts = splitText(source, request.language).map(({ text, end }) => ({
    pause: PAUSES[end],
    request: { ...rest, text, ...(usesNormalized && { normalized_text: text }) },
  }));
  if (parts.length <= 1) return parts.map((part) => ({ request: part.request, silence: () => 0 }));

  if (settings.duration === 0) {
    return parts.map((part, index) => {
      const pause = (parts[index - 1]?.pause ?? 0) / settings.speed;
      return { request: part.request, silence: (rate) => Math.round(pause * rate) };
    });
  }

  const lengths = await Promise.all(
    parts.map(async (part) => {
      const voice_settings = { ...request.voice_settings, duration: 0, speed: 1 };
      const seconds = await predict({ ...part.request, voice_settings });
      return Math.max(SHORTEST_SECONDS, seconds);
    }),
  );
  const natural = parts.reduce((sum, part, index) => sum + part.pause + (lengths[index] ?? 0), 0);
  const scale = finishedSeconds(natural, settings) / natural;
  let begins = 0;
  return parts.map((part, index) => {
    const length = (lengths[index] ?? 0) * scale;
    const start = begins;
    begins += length + part.pause * scale;
    const voice_settings = { ...request.voice_settings, duration: length / settings.speed };
    return {
      request: { ...part.request, voice_settings },
      // Counted from the start of the whole, so that roundings do not add up.
      silence: (rate, sent) => Math.max(0, Math.round(start * rate) - sent),
    };
  });
}
