import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import { API_KEY_HEADER } from '../contract/limits.ts';
import { ApiError } from './errors.ts';

/** Whom an API key belongs to. */
export interface Account {
  id: string;
}

/** The account of a key; undefined when the key is missing, unknown or disabled. */
export type Authenticate = (key: string | undefined) => Promise<Account | undefined>;

declare module 'fastify' {
  interface FastifyRequest {
    /** Set for every route behind the API key. */
    account: Account | null;
  }
}

function hash(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

/** One account with the given keys. What is held and compared are their hashes, in constant time. */
export function createKeyAuthenticator(keys: readonly string[]): Authenticate {
  const hashes = keys.map(hash);
  const account: Account = { id: 'default' };
  return async (key) => {
    if (key === undefined) return undefined;
    const given = hash(key);
    let known = false;
    // Every hash is compared, so that the time does not tell which one matched.
    for (const candidate of hashes) known = timingSafeEqual(candidate, given) || known;
    return known ? account : undefined;
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
