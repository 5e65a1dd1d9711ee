import { Worker } from 'node:worker_threads';
import { UserError } from '../../errors.ts';
import { EngineBusyError, EngineError, EngineTimeoutError } from '../engine.ts';
import type { VoiceProfile } from './profile.ts';

/** What a thread says of a sample. */
export type Analysis =
  | { ok: true; profile: VoiceProfile }
  | { ok: false; usersFault: boolean; reason: string };

export interface ClonerOptions {
  /** Samples analysed at the same time, each in a thread of its own. Default 2. */
  parallel?: number;
  /** Samples that may wait. Default 8. */
  queueLimit?: number;
  /** Milliseconds for one sample. Default 10,000. */
  timeoutMs?: number;
  /** Entry of the threads. Default: the analysis. */
  threadUrl?: URL;
}

/** Analyses samples off the main thread. It holds nothing while no sample is being analysed. */
export interface Cloner {
  /**
   * What a sample tells of its speaker.
   *
   * @param bytes - a WAV or MP3 file; its memory goes over to the thread
   * @throws {UserError} says why the sample cannot be used
   * @throws {EngineBusyError} when too many samples wait already
   * @throws {EngineTimeoutError} when the analysis took too long
   * @throws {EngineError} when the analysis broke
   * @throws the signal's reason when it was aborted
   */
  analyse(bytes: Uint8Array<ArrayBuffer>, options: { signal: AbortSignal }): Promise<VoiceProfile>;
}

/** Megabytes of objects that a thread may hold; sound lies outside of them. */
const HEAP_MB = 64;

export function createCloner(options: ClonerOptions = {}): Cloner {
  const { parallel = 2, queueLimit = 8, timeoutMs = 10_000 } = options;
  const threadUrl = options.threadUrl ?? new URL('./thread.ts', import.meta.url);
  const waiting: (() => void)[] = [];
  let running = 0;

  /** Waits for a free place; errors as in `analyse`. */
  async function enter(signal: AbortSignal): Promise<void> {
    if (running < parallel) {
      running += 1;
      return;
    }
    if (waiting.length >= queueLimit) {
      throw new EngineBusyError(`${waiting.length} samples are waiting already`);
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const abort = () => {
      const place = waiting.indexOf(resolve);
      // Whoever has been called already is in, and finds the signal there.
      if (place < 0) return;
      waiting.splice(place, 1);
      reject(signal.reason);
    };
    waiting.push(resolve);
    signal.addEventListener('abort', abort, { once: true });
    try {
      // Whoever leaves hands the place over: it stays counted.
      await promise;
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  function leave(): void {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }

  return {
    async analyse(bytes, { signal }) {
      signal.throwIfAborted();
      await enter(signal);
      try {
        signal.throwIfAborted();
        return await analyseInThread(threadUrl, bytes, timeoutMs, signal);
      } finally {
        leave();
      }
    },
  };
}

async function analyseInThread(
  url: URL,
  bytes: Uint8Array<ArrayBuffer>,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<VoiceProfile> {
  const { promise, resolve, reject } = Promise.withResolvers<Analysis>();
  const worker = new Worker(url, {
    workerData: { bytes },
    transferList: [bytes.buffer],
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  });
  const late = () => reject(new EngineTimeoutError(`No analysis within ${timeoutMs} ms`));
  const timer = setTimeout(late, timeoutMs);
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  worker.on('message', resolve);
  worker.on('error', (cause) => reject(new EngineError('The analysis broke', { cause })));
  worker.on('exit', (code) => reject(new EngineError(`The analysis ended with code ${code}`)));
  try {
    const analysis = await promise;
    if (analysis.ok) return analysis.profile;
    if (analysis.usersFault) throw new UserError(analysis.reason);
    throw new EngineError('The sample could not be analysed', {
      cause: new Error(analysis.reason),
    });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
    await worker.terminate();
  }
}
