import { type APIApplicationCommandBasicOption, ApplicationCommandOptionType } from 'discord.js';
import type { VoiceSummary } from '../client/voice-pages.ts';
import { LANGUAGES } from '../contract/languages.ts';
import { textLength } from '../contract/limits.ts';
import { DEFAULT_MODEL, MODEL_NAMES, MODELS, type Model } from '../contract/models.ts';
import {
  SETTING_NAMES,
  SETTINGS,
  type SettingName,
  type VoiceSettings,
} from '../contract/settings.ts';
import type { Choice } from './command.ts';
import { findLanguage, languageName, languageOf } from './language.ts';
import { cut } from './reading.ts';

/** What the voice settings are called as options of a command: short words for a small screen. */
export const SETTING_OPTIONS = {
  pitch_shift: 'pitch',
  pitch_variance: 'variance',
  speed: 'speed',
  duration: 'duration',
  similarity: 'similarity',
  text_guidance: 'guidance',
  subharmonic_amplitude_control: 'subharmonics',
} as const satisfies Record<SettingName, string>;

const SETTING_DESCRIPTIONS: Record<SettingName, string> = {
  pitch_shift: 'Higher or lower, in semitones',
  pitch_variance: 'Melody: 0 flat, 1 natural, 2 rich',
  speed: 'Slower or faster: 0.5 half, 2 double',
  duration: 'Fit into this many seconds; with a speed it lasts duration × speed',
  similarity: 'How closely to keep to the character of the voice',
  text_guidance: 'How strongly the text shapes the delivery',
  subharmonic_amplitude_control: 'How much creak there is in the voice',
};

/** The options of a command for the voice settings; their ranges are the contract's. */
export function settingOptions(): APIApplicationCommandBasicOption[] {
  return SETTING_NAMES.map((name) => ({
    type: ApplicationCommandOptionType.Number,
    name: SETTING_OPTIONS[name],
    description: `${SETTING_DESCRIPTIONS[name]} (${SETTINGS[name].minimum} to ${SETTINGS[name].maximum})`,
    min_value: SETTINGS[name].minimum,
    max_value: SETTINGS[name].maximum,
  }));
}

/** The voice settings that a member gave. */
export function readSettings(options: { getNumber(name: string): number | null }): VoiceSettings {
  return Object.fromEntries(
    SETTING_NAMES.map((name) => [name, options.getNumber(SETTING_OPTIONS[name]) ?? undefined]),
  );
}

/** The voice that a member means by its id (which a choice carries) or by its name. */
export function findVoice(
  voices: readonly VoiceSummary[],
  typed: string,
): VoiceSummary | undefined {
  const wanted = typed.trim().toLowerCase();
  return (
    voices.find(({ voice_id }) => voice_id === typed) ??
    voices.find(({ name }) => name.toLowerCase() === wanted)
  );
}

/** Code points that Discord takes as the name and as the value of a choice. */
const MAX_CHOICE_LENGTH = 100;

/** Whether a voice can be chosen: its id is the value of a choice, which must not be cut. */
export function canBeChosen({ voice_id }: VoiceSummary): boolean {
  return textLength(voice_id) <= MAX_CHOICE_LENGTH;
}

/** A text as the name of a choice: another service's voices may have longer ones. */
export function choiceName(text: string): string {
  return cut(text, MAX_CHOICE_LENGTH - 1, '…');
}

/** Choices of voices for what was typed so far; those that speak the language come first. */
export function voiceChoices(
  voices: readonly VoiceSummary[],
  typed: string,
  language: string | undefined,
): Choice[] {
  const speaks = (voice: VoiceSummary) =>
    language === undefined || (voice.language as readonly string[]).includes(language);
  return voices
    .filter(canBeChosen)
    .map((voice) => ({ voice, name: describeVoice(voice) }))
    .filter(({ name }) => matches(name, typed))
    .sort((a, b) => Number(speaks(b.voice)) - Number(speaks(a.voice)))
    .map(({ voice, name }) => ({ name: choiceName(name), value: voice.voice_id }));
}

/** A voice in one line: "Aria · female, young-adult · conversation, narration". */
export function describeVoice(voice: VoiceSummary): string {
  return `${voice.name} · ${voice.gender}, ${voice.age} · ${voice.use_cases.join(', ')}`;
}

/**
 * Choices of languages for what was typed so far, by their names in the member's language, which
 * comes first itself: Discord shows 25 of the 31.
 */
export function languageChoices(typed: string, locale: string): Choice[] {
  const exact = findLanguage(typed, locale);
  const own = languageOf(locale);
  return LANGUAGES.map((code) => ({
    code,
    name: languageName(code, locale),
    known: [code, languageName(code, 'en'), languageName(code, code)].join(' '),
  }))
    .filter(({ code, name, known }) => code === exact || matches(`${name} ${known}`, typed))
    .sort(
      (a, b) =>
        Number(b.code === own) - Number(a.code === own) || a.name.localeCompare(b.name, locale),
    )
    .map(({ code, name }) => ({ name, value: code }));
}

export function styleChoices(voice: VoiceSummary | undefined, typed: string): Choice[] {
  return (voice?.styles ?? [])
    .filter((style) => textLength(style) <= MAX_CHOICE_LENGTH && matches(style, typed))
    .map((style) => ({ name: style, value: style }));
}

/** Choices of models, with what tells them apart: how many languages and settings each has. */
export function modelChoices(typed: string): Choice[] {
  return MODEL_NAMES.map((model) => ({
    name: `${model} · ${count(MODELS[model].languages, 'language')}, ${count(MODELS[model].settings, 'setting')}`,
    value: model,
  })).filter(({ name }) => matches(name, typed));
}

function count(things: readonly unknown[], noun: string): string {
  return `${things.length} ${noun}${things.length === 1 ? '' : 's'}`;
}

/** The model for a language when none is asked for: of those that speak it, the one with the most settings. */
export function modelFor(language: string, voice: VoiceSummary): Model {
  return (
    voice.models
      .filter((model) => (MODELS[model].languages as readonly string[]).includes(language))
      .toSorted((a, b) => MODELS[b].settings.length - MODELS[a].settings.length)[0] ?? DEFAULT_MODEL
  );
}

/** Whether every word that was typed occurs. */
function matches(text: string, typed: string): boolean {
  const folded = text.toLowerCase();
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every((word) => folded.includes(word));
}
