import { tooMany } from './errors.ts';

/** How often a key may ask (supplement, "Limits"). */
export interface RateLimit {
  /**
   * Counts a request, unless it is refused.
   *
   * @throws {ApiError} 429 with the seconds until there is room
   */
  take(keyId: string): Promise<void>;
}

const MINUTE_MS = 60_000;

/** Keys that may be known before those are forgotten that have not asked for a minute. */
const SWEEP_AT = 1_000;

/**
 * Counts in this process: at most `perMinute` requests of a key in any 60 seconds.
 *
 * @param now - milliseconds of a clock that never goes back
 */
export function createRateLimit(
  perMinute: number,
  now: () => number = () => performance.now(),
): RateLimit {
  /** When each key asked within the last minute, oldest first: at most `perMinute` times. */
  const asked = new Map<string, number[]>();
  let sweepAt = SWEEP_AT;

  function sweep(since: number): void {
    for (const [key, times] of asked) if ((times.at(-1) ?? 0) <= since) asked.delete(key);
    // Twice what is in use, so that sweeping stays rare however many keys there are.
    sweepAt = Math.max(SWEEP_AT, asked.size * 2);
  }

  return {
    async take(keyId) {
      const time = now();
      const recent = (asked.get(keyId) ?? []).filter((at) => at > time - MINUTE_MS);
      const oldest = recent[0];
      if (oldest !== undefined && recent.length >= perMinute) {
        throw tooMany(Math.ceil((oldest + MINUTE_MS - time) / 1000));
      }
      asked.set(keyId, [...recent, time]);
      if (asked.size > sweepAt) sweep(time - MINUTE_MS);
    },
  };
}

/** For a service that only its own program asks. */
export const NO_RATE_LIMIT: RateLimit = { take: async () => {} };
