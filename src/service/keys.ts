import { createHash, randomBytes } from 'node:crypto';

/** Characters at the end of a key that may be shown (supplement, "Usage analytics"). */
const TAIL_LENGTH = 4;

const LOOKUP_LENGTH = 16;

/** What is kept of an API key. */
export interface KeyDigest {
  /** SHA-256, in hex. */
  hash: string;
  /** The start of `hash`: names the key without giving it away. */
  lookup: string;
  /** The last characters of the key. */
  tail: string;
}

/** A new API key: 256 random bits behind a prefix that scanners for leaked secrets can know. */
export function createKey(): string {
  return `hark_${randomBytes(32).toString('base64url')}`;
}

/** A key has so much chance in it that a plain hash keeps it: there is nothing to try out. */
export function digestKey(key: string): KeyDigest {
  const hash = createHash('sha256').update(key).digest('hex');
  return { hash, lookup: hash.slice(0, LOOKUP_LENGTH), tail: key.slice(-TAIL_LENGTH) };
}
