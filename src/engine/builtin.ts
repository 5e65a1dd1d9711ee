import { availableParallelism } from 'node:os';
import type { Logger } from '../log.ts';
import { type Engine, EngineError, type Utterance } from './engine.ts';
import { createPool } from './pool.ts';
import { deliveryOf, spokenSeconds, styleOf } from './prosody.ts';

export interface BuiltinEngineOptions {
  /** Threads at most. Default: `defaultWorkers()`. */
  workers?: number;
  /** Speeches that may wait for a thread. Default 64. */
  queueLimit?: number;
  /** Milliseconds without a sign of life after which a speech is given up. Default 20,000. */
  stallMs?: number;
  /** Entry of the threads. Default: eSpeak NG. */
  workerUrl?: URL;
  log?: Logger;
}

/** Natural lengths that are remembered, so that a prediction and the speech after it agree. */
const REMEMBERED = 500;

/** Threads that a program uses when nobody says how many: one less than the processor has, 1 to 4. */
export function defaultWorkers(): number {
  return Math.min(4, Math.max(1, availableParallelism() - 1));
}

/** The engine that needs nothing else: eSpeak NG in worker threads, all languages, offline. */
export function createEngine(options: BuiltinEngineOptions = {}): Engine {
  const pool = createPool({
    workers: options.workers ?? defaultWorkers(),
    queueLimit: options.queueLimit ?? 64,
    stallMs: options.stallMs ?? 20_000,
    graceMs: 500,
    workerUrl: options.workerUrl ?? new URL('./espeak/worker.ts', import.meta.url),
    log: options.log,
  });
  const lengths = new Map<string, number>();

  function remember(utterance: Utterance, naturalSeconds: number): void {
    const key = lengthKey(utterance);
    lengths.delete(key);
    lengths.set(key, naturalSeconds);
    const oldest = lengths.keys().next();
    if (lengths.size > REMEMBERED && !oldest.done) lengths.delete(oldest.value);
  }

  return {
    async *speak(utterance, { signal }) {
      remember(utterance, yield* pool.run('speak', utterance, signal));
    },
    async predict(utterance, { signal }) {
      signal.throwIfAborted();
      const { settings } = utterance;
      if (settings.duration > 0) return spokenSeconds(0, settings);
      const known = lengths.get(lengthKey(utterance));
      if (known !== undefined) return spokenSeconds(known, settings);
      const measured = await pool.run('measure', utterance, signal).next();
      if (!measured.done) throw new EngineError('A measurement made sound');
      remember(utterance, measured.value);
      return spokenSeconds(measured.value, settings);
    },
    ready: () => pool.ready(),
    close: () => pool.close(),
  };
}

/** What the natural length depends on. */
function lengthKey({ text, language, character, style, settings }: Utterance): string {
  return JSON.stringify([
    language,
    deliveryOf(character, styleOf(character, style), settings),
    text,
  ]);
}
