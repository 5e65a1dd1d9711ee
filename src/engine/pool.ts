import type { Logger } from '../log.ts';
import {
  EngineBusyError,
  EngineError,
  EngineTimeoutError,
  type SpeechPart,
  type Utterance,
} from './engine.ts';
import { createJob, type Job } from './job.ts';
import type { Report, Task } from './protocol.ts';
import { startThread, type Thread } from './thread.ts';

export interface PoolOptions {
  /** Entry of the threads, which speaks the protocol of `protocol.ts`. */
  workerUrl: URL;
  /** Threads at most; they are started when there is work for them. */
  workers: number;
  /** Jobs that may wait. */
  queueLimit: number;
  /** Milliseconds without a sign of life after which a thread that works is given up. */
  stallMs: number;
  /** Milliseconds that a thread has to stop a job that is no longer wanted. */
  graceMs: number;
  log?: Logger | undefined;
}

/** Worker threads and the queue before them: first come, first served. */
export interface Pool {
  /**
   * Runs a task; yields its parts and returns the natural length in seconds. Leaving early stops it.
   * Errors as in `Engine.speak`.
   */
  run(
    kind: Task['kind'],
    utterance: Utterance,
    signal: AbortSignal,
  ): AsyncGenerator<SpeechPart, number, undefined>;
  /** Resolves when a thread can take a job. */
  ready(): Promise<void>;
  close(): Promise<void>;
}

/** A thread with what it does. */
interface Member {
  thread: Thread;
  started: boolean;
  job: Job | undefined;
  /** Gives the thread up when it shows no sign of life. */
  watch: NodeJS.Timeout | undefined;
}

/** A job is begun again this often when its thread is lost. */
const RETRIES = 1;

export function createPool(options: PoolOptions): Pool {
  const { log } = options;
  const members = new Set<Member>();
  const queue: Job[] = [];
  const waitingForReady = new Set<PromiseWithResolvers<void>>();
  const ending = new Set<Promise<void>>();
  let jobs = 0;
  let closed = false;

  function enqueue(kind: Task['kind'], utterance: Utterance): Job {
    if (closed) throw new EngineError('The engine is closed');
    const idle = [...members].some((member) => member.started && !member.job);
    if (!idle && queue.length >= options.queueLimit) {
      throw new EngineBusyError(`${queue.length} speeches are waiting already`);
    }
    jobs += 1;
    const job = createJob({ job: jobs, kind, utterance });
    queue.push(job);
    dispatch();
    return job;
  }

  function dispatch(): void {
    for (const member of members) {
      if (!member.started || member.job) continue;
      const job = queue.shift();
      if (!job) return;
      member.job = job;
      member.thread.start(job.task);
      watch(member, options.stallMs);
    }
    const starting = [...members].filter((member) => !member.started).length;
    const wanted = Math.min(queue.length - starting, options.workers - members.size);
    for (let i = 0; i < wanted; i += 1) addMember();
  }

  function addMember(): void {
    const member: Member = {
      started: false,
      job: undefined,
      watch: undefined,
      thread: startThread(options.workerUrl, {
        report: (report) => hear(member, report),
        crashed: (cause) => lose(member, cause),
      }),
    };
    members.add(member);
    watch(member, options.stallMs);
  }

  function hear(member: Member, report: Report): void {
    if (report.type === 'ready') {
      member.started = true;
      rest(member);
      return;
    }
    const { job } = member;
    if (!job || job.task.job !== report.job) return;
    switch (report.type) {
      case 'part':
        job.add(report.part);
        if (!job.outcome()) watch(member, options.stallMs);
        return;
      case 'failed':
        lose(member, new Error(report.reason));
        return;
      case 'stopped':
        rest(member);
        return;
      case 'done':
        job.settle({ ok: true, naturalSeconds: report.naturalSeconds });
        rest(member);
    }
  }

  /** A thread is free for the next job. */
  function rest(member: Member): void {
    clearTimeout(member.watch);
    member.job = undefined;
    for (const waiting of waitingForReady) waiting.resolve();
    waitingForReady.clear();
    dispatch();
  }

  function watch(member: Member, milliseconds: number): void {
    clearTimeout(member.watch);
    member.watch = setTimeout(() => {
      // A thread that waits for its reader is well; the reader has a deadline of its own.
      if (member.job && !member.job.outcome() && member.thread.waits()) {
        watch(member, milliseconds);
        return;
      }
      const late = new EngineTimeoutError(`Nothing came from the engine for ${milliseconds} ms`);
      member.job?.settle({ ok: false, error: late });
      lose(member, late);
    }, milliseconds);
  }

  /** Ends a thread that can no longer be relied on. Its job is begun again where nobody heard of it. */
  function lose(member: Member, cause: unknown): void {
    if (!members.delete(member)) return;
    clearTimeout(member.watch);
    const end = member.thread.end().finally(() => ending.delete(end));
    ending.add(end);
    // A thread that does not start is the trouble of whoever waits for it.
    const job = member.job ?? (member.started ? undefined : queue.shift());
    log?.warn({ err: cause, job: job?.task.job }, 'An engine thread was lost');
    if (!member.started) fail(waitingForReady, cause);
    if (job && !job.outcome()) {
      job.crashes += 1;
      if (job.crashes > RETRIES || job.heard) job.settle({ ok: false, error: lost(cause) });
      else {
        job.restart();
        queue.unshift(job);
      }
    }
    if (!closed) dispatch();
  }

  function cancel(job: Job, reason: unknown): void {
    if (job.outcome()) return;
    job.settle({ ok: false, error: reason });
    const place = queue.indexOf(job);
    if (place >= 0) queue.splice(place, 1);
    for (const member of members) {
      if (member.job !== job) continue;
      member.thread.stop(job.task.job);
      watch(member, options.graceMs);
    }
  }

  return {
    async *run(kind, utterance, signal) {
      signal.throwIfAborted();
      const job = enqueue(kind, utterance);
      const abort = () => cancel(job, signal.reason);
      signal.addEventListener('abort', abort, { once: true });
      try {
        for (;;) {
          const next = await job.next();
          if (!('ok' in next)) {
            for (const member of members) {
              if (member.job === job) member.thread.take(next.samples.length);
            }
            yield next;
          } else if (next.ok) return next.naturalSeconds;
          else throw next.error;
        }
      } finally {
        signal.removeEventListener('abort', abort);
        cancel(job, new EngineError('The reader left'));
      }
    },
    async ready() {
      if (closed) throw new EngineError('The engine is closed');
      if ([...members].some((member) => member.started)) return;
      const waiting = Promise.withResolvers<void>();
      waitingForReady.add(waiting);
      if (members.size === 0) addMember();
      await waiting.promise;
    },
    async close() {
      closed = true;
      const error = new EngineError('The engine was closed');
      fail(waitingForReady, error);
      for (const job of queue.splice(0)) job.settle({ ok: false, error });
      for (const member of [...members]) {
        members.delete(member);
        clearTimeout(member.watch);
        member.job?.settle({ ok: false, error });
        ending.add(member.thread.end());
      }
      await Promise.all(ending);
      ending.clear();
    },
  };
}

function lost(cause: unknown): EngineError {
  return new EngineError('The speech could not be made', { cause });
}

function fail(waiting: Set<PromiseWithResolvers<void>>, cause: unknown): void {
  for (const { reject } of waiting) reject(lost(cause));
  waiting.clear();
}
