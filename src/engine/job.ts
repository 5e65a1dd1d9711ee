import type { SpeechPart } from './engine.ts';
import type { Task } from './protocol.ts';

/** How a job ended. */
export type Outcome = { ok: true; naturalSeconds: number } | { ok: false; error: unknown };

/** A task with its reader. */
export interface Job {
  task: Task;
  /** Threads that it has lost. */
  crashes: number;
  /** Whether its reader may have heard some of it, so that it cannot be begun again. */
  heard: boolean;
  /** The first outcome holds. */
  settle(outcome: Outcome): void;
  outcome(): Outcome | undefined;
  add(part: SpeechPart): void;
  /** Forgets the parts that nobody has heard. */
  restart(): void;
  /** The next part, or the outcome when there is none; waits for either. A failure comes before the parts. */
  next(): Promise<SpeechPart | Outcome>;
}

export function createJob(task: Task): Job {
  const parts: SpeechPart[] = [];
  let outcome: Outcome | undefined;
  let changed = Promise.withResolvers<void>();

  function change(): void {
    changed.resolve();
    changed = Promise.withResolvers<void>();
  }

  const job: Job = {
    task,
    crashes: 0,
    heard: false,
    settle(result) {
      outcome ??= result;
      if (!outcome.ok) parts.length = 0;
      change();
    },
    outcome: () => outcome,
    add(part) {
      if (outcome) return;
      parts.push(part);
      change();
    },
    restart() {
      parts.length = 0;
    },
    async next() {
      for (;;) {
        const part = parts.shift();
        if (part) {
          job.heard = true;
          return part;
        }
        if (outcome) return outcome;
        await changed.promise;
      }
    },
  };
  return job;
}
