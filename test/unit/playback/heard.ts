import type { Listener } from '../../../src/sandbox/voice/listener.ts';
import { envelope, envelopeCorrelation } from '../../helpers/measure.ts';
import { RATE } from './room.ts';

/** What a listener heard, against what was synthesized. */
export interface Comparison {
  /** Seconds by which the sound that was heard is longer. */
  longer: number;
  /** Of the envelopes. */
  correlation: number;
  /** Longest silence, in seconds, within what was heard. */
  gap: number;
  /** Loudness of the first and last 60 ms, as a share of that of the original's. */
  start: number;
  end: number;
}

/** Compares a sound with what was heard of it; silence before and behind is left out. */
export function compare(original: Int16Array, listener: Listener): Comparison {
  const wanted = trim(original);
  const heard = aligned(trim(listener.sound()), wanted);
  const edge = (RATE * 60) / 1_000;
  const level = (part: Int16Array) => envelope(part, RATE).reduce((sum, one) => sum + one, 0);
  return {
    longer: (heard.length - wanted.length) / RATE,
    correlation: envelopeCorrelation(heard, wanted, RATE),
    gap: longestSilence(heard) - longestSilence(wanted),
    start: level(heard.subarray(0, edge)) / level(wanted.subarray(0, edge)),
    end: level(heard.subarray(-edge)) / level(wanted.subarray(-edge)),
  };
}

const AUDIBLE = 100;

function trim(samples: Int16Array): Int16Array {
  const loud = (sample: number) => Math.abs(sample) > AUDIBLE;
  return samples.subarray(samples.findIndex(loud), samples.findLastIndex(loud) + 1);
}

/** A sound from where it fits another best: an encoder blurs where the first sample is. */
function aligned(heard: Int16Array, wanted: Int16Array): Int16Array {
  const most = RATE / 100;
  const likeness = (lag: number) => {
    let sum = 0;
    for (let i = most; i < RATE / 4; i += 1) sum += (wanted[i] ?? 0) * (heard[i + lag] ?? 0);
    return sum;
  };
  let best = 0;
  for (let lag = -most; lag <= most; lag += 1) if (likeness(lag) > likeness(best)) best = lag;
  return best >= 0 ? heard.subarray(best) : withSilence(heard, -best);
}

function withSilence(samples: Int16Array, missing: number): Int16Array {
  const whole = new Int16Array(samples.length + missing);
  whole.set(samples, missing);
  return whole;
}

/** Seconds of the longest stretch in which nothing is audible. */
function longestSilence(samples: Int16Array): number {
  let longest = 0;
  let silent = 0;
  for (const level of envelope(samples, RATE)) {
    silent = level < AUDIBLE / 2 ? silent + 1 : 0;
    longest = Math.max(longest, silent);
  }
  return longest / 100;
}
