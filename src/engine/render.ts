import { concatSamples, toFloat } from '../audio/pcm.ts';
import { stretch } from '../audio/stretch.ts';
import { SAMPLE_RATE } from '../contract/limits.ts';
import type { SpeechPart, Utterance } from './engine.ts';
import type { Espeak, EspeakMark } from './espeak/espeak.ts';
import { createFinish, type Finish } from './finish.ts';
import { spokenSeconds } from './prosody.ts';
import { Stopped, synthesize } from './synthesis.ts';

/** Silence around every speech, in seconds: players fade in and out, and phonemes begin and end with it. */
const SILENCE = { before: 0.02, after: 0.04 };

/** Seconds of speech that are stretched at a time: short enough to hear something soon. */
const SEGMENT = 1.5;

/** Tempos that stretching does well; beyond them the synthesizer is asked to speak faster or slower first. */
const WELL_STRETCHED = { slowest: 0.8, fastest: 1.25 };

/** Speech that is drawn out further is a drone: silence fills what is left of a long duration. */
const LONGEST_STRETCH = 8;

/** Where parts go. */
export interface Sink {
  /** May block its thread while the reader is behind. */
  part(part: SpeechPart): void;
  /** Whether nobody wants the rest. */
  stopped(): boolean;
}

/**
 * Speaks an utterance into a sink.
 *
 * @returns the natural length in seconds, before duration and speed
 * @throws {Stopped} when the sink no longer wanted it
 */
export async function render(espeak: Espeak, utterance: Utterance, sink: Sink): Promise<number> {
  const { duration, speed, pitch_shift } = utterance.settings;
  const finish = await createFinish(espeak.sampleRate, utterance, (part) => sink.part(part));
  try {
    return duration === 0 && speed === 1 && pitch_shift === 0
      ? renderDirectly(espeak, utterance, sink, finish)
      : await renderStretched(espeak, utterance, sink, finish);
  } finally {
    finish.free();
  }
}

/** The natural length in seconds; errors as in `render`. */
export function measure(espeak: Espeak, utterance: Utterance, stopped: () => boolean): number {
  const silence = silenceAround(espeak.sampleRate);
  let length = silence.before + silence.after;
  synthesize(espeak, utterance, { stopped }, ({ samples }) => {
    length += samples.length;
  });
  return length / espeak.sampleRate;
}

/** Straight from the synthesizer, chunk by chunk. */
function renderDirectly(espeak: Espeak, utterance: Utterance, sink: Sink, finish: Finish): number {
  const silence = silenceAround(espeak.sampleRate);
  let length = silence.before;
  finish.push(new Float32Array(silence.before));
  const stopped = () => sink.stopped();
  synthesize(espeak, utterance, { stopped }, ({ samples, marks }) => {
    for (const { symbol, at } of marks) finish.mark(symbol, silence.before + at);
    length += samples.length;
    finish.push(toFloat(samples));
  });
  finish.push(new Float32Array(silence.after));
  finish.end(length);
  return (length + silence.after) / espeak.sampleRate;
}

/** All of it synthesized first, for its length counts; then stretched from pause to pause. */
async function renderStretched(
  espeak: Espeak,
  utterance: Utterance,
  sink: Sink,
  finish: Finish,
): Promise<number> {
  const { sampleRate } = espeak;
  const { settings } = utterance;
  const stopped = () => sink.stopped();
  const natural = record(espeak, utterance, 1, stopped);
  const seconds = spokenSeconds(natural.samples.length / sampleRate, settings);
  // Rounded up: the odd sample of the final rate is cut off at the end.
  const target = Math.ceil(seconds * sampleRate);
  const tempo = natural.samples.length / target;
  const spoken =
    tempo > WELL_STRETCHED.fastest || tempo < WELL_STRETCHED.slowest
      ? record(espeak, utterance, tempo, stopped)
      : natural;

  const length = spoken.samples.length;
  const speech = Math.min(target, length * LONGEST_STRETCH);
  const stretched = (at: number) => Math.round((at / length) * speech);
  for (const { symbol, at } of spoken.marks) finish.mark(symbol, stretched(at));
  for (const [start, end] of segments(spoken.marks, length, SEGMENT * sampleRate)) {
    if (sink.stopped()) throw new Stopped();
    const segment = await stretch(spoken.samples.subarray(start, end), sampleRate, {
      targetLength: stretched(end) - stretched(start),
      pitchShift: settings.pitch_shift,
    });
    finish.push(segment);
  }
  finish.push(new Float32Array(target - speech));
  finish.end(stretched(spoken.end), Math.round(seconds * SAMPLE_RATE));
  return natural.samples.length / sampleRate;
}

interface Recording {
  samples: Float32Array;
  marks: EspeakMark[];
  /** Sample at which the speech is over and silence begins. */
  end: number;
}

/** All of an utterance by nature, with silence around it; `tempo` 2 speaks twice as fast, if it can. */
function record(
  espeak: Espeak,
  utterance: Utterance,
  tempo: number,
  stopped: () => boolean,
): Recording {
  const silence = silenceAround(espeak.sampleRate);
  const pieces: Int16Array[] = [];
  const marks: EspeakMark[] = [];
  let end = silence.before;
  synthesize(espeak, utterance, { tempo, stopped }, (chunk) => {
    pieces.push(chunk.samples);
    for (const { symbol, at } of chunk.marks) marks.push({ symbol, at: silence.before + at });
    end += chunk.samples.length;
  });
  const samples = new Float32Array(end + silence.after);
  samples.set(toFloat(concatSamples(pieces)), silence.before);
  return { samples, marks, end };
}

/** Cuts at the ends of clauses, none of the pieces shorter than asked. */
function segments(
  marks: readonly EspeakMark[],
  length: number,
  shortest: number,
): [start: number, end: number][] {
  const cuts = [0];
  for (const { symbol, at } of marks) {
    const long = at - (cuts.at(-1) ?? 0) >= shortest && length - at >= shortest;
    if (symbol === null && long) cuts.push(at);
  }
  return cuts.map((start, index) => [start, cuts[index + 1] ?? length]);
}

function silenceAround(sampleRate: number): { before: number; after: number } {
  return {
    before: Math.round(SILENCE.before * sampleRate),
    after: Math.round(SILENCE.after * sampleRate),
  };
}
