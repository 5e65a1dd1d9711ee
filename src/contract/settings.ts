import { z } from 'zod';
import { type Model, modelSupports } from './models.ts';

interface SettingRule {
  minimum: number;
  maximum: number;
  default: number;
  unit: string;
  title: string;
  description: string;
}

/** The voice settings with their ranges and defaults (spec, "Voice settings"). */
export const SETTINGS = {
  pitch_shift: {
    minimum: -24,
    maximum: 24,
    default: 0,
    unit: 'semitones',
    title: 'Pitch shift',
    description: 'Pitch adjustment in semitones.',
  },
  pitch_variance: {
    minimum: 0,
    maximum: 2,
    default: 1,
    unit: 'factor',
    title: 'Pitch variance',
    description: 'Degree of pitch variation: lower is flatter, higher is richer.',
  },
  speed: {
    minimum: 0.5,
    maximum: 2,
    default: 1,
    unit: 'factor',
    title: 'Speed',
    description:
      'Playback speed multiplier: below 1 slower, above 1 faster. Applied after duration.',
  },
  duration: {
    minimum: 0,
    maximum: 60,
    default: 0,
    unit: 'seconds',
    title: 'Duration',
    description:
      'When it is not zero, the sound is made to this length in seconds. With speed s the result lasts duration × s seconds.',
  },
  similarity: {
    minimum: 1,
    maximum: 5,
    default: 3,
    unit: 'degree',
    title: 'Similarity',
    description: 'How closely the output resembles the original character voice.',
  },
  text_guidance: {
    minimum: 0,
    maximum: 4,
    default: 1,
    unit: 'degree',
    title: 'Text guidance',
    description: 'How strongly speech characteristics adapt to the text content.',
  },
  subharmonic_amplitude_control: {
    minimum: 0,
    maximum: 2,
    default: 1,
    unit: 'factor',
    title: 'Subharmonic amplitude control',
    description: 'Amount of subharmonic amplitude in the generated speech.',
  },
} as const satisfies Record<string, SettingRule>;

export type SettingName = keyof typeof SETTINGS;

export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[];

function setting(name: SettingName) {
  const { minimum, maximum, default: value, unit, title, description } = SETTINGS[name];
  return z
    .number()
    .min(minimum)
    .max(maximum)
    .optional()
    .meta({
      title,
      description: `${description} Unit: ${unit}.`,
      default: value,
      examples: [value],
    });
}

/** `voice_settings` of a request: every field is optional. */
export const VoiceSettings = z
  .object({
    pitch_shift: setting('pitch_shift'),
    pitch_variance: setting('pitch_variance'),
    speed: setting('speed'),
    duration: setting('duration'),
    similarity: setting('similarity'),
    text_guidance: setting('text_guidance'),
    subharmonic_amplitude_control: setting('subharmonic_amplitude_control'),
  } satisfies Record<SettingName, unknown>)
  .meta({
    id: 'VoiceSettings',
    title: 'Voice settings',
    description: 'Those that the model does not support are ignored.',
  });

export type VoiceSettings = z.infer<typeof VoiceSettings>;

/** All seven settings with a value each: what an engine works with. */
export type EffectiveSettings = Readonly<Record<SettingName, number>>;

export const DEFAULT_SETTINGS = Object.fromEntries(
  SETTING_NAMES.map((name) => [name, SETTINGS[name].default]),
) as EffectiveSettings;

/**
 * What takes effect: the settings that the model supports as they were asked for, the default for
 * every other one (spec, "Support per model").
 */
export function effectiveSettings(model: Model, asked: VoiceSettings = {}): EffectiveSettings {
  return Object.fromEntries(
    SETTING_NAMES.map((name) => [
      name,
      (modelSupports(model, name) ? asked[name] : undefined) ?? SETTINGS[name].default,
    ]),
  ) as EffectiveSettings;
}

/** Settings that were given a value other than the default and that the model ignores. */
export function ignoredSettings(model: Model, asked: VoiceSettings): SettingName[] {
  return SETTING_NAMES.filter(
    (name) =>
      !modelSupports(model, name) &&
      asked[name] !== undefined &&
      asked[name] !== SETTINGS[name].default,
  );
}

/**
 * Length in seconds of the finished speech, from the length that it has by nature
 * (supplement, "duration and speed"): duration × speed when a duration is set, else natural ÷ speed.
 */
export function finishedSeconds(
  naturalSeconds: number,
  { duration, speed }: Pick<EffectiveSettings, 'duration' | 'speed'>,
): number {
  return duration > 0 ? duration * speed : naturalSeconds / speed;
}
