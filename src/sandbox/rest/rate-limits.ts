import { createHash } from 'node:crypto';

/** Requests allowed a window, for one route and major parameter. */
export interface BucketLimit {
  limit: number;
  /** Milliseconds. */
  window: number;
}

export interface RateLimitAnswer {
  headers: Record<string, string>;
  /** Set when the request is refused. */
  refused?: { message: string; retry_after: number; global: boolean };
}

/** A refusal that code asks for, whatever the bucket says. */
export interface ForcedLimit {
  /** Requests to refuse; 1 unless told. */
  times?: number;
  /** Milliseconds that the bot is to wait; 50 unless told. */
  retryAfter?: number;
  /** The whole application is limited, not one bucket. */
  global?: boolean;
}

const DEFAULT_LIMIT: BucketLimit = { limit: 50, window: 1000 };

const MAX_BUCKETS = 1000;

/** Counts requests in buckets and answers as Discord does (documentation, "Rate Limits"). */
export class RateLimits {
  readonly #buckets = new Map<string, { used: number; resetAt: number }>();
  readonly #limits: { path: RegExp; limit: BucketLimit }[] = [];
  readonly #forced: { path: RegExp; left: number; retryAfter: number; global: boolean }[] = [];

  /** Sets how many requests the buckets of these paths allow; the last setting that fits holds. */
  set(path: RegExp, limit: BucketLimit): void {
    this.#limits.unshift({ path, limit });
    this.#buckets.clear();
  }

  /** Refuses the next requests to these paths. */
  refuseNext(path: RegExp, { times = 1, retryAfter = 50, global = false }: ForcedLimit = {}): void {
    this.#forced.push({ path, left: times, retryAfter, global });
  }

  /**
   * Counts one request.
   *
   * @param route - method and route pattern, which share a bucket hash
   * @param major - the parameter that splits the bucket
   * @param path - the path itself, without `/api/v10`
   */
  take(route: string, major: string, path: string): RateLimitAnswer {
    const now = Date.now();
    const forced = this.#forced.find((entry) => entry.left > 0 && entry.path.test(path));
    const { limit, window } =
      this.#limits.find((entry) => entry.path.test(path))?.limit ?? DEFAULT_LIMIT;
    const hash = createHash('md5').update(route).digest('hex');
    const bucket = this.#bucket(`${hash}:${major}`, now, window);
    const headers = (remaining: number, resetAt: number) => ({
      'x-ratelimit-bucket': hash,
      'x-ratelimit-limit': String(limit),
      'x-ratelimit-remaining': String(remaining),
      'x-ratelimit-reset': (resetAt / 1000).toFixed(3),
      'x-ratelimit-reset-after': ((resetAt - now) / 1000).toFixed(3),
    });
    if (forced) {
      forced.left -= 1;
      return refusedAnswer(headers(0, now + forced.retryAfter), forced.retryAfter, forced.global);
    }
    if (bucket.used >= limit) {
      return refusedAnswer(headers(0, bucket.resetAt), bucket.resetAt - now, false);
    }
    bucket.used += 1;
    return { headers: headers(limit - bucket.used, bucket.resetAt) };
  }

  #bucket(key: string, now: number, window: number): { used: number; resetAt: number } {
    const existing = this.#buckets.get(key);
    if (existing && existing.resetAt > now) return existing;
    const fresh = { used: 0, resetAt: now + window };
    this.#buckets.delete(key);
    this.#buckets.set(key, fresh);
    const oldest = this.#buckets.keys().next().value;
    if (this.#buckets.size > MAX_BUCKETS && oldest !== undefined) this.#buckets.delete(oldest);
    return fresh;
  }
}

function refusedAnswer(
  headers: Record<string, string>,
  retryAfter: number,
  global: boolean,
): RateLimitAnswer {
  return {
    headers: {
      ...headers,
      'retry-after': String(Math.ceil(retryAfter / 1000)),
      'x-ratelimit-scope': global ? 'global' : 'user',
      ...(global && { 'x-ratelimit-global': 'true' }),
    },
    refused: { message: 'You are being rate limited.', retry_after: retryAfter / 1000, global },
  };
}
