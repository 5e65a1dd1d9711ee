import { timingSafeEqual } from 'node:crypto';
import type { FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import { API_KEY_HEADER } from '../contract/limits.ts';
import { ApiError } from './errors.ts';
import { digestKey } from './keys.ts';

/** Whom an API key belongs to (supplement, "Accounts"). */
export interface Account {
  id: string;
  name: string;
  tier: 'free' | 'paid';
  /** Seconds of speech left when the request came; null means unlimited. */
  credits: number | null;
  /** The key that the request carried. */
  key: { /** Names the key without giving it away. */ id: string; tail: string };
}

/** The account of a key; undefined when the key is missing, unknown or disabled. */
export type Authenticate = (key: string | undefined) => Promise<Account | undefined>;

declare module 'fastify' {
  interface FastifyRequest {
    /** Set for every route behind the API key. */
    account: Account | null;
  }
}

/** Compares two hashes in hex in a time that does not tell where they differ. */
export function sameHash(one: string, other: string): boolean {
  return timingSafeEqual(Buffer.from(one, 'hex'), Buffer.from(other, 'hex'));
}

/**
 * Accepts one more key, which is kept nowhere but in this process: the one of the environment, or of
 * the bot that the service runs in.
 *
 * @param find - the account that the key opens
 */
export function acceptKey(
  key: string,
  find: (key: Account['key']) => Promise<Account | undefined>,
  otherwise: Authenticate,
): Authenticate {
  const own = digestKey(key);
  return async (given) => {
    if (given !== undefined && sameHash(digestKey(given).hash, own.hash)) {
      return find({ id: own.lookup, tail: own.tail });
    }
    return otherwise(given);
  };
}

/** Refuses requests without a valid key with 401, before anything else is looked at (spec, "Authentication"). */
export function requireAccount(authenticate: Authenticate): onRequestAsyncHookHandler {
  return async (request: FastifyRequest) => {
    const key = request.headers[API_KEY_HEADER];
    const account = await authenticate(typeof key === 'string' ? key : undefined);
    if (!account) throw new ApiError(401, 'Invalid API key');
    request.account = account;
  };
}

/** The account of a request to a route behind `requireAccount`. */
export function accountOf(request: FastifyRequest): Account {
  if (!request.account) throw new Error('the route does not ask for an API key');
  return request.account;
}
