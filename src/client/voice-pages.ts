import { z } from 'zod';
import { PAGE_SIZE } from '../contract/limits.ts';
import { Voice, VoicePage } from '../contract/voices.ts';
import { BadAnswerError, type RequestName } from './errors.ts';

/** A voice without its samples: what is needed to choose one and to check a request against it. */
export const VoiceSummary = Voice.omit({ samples: true });

export type VoiceSummary = z.infer<typeof VoiceSummary>;

export const VoiceSummaryPage = VoicePage.extend({ items: z.array(VoiceSummary) });

export const LIST_VOICES = { method: 'GET', path: '/v1/voices' } as const;

export const SEARCH_VOICES = { method: 'GET', path: '/v1/voices/search' } as const;

/** A service that never ends its pages must not keep us asking, or fill the memory. */
const MAX_PAGES = 100;

/**
 * Walks the pages of a listing from the first to the last.
 *
 * @param fetchPage - asks for one page with these query parameters
 * @throws {BadAnswerError} when the pages do not end
 */
export async function allPages<T extends { voice_id: string }>(
  listing: RequestName,
  fetchPage: (
    query: Record<string, string | undefined>,
  ) => Promise<{ items: T[]; next_page_token: string | null }>,
): Promise<T[]> {
  const voices = new Map<string, T>();
  let token: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const { items, next_page_token } = await fetchPage({
      page_size: String(PAGE_SIZE.maximum),
      next_page_token: token,
    });
    for (const voice of items) voices.set(voice.voice_id, voice);
    if (next_page_token === null) return [...voices.values()];
    token = next_page_token;
  }
  throw new BadAnswerError(listing, `there are more than ${MAX_PAGES} pages`);
}
