/** The part of the package that is used here; it brings no types of its own. */
declare module '@echogarden/espeak-ng-emscripten' {
  export interface EspeakEvent {
    type: 'samplerate' | 'sentence' | 'word' | 'phoneme' | 'end' | 'mark' | 'play';
    /** Milliseconds from the start of the synthesis. */
    audio_position: number;
    /** The symbol, for a phoneme. */
    id?: string | number;
  }

  export interface EspeakWorker {
    /** 0 when the voice was found; else the voice stays as it was. */
    set_voice(name: string): number;
    /** Words a minute, 80 to 450. */
    set_rate(rate: number): void;
    /** 0 to 99. */
    set_pitch(pitch: number): void;
    /** 0 to 100. */
    set_range(range: number): void;
    /** Synchronous; ends when the callback returns true. */
    synthesize(
      text: string,
      callback: (samples: Int16Array, events: EspeakEvent[]) => boolean,
    ): void;
    samplerate: number;
  }

  export interface EspeakModule {
    eSpeakNGWorker: new () => EspeakWorker;
  }

  export default function createModule(): Promise<EspeakModule>;
}
