import { concatSamples } from '../audio/pcm.ts';
import type { Language } from '../contract/languages.ts';
import type { EffectiveSettings } from '../contract/settings.ts';
import type { Character } from './characters.ts';

/** What is to be said, and how. */
export interface Utterance {
  text: string;
  language: Language;
  /** Who says it; sent along whole, so that every worker can speak a voice that was made a moment ago. */
  character: Character;
  /** One of the character's styles. */
  style: string;
  settings: EffectiveSettings;
}

/** One speech sound, or a pause. */
export interface Phoneme {
  /** IPA; empty for silence. */
  symbol: string;
  /** Seconds from the start of the whole speech. */
  start: number;
  /** Seconds. */
  duration: number;
}

/**
 * A stretch of finished speech. The parts of an utterance follow each other without a gap; their
 * phonemes cover the sound up to the end of the part, and may run ahead of it in no case.
 */
export interface SpeechPart {
  /** Mono, 16 bit, at SAMPLE_RATE of the contract. */
  samples: Int16Array;
  phonemes: Phoneme[];
}

export interface SpeakOptions {
  /** Ends the work: a job that waits leaves the queue, one that runs stops at its next chunk. */
  signal: AbortSignal;
}

/** Turns text into sound. Each implementation owns its threads or processes. */
export interface Engine {
  /**
   * Speaks. The first part comes as soon as the first sound exists.
   *
   * @throws {EngineBusyError} when the queue is full, before any work is done
   * @throws {EngineTimeoutError} when nothing came of it for too long
   * @throws {EngineError} when the speech could not be made
   * @throws the signal's reason when it was aborted
   */
  speak(utterance: Utterance, options: SpeakOptions): AsyncIterable<SpeechPart>;
  /** Seconds that `speak` would last; errors as there. */
  predict(utterance: Utterance, options: SpeakOptions): Promise<number>;
  /** Resolves when the engine can speak without a start-up wait. */
  ready(): Promise<void>;
  /** Ends the threads or processes; what is being said is aborted. */
  close(): Promise<void>;
}

/** The queue is full: try again later. */
export class EngineBusyError extends Error {
  override readonly name = 'EngineBusyError';
}

/** The speech could not be made; `cause` says why. */
export class EngineError extends Error {
  override readonly name: string = 'EngineError';
}

/** The speech was given up, because nothing came of it for too long. */
export class EngineTimeoutError extends EngineError {
  override readonly name = 'EngineTimeoutError';
}

/** All of an utterance in one piece. */
export async function collectSpeech(parts: AsyncIterable<SpeechPart>): Promise<SpeechPart> {
  const samples: Int16Array[] = [];
  const phonemes: Phoneme[] = [];
  for await (const part of parts) {
    samples.push(part.samples);
    phonemes.push(...part.phonemes);
  }
  return { samples: concatSamples(samples), phonemes };
}
