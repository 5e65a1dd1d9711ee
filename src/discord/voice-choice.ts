import type { VoiceSummary } from '../client/voice-pages.ts';
import { checkSpeech, type Speech } from '../contract/speech.ts';
import type { GuildSettings } from '../store/guild-settings.ts';
import type { MemberSettings } from '../store/member-settings.ts';
import { modelFor } from './options.ts';

/** What a member and a guild have chosen to be spoken with. */
export type Chosen = Pick<MemberSettings & GuildSettings, 'voiceId' | 'language' | 'style'>;

/**
 * The voice to speak with: the first of those chosen that is there and has the language, else the
 * first of the catalogue that has it, else the first one.
 *
 * @param voiceIds - in the order of their say: the member's, then the guild's
 */
export function chosenVoice(
  voices: readonly VoiceSummary[],
  language: string | undefined,
  voiceIds: readonly (string | undefined)[],
): VoiceSummary | undefined {
  const speaks = (voice: VoiceSummary) =>
    language === undefined || (voice.language as readonly string[]).includes(language);
  const chosen = voiceIds.flatMap((id) => voices.filter(({ voice_id }) => voice_id === id));
  return chosen.find(speaks) ?? voices.find(speaks) ?? voices[0];
}

/** The first of the chosen styles that the voice has; undefined for the voice's own. */
export function chosenStyle(voice: VoiceSummary, chosen: readonly Chosen[]): string | undefined {
  return chosen
    .map(({ style }) => style)
    .find((style) => style !== undefined && voice.styles.includes(style));
}

/**
 * What is read aloud as a request to speak: in the voice and style that were chosen, as far as they
 * have the language. undefined when no voice can say it.
 *
 * @param chosen - in the order of their say: the member's, then the guild's
 */
export function speechInVoice(
  { text, language }: { text: string; language: string },
  voices: readonly VoiceSummary[],
  chosen: readonly Chosen[],
): { voice: VoiceSummary; speech: Speech } | undefined {
  const ids = chosen.map(({ voiceId }) => voiceId);
  const voice = chosenVoice(voices, language, ids);
  if (!voice) return undefined;
  const style = chosenStyle(voice, chosen);
  const request = { text, language, style, model: modelFor(language, voice) };
  const check = checkSpeech(request, voice, Number.POSITIVE_INFINITY);
  return check.ok ? { voice, speech: check.speech } : undefined;
}
