import type { Utterance } from './engine.ts';
import type { Espeak, EspeakChunk } from './espeak/espeak.ts';
import { espeakVoice } from './espeak/voices.ts';
import { deliveryOf, styleOf } from './prosody.ts';
import { prepareText } from './text/prepare.ts';

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
 * @throws {Stopped} when it is no longer wanted
 */
export function synthesize(
  espeak: Espeak,
  { text, language, character, style, settings }: Utterance,
  { tempo = 1, stopped }: { tempo?: number; stopped: () => boolean },
  take: (chunk: EspeakChunk) => void,
): void {
  const prepared = prepareText(text, language);
  if (prepared === '') return;
  const delivery = deliveryOf(character, styleOf(character, style), settings, tempo);
  // An error must not fly through the synthesizer's own frames: it is thrown when they are done.
  let failure: { cause: unknown } | undefined;
  espeak.synthesize(prepared, espeakVoice(language), delivery, (chunk) => {
    try {
      if (stopped()) throw new Stopped();
      take(chunk);
    } catch (cause) {
      failure = { cause };
    }
    return failure !== undefined;
  });
  if (failure) throw failure.cause;
}
