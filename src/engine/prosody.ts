import { SAMPLE_RATE } from '../contract/limits.ts';
import { type EffectiveSettings, finishedSeconds } from '../contract/settings.ts';
import type { Character, Style } from './characters.ts';

/** How a text is to be spoken, in the units of eSpeak NG. */
export interface Delivery {
  variant: string;
  /** 0 to 99. */
  pitch: number;
  /** 0 to 100; 50 is the normal extent of intonation. */
  range: number;
  /** Words a minute, 80 to 450. */
  rate: number;
}

/** What is done to the sound after synthesis, at no cost in time. */
export interface Tone {
  /** Decibels. */
  gain: number;
  /** Decibels of what lies above 1.5 kHz against what lies below. */
  brightness: number;
  whisper: boolean;
}

/** eSpeak NG's normal rate in words a minute. */
const NORMAL_RATE = 175;

/**
 * Semitones against the normal pitch that eSpeak NG's pitch values give, measured as the median F0
 * over variants and languages.
 */
const PITCH_CURVE: readonly (readonly [semitones: number, pitch: number])[] = [
  [-6.4, 0],
  [-5.3, 10],
  [-4.4, 20],
  [-2.95, 30],
  [-1.5, 40],
  [0, 50],
  [1.6, 60],
  [3.3, 70],
  [5, 80],
  [6.9, 90],
  [8.5, 99],
];

/** Semitones by which the median F0 rises from range 50 to 100, and falls to 0: measured likewise. */
const MEDIAN_RISE = 2.3;

/** The style of that name, or the character's default style. */
export function styleOf(character: Character, name: string): Style {
  return character.styles.find((style) => style.name === name) ?? character.styles[0];
}

/** The delivery of a character in a style; `pitch_variance` scales the intonation and leaves the median. */
export function deliveryOf(
  character: Character,
  style: Style,
  { pitch_variance }: Pick<EffectiveSettings, 'pitch_variance'>,
  tempo = 1,
): Delivery {
  const range = clamp(50 * character.range * (style.range ?? 1) * pitch_variance, 0, 100);
  // Only what the setting changes is made up for: a style's own median is part of the style.
  const rangeByDefault = clamp(50 * character.range * (style.range ?? 1), 0, 100);
  const rise = (MEDIAN_RISE * (range - rangeByDefault)) / 50;
  return {
    variant: character.variant,
    pitch: espeakPitch(character.pitch + (style.pitch ?? 0) - rise),
    range: Math.round(range),
    rate: clamp(Math.round(NORMAL_RATE * character.rate * (style.rate ?? 1) * tempo), 80, 450),
  };
}

export function toneOf(character: Character, style: Style): Tone {
  return {
    gain: character.gain + (style.gain ?? 0),
    brightness: character.brightness + (style.brightness ?? 0),
    whisper: style.whisper ?? false,
  };
}

/** Seconds of the finished speech, whole samples (supplement, "duration and speed"). */
export function spokenSeconds(naturalSeconds: number, settings: EffectiveSettings): number {
  return Math.round(finishedSeconds(naturalSeconds, settings) * SAMPLE_RATE) / SAMPLE_RATE;
}

function espeakPitch(semitones: number): number {
  const above = PITCH_CURVE.findIndex(([point]) => point >= semitones);
  const [high, low] = [PITCH_CURVE.at(above), PITCH_CURVE[above - 1]];
  if (above === 0 || !high || !low) return above === 0 ? 0 : 99;
  const share = (semitones - low[0]) / (high[0] - low[0]);
  return Math.round(low[1] + share * (high[1] - low[1]));
}

/** Semitones against the normal pitch that one of eSpeak NG's pitch values, 0 to 99, gives. */
export function semitonesOfPitch(pitch: number): number {
  const above = PITCH_CURVE.findIndex(([, point]) => point >= pitch);
  const [high, low] = [PITCH_CURVE.at(above), PITCH_CURVE[above - 1]];
  if (!high || !low) return high?.[0] ?? 0;
  return low[0] + ((pitch - low[1]) / (high[1] - low[1])) * (high[0] - low[0]);
}

function clamp(value: number, minimum: number, maximum: number): number {
  return Math.max(minimum, Math.min(maximum, value));
}
