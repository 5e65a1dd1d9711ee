import { type Pcm, toFloat } from '../../audio/pcm.ts';
import { resample } from '../../audio/resample.ts';
import { UserError } from '../../errors.ts';
import { type Activity, activityOf, FRAMES_PER_SECOND, percentile } from './frames.ts';
import { APERIODICITY, pitchTrack } from './pitch-track.ts';
import { BAND_EDGES, BANDS, longTermSpectrum } from './spectrum.ts';
import { syllableRate } from './syllables.ts';

/** What is kept of a sample: a few numbers that tell a voice, never the sound. */
export interface VoiceProfile {
  /** Changes when a number changes its meaning. */
  version: 1;
  /** Median fundamental frequency, in hertz. */
  f0: number;
  /** Semitones from the 5th to the 95th percentile of the fundamental frequency. */
  f0Range: number;
  /** A second of speech, pauses left out. */
  syllables: number;
  /** Decibels of each band of `spectrum.ts` against their mean; the bands that the sample has. */
  spectrum: number[];
  /** Decibels of full scale that the loud parts reach. */
  level: number;
  /** Seconds with speech in them. */
  seconds: number;
  /** Decibels from the pauses up to the speech; low means noise, or no pauses. */
  clearance: number;
}

/** What a sample must have at least, and what is looked at at most. */
export const SAMPLE_LIMITS = {
  /** Seconds of speech. */
  speech: 1,
  /** Seconds from the start that are analysed. */
  analysed: 60,
  /** Decibels of full scale that the loud parts must reach. */
  level: -55,
  /** Seconds of voiced sound. */
  voiced: 0.3,
} as const;

const SPECTRUM_RATE = 16_000;
const PITCH_RATE = 8_000;

/** Hertz below which there is no voice, only hum and knocks. */
const RUMBLE = 55;

/**
 * Analyses a sample of one speaker; of a longer one, its first minute.
 *
 * @throws {UserError} says why the sample cannot be used: silent, without a voice, or too short
 */
export async function profileOf({ samples, sampleRate }: Pcm): Promise<VoiceProfile> {
  if (samples.length < SAMPLE_LIMITS.speech * sampleRate) {
    throw tooShort(samples.length / sampleRate);
  }
  const analysed = samples.subarray(0, SAMPLE_LIMITS.analysed * sampleRate);
  const wide = await resample(analysed, sampleRate, SPECTRUM_RATE);
  const sound = withoutRumble(toFloat(wide), SPECTRUM_RATE);
  const activity = activityOf(sound, SPECTRUM_RATE);
  if (!(activity.loud > SAMPLE_LIMITS.level)) throw new UserError('The sample is silent.');

  const seconds = activity.active.reduce((sum, on) => sum + on, 0) / FRAMES_PER_SECOND;
  if (seconds < SAMPLE_LIMITS.speech) throw tooShort(seconds);
  const narrow = toFloat(await resample(wide, SPECTRUM_RATE, PITCH_RATE));
  const voiced = voicedF0(withoutRumble(narrow, PITCH_RATE), activity);
  const spectrum = longTermSpectrum(sound, SPECTRUM_RATE, activity);
  return {
    version: 1,
    f0: rounded(percentile(voiced, 0.5)),
    f0Range: rounded(12 * Math.log2(percentile(voiced, 0.95) / percentile(voiced, 0.05))),
    syllables: rounded(syllableRate(sound, SPECTRUM_RATE, activity.active)),
    spectrum: spectrum.slice(0, bandsUpTo(sampleRate / 2)).map(rounded),
    level: rounded(activity.loud),
    seconds,
    clearance: rounded(activity.loud - activity.quiet),
  };
}

/**
 * Fundamental frequencies of the speech in a sound at PITCH_RATE. A creaking voice is taken as it
 * is when there is no other.
 */
function voicedF0(sound: Float32Array, { active }: Activity): Float32Array {
  for (const aperiodicity of Object.values(APERIODICITY)) {
    const track = pitchTrack(sound, PITCH_RATE, aperiodicity);
    const voiced = track.filter((f0, frame) => f0 > 0 && active[frame] === 1);
    if (voiced.length >= SAMPLE_LIMITS.voiced * FRAMES_PER_SECOND) return voiced;
  }
  throw new UserError('No voice can be heard in the sample.');
}

function tooShort(seconds: number): UserError {
  return new UserError(
    `The sample has ${seconds.toFixed(1)} s of speech; at least ${SAMPLE_LIMITS.speech} s are needed, 5 to 30 s are best.`,
  );
}

/** Bands that lie below the highest frequency of a sample. */
function bandsUpTo(highest: number): number {
  const above = BAND_EDGES.findIndex((edge) => edge > highest * 0.95);
  return above < 0 ? BANDS : Math.max(1, above - 1);
}

function withoutRumble(samples: Float32Array, rate: number): Float32Array {
  const smoothing = 1 - Math.exp((-2 * Math.PI * RUMBLE) / rate);
  let below = 0;
  return samples.map((sample) => {
    below += smoothing * (sample - below);
    return sample - below;
  });
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
