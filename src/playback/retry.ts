/** First and longest wait before the next try, milliseconds. */
const FIRST_MS = 250;
const LONGEST_MS = 5_000;

/** A try that nothing came of is followed by the next one after this long. */
const UNANSWERED_MS = 5_000;

/** Tries something again and again, later from time to time, until it is stopped. */
export interface Retry {
  /** Tries at once. */
  now(): void;
  /** Tries after a wait, twice as long each time. */
  later(): void;
  /** Begins with the shortest wait again. */
  reset(): void;
  stop(): void;
}

/** @param attempt - false when the try could not even be made */
export function createRetry(attempt: () => boolean): Retry {
  let timer: NodeJS.Timeout | undefined;
  let tries = 0;

  function schedule(ms: number): void {
    clearTimeout(timer);
    timer = setTimeout(now, ms);
  }

  function now(): void {
    if (attempt()) schedule(UNANSWERED_MS);
    else later();
  }

  function later(): void {
    schedule(Math.min(LONGEST_MS, FIRST_MS * 2 ** tries));
    tries += 1;
  }

  return {
    now,
    later,
    reset: () => {
      tries = 0;
    },
    stop: () => clearTimeout(timer),
  };
}
