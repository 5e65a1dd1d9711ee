import { type Character, STYLE } from '../characters.ts';
import { semitonesOfPitch } from '../prosody.ts';
import { brightnessGain } from '../tone.ts';
import { interpolate, intonationAt, solve } from './interpolate.ts';
import type { VoiceProfile } from './profile.ts';
import { BANDS, bandCentre } from './spectrum.ts';
import { type MeasuredVariant, VARIANTS } from './variants.ts';

/** Decibels of brightness that are tried, the most that still sounds natural on either side, and their effect on each band. */
const BRIGHTNESSES = Array.from({ length: 33 }, (_, i) => {
  const brightness = (i - 16) / 2;
  const gains = Array.from({ length: BANDS }, (_, b) => brightnessGain(brightness, bandCentre(b)));
  return { brightness, gains };
});

/** Semitones between two medians that nobody hears. */
const NEAR = 0.2;

/** Level that the loud parts of every cloned voice reach, in decibels of full scale: that of the presets. */
const LEVEL = -15;

/** Decibels that a variant may be brought up or down. */
const GAIN = 6;

/**
 * What a semitone weighs against one decibel of spectrum: of pitch out of reach, of range, and of the
 * way from the timbre's own pitch, at which it sounds best.
 */
const WEIGHT = { pitch: 4, range: 0.4, shift: 0.5 };

/** Styles of every cloned voice; the first one is the voice as it is. */
const STYLES: Character['styles'] = [
  STYLE.neutral,
  STYLE.happy,
  STYLE.sad,
  STYLE.angry,
  STYLE.calm,
  STYLE.whisper,
];

/**
 * The character that comes closest to a profile: the timbre of eSpeak NG with the nearest spectrum
 * that reaches the pitch, set to the sample's median F0, range, rate and brightness.
 */
export function characterOf(id: string, profile: VoiceProfile): Character {
  const matches = VARIANTS.variants.map((variant) => match(variant, profile));
  const best = matches.reduce((one, other) => (other.distance < one.distance ? other : one));
  const { variant, pitch, range, brightness } = best;
  return {
    id,
    variant: variant.name,
    pitch: semitonesOfPitch(pitch),
    range: range / 50,
    rate: solve(
      (rate) => interpolate(VARIANTS.rates, variant.syllables, rate),
      profile.syllables,
      [0.5, 1.5],
    ),
    gain: clamp(LEVEL - variant.level - loudness(variant, brightness), -GAIN, GAIN),
    brightness,
    styles: STYLES,
  };
}

interface Match {
  variant: MeasuredVariant;
  /** In eSpeak NG's units. */
  pitch: number;
  range: number;
  /** Decibels. */
  brightness: number;
  /** What is left over, in decibels of spectrum and what weighs as much. */
  distance: number;
}

function match(variant: MeasuredVariant, profile: VoiceProfile): Match {
  let pitch = 50;
  let range = 50;
  // Each moves the other a little: a few rounds settle it.
  for (let round = 0; round < 4; round += 1) {
    range = solve((at) => intonationAt(variant, pitch, at).f0Range, profile.f0Range, [0, 100]);
    pitch = solve((at) => intonationAt(variant, at, range).f0, profile.f0, [10, 99]);
  }
  // The median is heard before the range: where both cannot be had, the range gives way.
  if (offBy(profile.f0, intonationAt(variant, pitch, range).f0) > NEAR) {
    range = solve((at) => intonationAt(variant, pitch, at).f0, profile.f0, [0, 100]);
  }
  const reached = intonationAt(variant, pitch, range);
  const { brightness, difference } = matchSpectrum(variant, profile.spectrum);
  const offRange = Math.abs(profile.f0Range - reached.f0Range);
  const distance =
    difference +
    WEIGHT.pitch * offBy(profile.f0, reached.f0) +
    WEIGHT.range * offRange +
    WEIGHT.shift * Math.abs(semitonesOfPitch(pitch));
  return { variant, pitch, range, brightness, distance };
}

/** Semitones between two frequencies. */
function offBy(one: number, other: number): number {
  return Math.abs(12 * Math.log2(one / other));
}

/** The brightness that brings the variant's spectrum nearest, and what differs then, in decibels RMS. */
function matchSpectrum(
  { spectrum }: MeasuredVariant,
  wanted: readonly number[],
): { brightness: number; difference: number } {
  const weights = wanted.map(bandWeight);
  let best = { brightness: 0, difference: Number.POSITIVE_INFINITY };
  for (const { brightness, gains } of BRIGHTNESSES) {
    const errors = wanted.map((level, band) => level - (spectrum[band] ?? 0) - (gains[band] ?? 0));
    const mean = weightedMean(errors, weights);
    const squares = errors.map((error) => (error - mean) ** 2);
    const difference = Math.sqrt(weightedMean(squares, weights));
    if (difference < best.difference) best = { brightness, difference };
  }
  return best;
}

/** Bands far below the others say more of a telephone or a microphone than of a voice. */
function bandWeight(level: number): number {
  return clamp(1 + (level + 8) / 20, 0.1, 1);
}

/** Decibels that brightness adds to the level of a variant. */
function loudness({ spectrum }: MeasuredVariant, brightness: number): number {
  const powers = spectrum.map((level) => 10 ** (level / 10));
  const factors = powers.map(
    (_, band) => 10 ** (brightnessGain(brightness, bandCentre(band)) / 10),
  );
  return 10 * Math.log10(weightedMean(factors, powers));
}

function weightedMean(values: readonly number[], weights: readonly number[]): number {
  const sum = values.reduce((total, value, i) => total + value * (weights[i] ?? 0), 0);
  return sum / weights.reduce((total, weight) => total + weight, 0);
}

function clamp(value: number, minimum: number, maximum: number): number {
  return Math.max(minimum, Math.min(maximum, value));
}
