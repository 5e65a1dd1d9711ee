import { Worker } from 'node:worker_threads';
import { CONTROL, type Report, type Task, type ThreadData, WINDOW } from './protocol.ts';

/** What the pool is told of a thread. */
export interface ThreadEvents {
  report(report: Report): void;
  /** The thread is gone, and did not go by `end`. */
  crashed(cause: unknown): void;
}

/** One worker thread, which runs one task at a time. */
export interface Thread {
  start(task: Task): void;
  /** The reader took samples of the running task. */
  take(samples: number): void;
  /** Whether the thread waits for its reader, by what it has sent. */
  waits(): boolean;
  /** Asks the running task to stop at its next chunk. */
  stop(job: number): void;
  /** Ends the thread at once, whatever it does. */
  end(): Promise<void>;
}

/** Starts a thread; it reports `ready` when it can take its first task. */
export function startThread(url: URL, events: ThreadEvents): Thread {
  const data: ThreadData = { control: new SharedArrayBuffer(CONTROL.length * 4) };
  const control = new Int32Array(data.control);
  // Sound lies outside of these limits; the young generation is kept small, for it is never given back.
  const worker = new Worker(url, {
    workerData: data,
    execArgv: [],
    resourceLimits: { maxYoungGenerationSizeMb: 4 },
  });
  let sent = 0;
  let gone: { cause?: unknown } | undefined;

  function wake(): void {
    Atomics.add(control, CONTROL.turn, 1);
    Atomics.notify(control, CONTROL.turn);
  }

  function crash(cause: unknown): void {
    if (gone) return;
    gone = { cause };
    events.crashed(cause);
  }

  worker.on('message', (report: Report) => {
    if (gone) return;
    if (report.type === 'part') sent += report.part.samples.length;
    events.report(report);
  });
  worker.on('error', crash);
  worker.on('exit', (code) => crash(new Error(`The thread ended with code ${code}`)));

  return {
    start(task) {
      sent = 0;
      Atomics.store(control, CONTROL.taken, 0);
      worker.postMessage(task);
    },
    take(samples) {
      Atomics.add(control, CONTROL.taken, samples);
      wake();
    },
    waits: () => sent - Atomics.load(control, CONTROL.taken) > WINDOW,
    stop(job) {
      Atomics.store(control, CONTROL.stopped, job);
      wake();
    },
    async end() {
      gone ??= {};
      await worker.terminate();
    },
  };
}
