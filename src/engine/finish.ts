import { toInt16 } from '../audio/pcm.ts';
import { createResampler } from '../audio/resample.ts';
import { SAMPLE_RATE } from '../contract/limits.ts';
import type { SpeechPart, Utterance } from './engine.ts';
import { isLanguageMarker, toIpa } from './espeak/symbols.ts';
import { createPartCutter } from './parts.ts';
import { styleOf, toneOf } from './prosody.ts';
import { createTone } from './tone.ts';

/** Takes synthesized sound through tone and resampling, and cuts it into parts. */
export interface Finish {
  /** A symbol of eSpeak NG, or a clause's end, at a sample of the synthesizer's rate. In the order of time. */
  mark(symbol: string | null, at: number): void;
  /** The next samples, at the synthesizer's rate; they are used up. */
  push(samples: Float32Array): void;
  /**
   * Emits the rest.
   *
   * @param silence - where the final silence begins, in samples of the synthesizer's rate
   * @param length - samples of the finished speech at most; one may have been made too many
   */
  end(silence: number, length?: number): void;
  /** Gives memory back; due in any case. */
  free(): void;
}

/**
 * @param sampleRate - of the synthesizer, in hertz
 * @param emit - takes the parts as they are ready
 */
export async function createFinish(
  sampleRate: number,
  { language, character, style }: Utterance,
  emit: (part: SpeechPart) => void,
): Promise<Finish> {
  const tone = createTone(toneOf(character, styleOf(character, style)), sampleRate);
  const resampler = await createResampler(sampleRate, SAMPLE_RATE);
  const parts = createPartCutter();
  const finished = (at: number) => Math.round((at / sampleRate) * SAMPLE_RATE);
  let given = 0;

  function give(samples: Int16Array): void {
    given += samples.length;
    const part = parts.push(samples);
    if (part) emit(part);
  }

  return {
    mark(symbol, at) {
      if (symbol === null || isLanguageMarker(symbol)) return;
      parts.mark(toIpa(symbol, language), finished(at));
    },
    push(samples) {
      give(resampler.process(toInt16(tone.process(samples))));
    },
    end(silence, length = Number.POSITIVE_INFINITY) {
      give(resampler.process(toInt16(tone.flush())));
      const rest = resampler.flush();
      give(rest.subarray(0, Math.max(0, Math.min(rest.length, length - given))));
      emit(parts.finish(Math.min(finished(silence), length)));
    },
    free() {
      resampler.free();
    },
  };
}
