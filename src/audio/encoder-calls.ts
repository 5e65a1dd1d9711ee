import { Worker } from 'node:worker_threads';
import type { EncoderReply, EncoderRequest, EncoderStep, StepResult } from './encoder-messages.ts';

/** A step of one job takes milliseconds; a thread that stays silent this long hangs. */
const REPLY_DEADLINE_MS = 15_000;

/** The heap of the thread: packets and small chunks; the encoders' own memory lies outside it. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 4 };

/** A running encoder thread. */
export interface EncoderThread {
  /** Aborted with the reason when the thread has ended, for whatever reason. */
  readonly ended: AbortSignal;
  /** Sends one step; rejects when it failed or the thread ended. */
  call(step: EncoderStep): Promise<StepResult>;
  /** Forgets a job. */
  drop(job: number): void;
  close(): Promise<void>;
}

interface OpenCall {
  resolve(result: StepResult): void;
  reject(error: unknown): void;
  timer: NodeJS.Timeout;
}

export function startEncoderThread(): EncoderThread {
  const worker = new Worker(new URL('./encoder-thread.ts', import.meta.url), {
    name: 'audio-encoder',
    // Options of the program, such as how to read its own source, are not meant for the thread.
    execArgv: [],
    resourceLimits: RESOURCE_LIMITS,
  });
  const ended = new AbortController();
  const calls = new Map<number, OpenCall>();
  let lastCall = 0;

  function end(reason: Error): void {
    ended.abort(reason);
    for (const call of calls.values()) {
      clearTimeout(call.timer);
      call.reject(ended.signal.reason);
    }
    calls.clear();
  }

  worker.on('error', (cause) => end(new Error('The encoder thread crashed', { cause })));
  worker.on('exit', (code) => end(new Error(`The encoder thread ended with code ${code}`)));
  worker.on('message', (reply: EncoderReply) => {
    const call = calls.get(reply.call);
    if (!call) return;
    calls.delete(reply.call);
    clearTimeout(call.timer);
    if ('result' in reply) call.resolve(reply.result);
    else call.reject(new Error(`Encoding failed: ${reply.error}`));
  });

  return {
    ended: ended.signal,
    call(step) {
      lastCall += 1;
      const call = lastCall;
      return new Promise((resolve, reject) => {
        if (ended.signal.aborted) {
          reject(ended.signal.reason);
          return;
        }
        const timer = setTimeout(() => {
          end(new Error(`The encoder thread gave no answer in ${REPLY_DEADLINE_MS} ms`));
          void worker.terminate();
        }, REPLY_DEADLINE_MS);
        calls.set(call, { resolve, reject, timer });
        const moved = step.step === 'chunk' ? [step.samples.buffer as ArrayBuffer] : [];
        worker.postMessage({ ...step, call } satisfies EncoderRequest, moved);
      });
    },
    drop(job) {
      worker.postMessage({ step: 'drop', job } satisfies EncoderRequest);
    },
    async close() {
      end(new Error('The encoder was closed'));
      await worker.terminate();
    },
  };
}
