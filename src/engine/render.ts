import { toFloat } from '../audio/pcm.ts';
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
  synthesize(espeak, utterance, stopped, ({ samples }) => {
    length += samples.length;
  });
  return length / espeak.sampleRate;
}

/** Straight from the synthesizer, chunk by chunk. */
function renderDirectly(espeak: Espeak, utterance: Utterance, sink: Sink, finish: Finish): number {
  const silence = silenceAround(espeak.sampleRate);
  let length = silence.before;
  finish.push(new Float32Array(silence.before));
  synthesize(
    espeak,
    utterance,
    () => sink.stopped(),
    ({ samples, marks }) => {
      for (const { symbol, at } of marks) finish.mark(symbol, silence.before + at);
      length += samples.length;
      finish.push(toFloat(samples));
    },
  );
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
  const silence = silenceAround(sampleRate);
  const pieces: Int16Array[] = [];
  const marks: EspeakMark[] = [];
  let spoken = silence.before;
  synthesize(
    espeak,
    utterance,
    () => sink.stopped(),
    (chunk) => {
      pieces.push(chunk.samples);
      for (const { symbol, at } of chunk.marks) marks.push({ symbol, at: silence.before + at });
      spoken += chunk.samples.length;
    },
  );
  const natural = new Float32Array(spoken + silence.after);
  let offset = silence.before;
  for (const piece of pieces) {
    natural.set(toFloat(piece), offset);
    offset += piece.length;
  }

  const seconds = spokenSeconds(natural.length / sampleRate, settings);
  // Rounded up: the odd sample of the final rate is cut off at the end.
  const target = Math.ceil(seconds * sampleRate);
  const stretched = (at: number) => Math.round((at / natural.length) * target);
  for (const { symbol, at } of marks) finish.mark(symbol, stretched(at));
  for (const [start, end] of segments(marks, natural.length, SEGMENT * sampleRate)) {
    if (sink.stopped()) throw new Stopped();
    const segment = await stretch(natural.subarray(start, end), sampleRate, {
      targetLength: stretched(end) - stretched(start),
      pitchShift: settings.pitch_shift,
    });
    finish.push(segment);
  }
  finish.end(stretched(spoken), Math.round(seconds * SAMPLE_RATE));
  return natural.length / sampleRate;
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
