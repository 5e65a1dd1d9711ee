import type { Utterance } from './engine.ts';
import type { Espeak, EspeakChunk } from './espeak/espeak.ts';
import { espeakVoice } from './espeak/voices.ts';
import { deliveryOf, styleOf } from './prosody.ts';
import { prepareText } from './text/prepare.ts';

/** Seconds from the end of the last clause to the end of the sound: what echoes there is faded out. */
const ENDING = 0.04;

/** Nobody wants the rest of a speech. */
export class Stopped extends Error {
  override readonly name = 'Stopped';
}

/**
 * Speaks an utterance by nature: character, style and pitch_variance, before all that is done to sound.
 *
 * @param options.tempo - factor on the rate, as far as eSpeak NG can; default 1
 * @param options.stopped - asked before every chunk
 * @param take - takes the chunks in order
 * @returns the sample at which the last clause ends and the final silence begins
 * @throws {Stopped} when it is no longer wanted
 */
export function synthesize(
  espeak: Espeak,
  { text, language, character, style, settings }: Utterance,
  { tempo = 1, stopped }: { tempo?: number; stopped: () => boolean },
  take: (chunk: EspeakChunk) => void,
): number {
  const prepared = prepareText(text, language);
  const delivery = deliveryOf(character, styleOf(character, style), settings, tempo);
  const ending = createEnding(Math.round(ENDING * espeak.sampleRate), take);
  if (prepared === '') return ending.finish();
  // An error must not fly through the synthesizer's own frames: it is thrown when they are done.
  let failure: { cause: unknown } | undefined;
  espeak.synthesize(prepared, espeakVoice(language), delivery, (chunk) => {
    try {
      if (stopped()) throw new Stopped();
      ending.push(chunk);
    } catch (cause) {
      failure = { cause };
    }
    return failure !== undefined;
  });
  if (failure) throw failure.cause;
  return ending.finish();
}

/**
 * Holds the last chunk back and gives it its proper end: eSpeak NG fills it up with up to 100 ms,
 * or does not, so that one text would last now longer, now shorter.
 */
function createEnding(length: number, take: (chunk: EspeakChunk) => void) {
  let held: EspeakChunk = { samples: new Int16Array(0), marks: [] };
  let start = 0;
  let clauseEnd: number | undefined;

  return {
    push(chunk: EspeakChunk): void {
      if (chunk.samples.length === 0) return;
      if (held.samples.length > 0) take(held);
      start += held.samples.length;
      held = chunk;
      clauseEnd = chunk.marks.findLast(({ symbol }) => symbol === null)?.at ?? clauseEnd;
    },
    finish(): number {
      const end = clauseEnd ?? start + held.samples.length;
      const samples = new Int16Array(Math.max(0, end + length - start));
      samples.set(held.samples.subarray(0, samples.length));
      for (let i = Math.max(0, end - start); i < samples.length; i += 1) {
        samples[i] = (samples[i] ?? 0) * (1 - (start + i - end) / length);
      }
      take({ samples, marks: held.marks });
      return end;
    },
  };
}
