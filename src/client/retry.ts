import { setTimeout as sleep } from 'node:timers/promises';
import { isTransient, RefusedError } from './errors.ts';

export interface RetryRules {
  /** Tries in all, the first included. */
  attempts: number;
  /** Longest wait before the second try, in milliseconds; doubles with each further one. */
  baseDelayMs: number;
  /** Longest wait that we choose ourselves, in milliseconds. */
  maxDelayMs: number;
}

export interface RetryOptions {
  rules: RetryRules;
  /** Milliseconds for all tries and waits together. */
  deadlineMs: number;
  signal: AbortSignal;
  onRetry(error: unknown, waitMs: number): void;
}

/**
 * Tries until it works, fails for good, or time is up: exponential backoff with full jitter, on
 * top of what Retry-After asks for. A wait that would outlast the deadline is not begun.
 *
 * @param attempt - one try; gets the milliseconds that are left
 * @throws the last try's error, or the signal's reason
 */
export async function withRetries<T>(
  attempt: (leftMs: number) => Promise<T>,
  { rules, deadlineMs, signal, onRetry }: RetryOptions,
): Promise<T> {
  const end = performance.now() + deadlineMs;
  for (let tried = 1; ; tried += 1) {
    signal.throwIfAborted();
    try {
      return await attempt(end - performance.now());
    } catch (error) {
      signal.throwIfAborted();
      const wait = backoff(tried, rules) + askedWait(error);
      const late = performance.now() + wait >= end;
      if (!isTransient(error) || tried >= rules.attempts || late) throw error;
      onRetry(error, wait);
      // The wait's own AbortError says nothing: the loop throws the signal's reason.
      await sleep(wait, undefined, { signal }).catch(() => undefined);
    }
  }
}

function backoff(tried: number, { baseDelayMs, maxDelayMs }: RetryRules): number {
  return Math.random() * Math.min(maxDelayMs, baseDelayMs * 2 ** (tried - 1));
}

function askedWait(error: unknown): number {
  return (error instanceof RefusedError && error.retryAfterMs) || 0;
}

/**
 * Milliseconds of a Retry-After header: seconds or an HTTP date (RFC 9110, 10.2.3). Undefined when
 * there is none that can be read.
 */
export function parseRetryAfter(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  if (/^\d+$/.test(text)) return Number(text) * 1_000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}
