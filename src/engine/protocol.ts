import { SAMPLE_RATE } from '../contract/limits.ts';
import type { SpeechPart, Utterance } from './engine.ts';

/** Samples that a thread may send ahead of its reader: 20 s, so that only long speech ever waits. */
export const WINDOW = 20 * SAMPLE_RATE;

/** Indices into the memory that the pool shares with a thread, 32 bit each. */
export const CONTROL = {
  /** Number of the last job that is no longer wanted. */
  stopped: 0,
  /** Samples of the running job that the reader has taken. */
  taken: 1,
  /** Changes with every change of the others: what a thread that waits sleeps on. */
  turn: 2,
  length: 3,
} as const;

export interface ThreadData {
  control: SharedArrayBuffer;
}

/** To a thread, one at a time. */
export interface Task {
  /** Counts up from 1. */
  job: number;
  /** `measure` gives the natural length only. */
  kind: 'speak' | 'measure';
  utterance: Utterance;
}

/** From a thread. */
export type Report =
  | { type: 'ready' }
  | { type: 'part'; job: number; part: SpeechPart }
  | { type: 'done'; job: number; naturalSeconds: number }
  | { type: 'stopped'; job: number }
  | { type: 'failed'; job: number; reason: string };
