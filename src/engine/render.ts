import { concatSamples, toFloat } from '../audio/pcm.ts';
import { stretch } from '../audio/stretch.ts';
import { SAMPLE_RATE } from '../contract/limits.ts';
import type { SpeechPart, Utterance } from './engine.ts';
import type { Espeak, EspeakMark } from './espeak/espeak.ts';
import { createFinish, type Finish } from './finish.ts';
import { spokenSeconds } from './prosody.ts';
import { Stopped, synthesize } from './synthesis.ts';

/** Seconds of silence before every speech: players fade in, and phonemes begin with silence. */
const SILENCE = 0.02;

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
  let length = silenceBefore(espeak);
  synthesize(espeak, utterance, { stopped }, ({ samples }) => {
    length += samples.length;
  });
  return length / espeak.sampleRate;
}

/** Straight from the synthesizer, chunk by chunk. */
function renderDirectly(espeak: Espeak, utterance: Utterance, sink: Sink, finish: Finish): number {
  const before = silenceBefore(espeak);
  const stopped = () => sink.stopped();
  let length = before;
  finish.push(new Float32Array(before));
  const end = synthesize(espeak, utterance, { stopped }, ({ samples, marks }) => {
    for (const { symbol, at } of marks) finish.mark(symbol, before + at);
    length += samples.length;
    finish.push(toFloat(samples));
  });
  finish.end(before + end);
  return length / espeak.sampleRate;
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
  const before = silenceBefore(espeak);
  const pieces: Int16Array[] = [new Int16Array(before)];
  const marks: EspeakMark[] = [];
  const end = synthesize(espeak, utterance, { tempo, stopped }, (chunk) => {
    pieces.push(chunk.samples);
    for (const { symbol, at } of chunk.marks) marks.push({ symbol, at: before + at });
  });
  return { samples: toFloat(concatSamples(pieces)), marks, end: before + end };
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

function silenceBefore({ sampleRate }: Espeak): number {
  return Math.round(SILENCE * sampleRate);
}
