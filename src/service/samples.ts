import type { AudioEncoder } from '../audio/encoder.ts';
import { effectiveSettings } from '../contract/settings.ts';
import type { Speech } from '../contract/speech.ts';
import type { Character } from '../engine/characters.ts';
import type { Engine } from '../engine/engine.ts';
import type { Logger } from '../log.ts';
import { tooMany } from './errors.ts';
import type { FileCache } from './file-cache.ts';
import { record } from './recording.ts';
import { SAMPLE_SENTENCES } from './sample-sentences.ts';
import { speechKey } from './speech-cache.ts';

/** Which sample of a voice. */
export type SampleChoice = Pick<Speech, 'language' | 'style' | 'model'>;

/** Sample files of the voices: each is made when it is first asked for, and once. */
export type Samples = (character: Character, choice: SampleChoice) => Promise<Buffer>;

export interface SamplesOptions {
  engine: Engine;
  encoder: Pick<AudioEncoder, 'mp3'>;
  log: Logger;
  /** Where they are kept; without it they are made for each request. */
  files: FileCache | undefined;
  /** Milliseconds that making one may take. */
  timeoutMs: number;
  /** Aborted when the service stops waiting for what it does. */
  stopping: AbortSignal;
}

/** Samples made at the same time: anybody may ask for them, and speech comes first. */
const PARALLEL = 2;

/** @throws (each call) {ApiError} 429 when enough of them are being made; what `Engine.speak` throws */
export function createSamples(options: SamplesOptions): Samples {
  const { files, log } = options;
  const making = new Map<string, Promise<Buffer>>();

  return async (character, { language, style, model }) => {
    const utterance = {
      text: SAMPLE_SENTENCES[language],
      language,
      character,
      style,
      settings: effectiveSettings(model),
    };
    const key = speechKey(utterance, 'wav');
    // A disk that is full, broken or read-only keeps nobody from listening.
    const kept = await files?.read(key).catch((err) => log.warn({ err }, 'a sample was not read'));
    if (kept) return kept;

    async function make(): Promise<Buffer> {
      // Not the signal of the request: others may wait for the same sample.
      const signal = AbortSignal.any([options.stopping, AbortSignal.timeout(options.timeoutMs)]);
      const { file } = await record(options, utterance, 'wav', signal);
      await files?.write(key, file).catch((err) => log.warn({ err }, 'a sample was not kept'));
      return file;
    }
    let sample = making.get(key);
    if (!sample) {
      if (making.size >= PARALLEL) throw tooMany(1);
      sample = make().finally(() => making.delete(key));
      making.set(key, sample);
    }
    return sample;
  };
}
