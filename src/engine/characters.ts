import { LANGUAGES, type Language } from '../contract/languages.ts';
import { MODEL_NAMES, type Model } from '../contract/models.ts';

/** How a character sounds in one of its styles: what changes against the character itself. */
export interface Style {
  name: string;
  /** Semitones on top of the character's pitch. Default 0. */
  pitch?: number;
  /** Factor on the character's range. Default 1. */
  range?: number;
  /** Factor on the character's rate. Default 1. */
  rate?: number;
  /** Decibels on top of the character's gain. Default 0. */
  gain?: number;
  /** Decibels on top of the character's brightness. Default 0. */
  brightness?: number;
  /** Breath instead of vocal folds: the sound keeps its formants and loses its pitch. Default false. */
  whisper?: boolean;
}

/**
 * A voice as the engine makes it. Plain data: it travels to workers, and into a database for custom
 * voices.
 */
export interface Character {
  id: string;
  /** Timbre: one of the variants of eSpeak NG (its `voices/!v`), which sets formants and a base pitch. */
  variant: string;
  /** Semitones above the variant's own pitch, -6 to 8: what eSpeak NG can do. */
  pitch: number;
  /** Factor on the normal extent of intonation, 0 (monotone) to 2. */
  range: number;
  /** Factor on the normal rate of speech, 0.5 to 2. */
  rate: number;
  /** Decibels. */
  gain: number;
  /** Decibels of what lies above 1.5 kHz against what lies below. */
  brightness: number;
  /** The first one is the default. */
  styles: readonly [Style, ...Style[]];
}

export type Age = 'child' | 'young-adult' | 'middle-aged' | 'elder';

export type Gender = 'female' | 'male' | 'neutral';

/** A character that comes with Hark, with what people are told of it. */
export interface PresetCharacter extends Character {
  name: string;
  description: string;
  age: Age;
  gender: Gender;
  /** The first one is the main one. */
  useCases: readonly [string, ...string[]];
  languages: readonly Language[];
  models: readonly Model[];
}

/** The styles that presets and cloned voices choose from. */
export const STYLE = {
  neutral: { name: 'neutral' },
  happy: { name: 'happy', pitch: 1.8, range: 1.4, rate: 1.08, gain: 1, brightness: 2 },
  sad: { name: 'sad', pitch: -1.6, range: 0.5, rate: 0.82, gain: -2, brightness: -4 },
  angry: { name: 'angry', pitch: 0.8, range: 1.6, rate: 1.14, gain: 3, brightness: 5 },
  calm: { name: 'calm', pitch: -0.7, range: 0.7, rate: 0.88, gain: -1, brightness: -2 },
  excited: { name: 'excited', pitch: 2.6, range: 1.7, rate: 1.2, gain: 2, brightness: 3 },
  serious: { name: 'serious', pitch: -1.2, range: 0.6, rate: 0.94, gain: 0.5, brightness: 1 },
  shouting: { name: 'shouting', pitch: 3.2, range: 1.2, rate: 0.96, gain: 5, brightness: 7 },
  whisper: { name: 'whisper', rate: 0.9, gain: -5, whisper: true },
} as const satisfies Record<string, Style>;

/** All presets speak everything: eSpeak NG applies a variant to each of its languages. */
const SPEAKS_ALL = { languages: LANGUAGES, models: MODEL_NAMES } as const;

/** The voices that come with Hark. Their ids are for ever: people's settings and clients hold them. */
export const PRESETS: readonly PresetCharacter[] = [
  {
    id: 'aria',
    name: 'Aria',
    description: 'A clear, friendly young woman for everyday talk.',
    age: 'young-adult',
    gender: 'female',
    useCases: ['conversation', 'narration'],
    variant: 'f3',
    pitch: 0,
    range: 1,
    rate: 1,
    gain: 0,
    brightness: 0,
    styles: [STYLE.neutral, STYLE.happy, STYLE.sad, STYLE.angry, STYLE.calm, STYLE.whisper],
    ...SPEAKS_ALL,
  },
  {
    id: 'theo',
    name: 'Theo',
    description: 'A relaxed young man with an even, natural pitch.',
    age: 'young-adult',
    gender: 'male',
    useCases: ['conversation', 'game'],
    variant: 'm3',
    pitch: 1.5,
    range: 1,
    rate: 1.03,
    gain: 0,
    brightness: 0,
    styles: [STYLE.neutral, STYLE.happy, STYLE.sad, STYLE.angry, STYLE.excited, STYLE.whisper],
    ...SPEAKS_ALL,
  },
  {
    id: 'clara',
    name: 'Clara',
    description: 'A warm, unhurried woman who reads long texts well.',
    age: 'middle-aged',
    gender: 'female',
    useCases: ['narration', 'education'],
    variant: 'f1',
    pitch: -2,
    range: 0.9,
    rate: 0.92,
    gain: -1,
    brightness: -3,
    styles: [STYLE.neutral, STYLE.calm, STYLE.happy, STYLE.sad, STYLE.serious],
    ...SPEAKS_ALL,
  },
  {
    id: 'marcus',
    name: 'Marcus',
    description: 'A very deep, dark voice for trailers and announcements.',
    age: 'middle-aged',
    gender: 'male',
    useCases: ['announcement', 'advertisement'],
    variant: 'm8',
    pitch: -1,
    range: 0.9,
    rate: 0.93,
    gain: 4,
    brightness: 0,
    styles: [STYLE.neutral, STYLE.serious, STYLE.excited, STYLE.angry],
    ...SPEAKS_ALL,
  },
  {
    id: 'mina',
    name: 'Mina',
    description: 'A lively girl with a high, bright voice.',
    age: 'child',
    gender: 'female',
    useCases: ['game', 'conversation'],
    variant: 'Annie',
    pitch: 5,
    range: 0.7,
    rate: 1.05,
    gain: 0,
    brightness: 2,
    styles: [STYLE.neutral, STYLE.happy, STYLE.sad, STYLE.excited, STYLE.shouting],
    ...SPEAKS_ALL,
  },
  {
    id: 'leo',
    name: 'Leo',
    description: 'A cheeky boy, higher than any grown-up.',
    age: 'child',
    gender: 'male',
    useCases: ['game', 'education'],
    variant: 'zac',
    pitch: -1,
    range: 0.9,
    rate: 1.08,
    gain: -3,
    brightness: -2,
    styles: [STYLE.neutral, STYLE.happy, STYLE.angry, STYLE.excited],
    ...SPEAKS_ALL,
  },
  {
    id: 'ruth',
    name: 'Ruth',
    description: 'A grandmother who takes her time over a story.',
    age: 'elder',
    gender: 'female',
    useCases: ['narration', 'conversation'],
    variant: 'grandma',
    pitch: -2.8,
    range: 0.8,
    rate: 0.84,
    gain: 0,
    brightness: 1,
    styles: [STYLE.neutral, STYLE.calm, STYLE.happy, STYLE.sad, STYLE.whisper],
    ...SPEAKS_ALL,
  },
  {
    id: 'walter',
    name: 'Walter',
    description: 'An old man with a rough, creaking voice.',
    age: 'elder',
    gender: 'male',
    useCases: ['narration', 'game'],
    variant: 'grandpa',
    pitch: -1,
    range: 0.9,
    rate: 0.86,
    gain: 0,
    brightness: 0,
    styles: [STYLE.neutral, STYLE.calm, STYLE.sad, STYLE.angry],
    ...SPEAKS_ALL,
  },
  {
    id: 'dana',
    name: 'Dana',
    description: 'A brisk, sparkling woman who sells.',
    age: 'young-adult',
    gender: 'female',
    useCases: ['advertisement', 'announcement'],
    variant: 'linda',
    pitch: -0.5,
    range: 1.3,
    rate: 1.1,
    gain: -1,
    brightness: 4,
    styles: [STYLE.neutral, STYLE.happy, STYLE.excited, STYLE.calm],
    ...SPEAKS_ALL,
  },
  {
    id: 'ines',
    name: 'Ines',
    description: 'A soft, dark woman’s voice that brings calm.',
    age: 'middle-aged',
    gender: 'female',
    useCases: ['meditation', 'narration'],
    variant: 'steph',
    pitch: -1.5,
    range: 0.8,
    rate: 0.88,
    gain: 0,
    brightness: 0,
    styles: [STYLE.neutral, STYLE.calm, STYLE.sad, STYLE.whisper],
    ...SPEAKS_ALL,
  },
  {
    id: 'owen',
    name: 'Owen',
    description: 'A steady man who explains things plainly.',
    age: 'middle-aged',
    gender: 'male',
    useCases: ['education', 'narration'],
    variant: 'm7',
    pitch: -1,
    range: 1,
    rate: 0.97,
    gain: -1,
    brightness: -1,
    styles: [STYLE.neutral, STYLE.serious, STYLE.happy, STYLE.calm, STYLE.whisper],
    ...SPEAKS_ALL,
  },
  {
    id: 'robin',
    name: 'Robin',
    description: 'Between man and woman, light and matter-of-fact.',
    age: 'young-adult',
    gender: 'neutral',
    useCases: ['conversation', 'announcement'],
    variant: 'f4',
    pitch: -3.4,
    range: 0.9,
    rate: 1,
    gain: 0,
    brightness: 1,
    styles: [STYLE.neutral, STYLE.happy, STYLE.calm, STYLE.serious, STYLE.whisper],
    ...SPEAKS_ALL,
  },
  {
    id: 'unit-7',
    name: 'Unit 7',
    description: 'A flat machine voice for games and alerts.',
    age: 'young-adult',
    gender: 'neutral',
    useCases: ['game', 'announcement'],
    variant: 'robosoft6',
    pitch: 0,
    range: 0,
    rate: 1,
    gain: 2,
    brightness: 2,
    styles: [STYLE.neutral, STYLE.angry, STYLE.calm, STYLE.shouting],
    ...SPEAKS_ALL,
  },
];
