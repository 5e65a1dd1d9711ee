import type { FastifyReply } from 'fastify';
import { ApiError } from './errors.ts';

/** Why work ends whose client no longer waits for it. */
export class ClientGoneError extends ApiError {
  constructor() {
    super(408, 'The client went away.');
  }
}

/** How long the work for one request may go on. */
export interface Lifetime {
  /** Aborted at the deadline, when the client goes away, when the service stops, and when the work is done. */
  signal: AbortSignal;
  /** Moves the deadline by `ms`. */
  extend(ms: number): void;
}

/** Starts the lifetimes of requests. */
export interface LifetimeOptions {
  /** Milliseconds until a request is answered with 408. */
  timeoutMs: number;
  /** Aborted when the service stops waiting for requests that are still being answered. */
  stopping: AbortSignal;
}

/**
 * Runs the work for a request. It ends with 408 at the deadline even if the work does not heed its
 * signal; a client that went away ends it too (supplement, "Errors" and "Streaming").
 */
export async function withLifetime<T>(
  reply: FastifyReply,
  { timeoutMs, stopping }: LifetimeOptions,
  work: (lifetime: Lifetime) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const { signal } = controller;
  const clientGone = () => controller.abort(new ClientGoneError());
  const stop = () => controller.abort(stopping.reason);

  let deadline = performance.now() + timeoutMs;
  let timer: NodeJS.Timeout;
  const expire = () => {
    const left = deadline - performance.now();
    if (left > 0) timer = setTimeout(expire, left);
    else controller.abort(new ApiError(408, 'Request timed out'));
  };
  timer = setTimeout(expire, timeoutMs);
  const ended = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  // The response's own close, not the request's: a kept connection outlives many requests.
  reply.raw.once('close', clientGone);
  stopping.addEventListener('abort', stop);
  try {
    if (stopping.aborted) stop();
    if (reply.raw.destroyed) clientGone();
    const extend = (ms: number) => {
      deadline += ms;
    };
    return await Promise.race([ended, work({ signal, extend })]);
  } finally {
    clearTimeout(timer);
    reply.raw.off('close', clientGone);
    stopping.removeEventListener('abort', stop);
    controller.abort();
  }
}
