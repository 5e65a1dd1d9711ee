import { createHash } from 'node:crypto';
import { ApiError } from './errors.ts';

const CHECK_LENGTH = 12;

/** Ties a token to the listing it was made for, and tells a mistyped or shortened one from a whole one. */
function check(scope: string, offset: number): string {
  return createHash('sha256')
    .update(`${scope}\n${offset}`)
    .digest('base64url')
    .slice(0, CHECK_LENGTH);
}

/** The token of the page that starts at `offset`; the same in every process of the service. */
export function pageToken(scope: string, offset: number): string {
  return Buffer.from(`${offset}.${check(scope, offset)}`).toString('base64url');
}

/**
 * The offset that a token stands for.
 *
 * @param scope - names the listing and its filters; a token of another one is refused
 * @throws {ApiError} 400 for a token that this listing never gave (supplement, "Page of voices")
 */
export function pageOffset(scope: string, token: string | undefined): number {
  if (token === undefined) return 0;
  const offset = Number.parseInt(Buffer.from(token, 'base64url').toString(), 10);
  if (!Number.isSafeInteger(offset) || pageToken(scope, offset) !== token) {
    throw new ApiError(400, 'next_page_token is not a token of this listing.');
  }
  return offset;
}

export interface Page<T> {
  items: T[];
  /** Items on all pages. */
  total: number;
  /** null on the last page. */
  nextPageToken: string | null;
}

/** Cuts one page out of a whole listing. */
export function pageOf<T>(
  all: readonly T[],
  scope: string,
  query: { page_size: number; next_page_token?: string | undefined },
): Page<T> {
  const start = pageOffset(scope, query.next_page_token);
  const end = start + query.page_size;
  return {
    items: all.slice(start, end),
    total: all.length,
    nextPageToken: end < all.length ? pageToken(scope, end) : null,
  };
}
