import createModule from '@echogarden/espeak-ng-emscripten';
import type { Delivery } from '../prosody.ts';

/** A piece of sound as it comes out of the synthesizer, about 100 ms, with what starts in it. */
export interface EspeakChunk {
  /** Mono, 16 bit, at the synthesizer's rate. Its own memory: it may be given away. */
  samples: Int16Array;
  /** In the order of time. */
  marks: EspeakMark[];
}

export interface EspeakMark {
  /** Samples from the start of the synthesis. */
  at: number;
  /** A speech sound as eSpeak NG writes it, or `null` for the end of a clause. */
  symbol: string | null;
}

/** eSpeak NG, one instance a thread: it holds its voice, and it is synchronous. */
export interface Espeak {
  /** Hertz. */
  sampleRate: number;
  /**
   * Speaks prepared text (see `text/prepare.ts`) from start to end.
   *
   * @param voice - name of a language's voice, such as `en-us`
   * @param onChunk - takes what is ready; true stops the synthesis
   * @throws {Error} when eSpeak NG has no such voice
   */
  synthesize(
    text: string,
    voice: string,
    delivery: Delivery,
    onChunk: (chunk: EspeakChunk) => boolean,
  ): void;
}

/** Loads eSpeak NG: some 200 ms and 60 MB. */
export async function loadEspeak(): Promise<Espeak> {
  const module = await createModule();
  const worker = new module.eSpeakNGWorker();
  const sampleRate = worker.samplerate;

  return {
    sampleRate,
    synthesize(text, voice, { variant, pitch, range, rate }, onChunk) {
      // An unknown language leaves the voice of the job before in place, hence the check.
      if (worker.set_voice(`${voice}+${variant}`) !== 0) {
        throw new Error(`eSpeak NG has no voice ${voice}+${variant}`);
      }
      worker.set_pitch(pitch);
      worker.set_range(range);
      worker.set_rate(rate);
      worker.synthesize(text, (samples, events) => {
        const marks: EspeakMark[] = [];
        for (const { type, id, audio_position } of events) {
          const at = Math.round((audio_position / 1000) * sampleRate);
          if (type === 'phoneme') marks.push({ at, symbol: String(id ?? '') });
          else if (type === 'end') marks.push({ at, symbol: null });
        }
        return onChunk({ samples, marks });
      });
    },
  };
}
