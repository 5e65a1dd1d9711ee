import { type Kysely, sql } from 'kysely';
import type { Breakdown, UsageBucket, UsageQuery, VoiceUsages } from '../contract/usage.ts';
import { BUCKET_MS, bucketsOf } from './buckets.ts';
import { type Page, pageOffset, pageToken } from './pages.ts';
import type { Tables } from './store/tables.ts';

/** What accounts have spoken. */
export interface Usage {
  /**
   * From the first to the last day, one row for each voice, style, language and model of a day
   * (supplement, "Voice usage row").
   *
   * @param query - days in UTC, YYYY-MM-DD
   */
  perVoice(
    accountId: string,
    query: { start_date: string; end_date: string },
  ): Promise<VoiceUsages['usages']>;
  /** A page of hours or days (supplement, "Usage analytics"). */
  page(accountId: string, query: UsageQuery): Promise<Page<UsageBucket>>;
}

export function createUsage(db: Kysely<Tables>): Usage {
  return {
    perVoice: (accountId, query) => voiceUsage(db, accountId, query),
    page: (accountId, query) => usagePage(db, accountId, query),
  };
}

const MINUTE_MS = 60_000;

const COLUMNS = {
  voice_id: 'voice_id',
  voice_name: 'voice_name',
  api_key: 'key_tail',
  model: 'model',
} as const satisfies Record<Breakdown, string>;

const total = sql<number>`cast(sum(length_ms) as bigint)`;

async function voiceUsage(
  db: Kysely<Tables>,
  accountId: string,
  query: { start_date: string; end_date: string },
): Promise<VoiceUsages['usages']> {
  const rows = await db
    .selectFrom('usage')
    .select(['voice_id', 'voice_name', 'style', 'language', 'model'])
    .select([sql<number>`made_at / ${sql.lit(BUCKET_MS.day)}`.as('day'), total.as('length_ms')])
    .where('account_id', '=', accountId)
    .where('made_at', '>=', Date.parse(query.start_date))
    .where('made_at', '<', Date.parse(query.end_date) + BUCKET_MS.day)
    .groupBy(['day', 'voice_id', 'voice_name', 'style', 'language', 'model'])
    .orderBy('day')
    .orderBy('voice_id')
    .orderBy('style')
    .orderBy('language')
    .orderBy('model')
    .execute();
  return rows.map(({ day, voice_name, length_ms, ...row }) => ({
    date: new Date(day * BUCKET_MS.day).toISOString().slice(0, 10),
    voice_id: row.voice_id,
    name: voice_name,
    style: row.style,
    language: row.language,
    total_minutes_used: length_ms / MINUTE_MS,
    model: row.model,
  }));
}

async function usagePage(
  db: Kysely<Tables>,
  accountId: string,
  query: UsageQuery,
): Promise<Page<UsageBucket>> {
  const { page_size, next_page_token, ...asked } = query;
  const scope = `usage ${JSON.stringify(Object.entries(asked).sort())}`;
  const first = pageOffset(scope, next_page_token);
  const width = BUCKET_MS[asked.bucket_width];
  const buckets = bucketsOf(asked.start_time, asked.end_time, width);
  const end = Math.min(first + page_size, buckets.count);
  const from = buckets.startOf(first);

  const rows = await db
    .selectFrom('usage')
    .select(sql<number>`(made_at - ${sql.lit(from)}) / ${sql.lit(width)}`.as('bucket'))
    .select(total.as('length_ms'))
    .select(asked.breakdown_type.map((name) => COLUMNS[name]))
    .where('account_id', '=', accountId)
    .where('made_at', '>=', Math.max(from, Date.parse(asked.start_time)))
    .where('made_at', '<', Math.min(buckets.startOf(end), Date.parse(asked.end_time)))
    .groupBy(['bucket', ...asked.breakdown_type.map((name) => COLUMNS[name])])
    .orderBy('length_ms', 'desc')
    .execute();

  const items = Array.from({ length: Math.max(0, end - first) }, (_, index) => ({
    starting_at: buckets.format(buckets.startOf(first + index)),
    ending_at: buckets.format(buckets.startOf(first + index + 1)),
    results: rows
      .filter(({ bucket }) => bucket === index)
      .map(({ bucket: _, length_ms, key_tail, ...split }) => ({
        minutes_used: length_ms / MINUTE_MS,
        ...split,
        ...(key_tail !== undefined && { api_key: `****${key_tail}` }),
      })),
  }));
  return {
    items,
    total: buckets.count,
    nextPageToken: end < buckets.count ? pageToken(scope, end) : null,
  };
}
