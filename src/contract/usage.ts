import { z } from 'zod';

/** Answer of the credit balance (supplement, "Paths"). */
export const CreditBalance = z
  .object({
    balance: z
      .number()
      .nonnegative()
      .nullable()
      .meta({
        title: 'Balance',
        description: 'Unit: seconds of speech; null when the account is unlimited.',
        examples: [3599.58],
      }),
  })
  .meta({ id: 'CreditBalance', title: 'Credit balance' });

export type CreditBalance = z.infer<typeof CreditBalance>;

const day = z.iso.date({ error: 'must be a date such as 2026-11-21' });

/** Query of the usage per voice and day (supplement, "Paths"). */
export const VoiceUsageQuery = z
  .object({
    start_date: day.meta({ title: 'First day', description: 'UTC.', examples: ['2026-11-01'] }),
    end_date: day.meta({
      title: 'Last day',
      description: 'UTC; the day belongs to the answer.',
      examples: ['2026-11-30'],
    }),
  })
  .refine(({ start_date, end_date }) => start_date <= end_date, {
    path: ['end_date'],
    error: 'must not be before start_date',
  });

const minutes = z.number().nonnegative();

/** Speech of one day with one voice, style, language and model (supplement, "Voice usage row"). */
export const VoiceUsage = z
  .object({
    date: z.iso.date().meta({ title: 'Day', description: 'UTC.', examples: ['2026-11-21'] }),
    voice_id: z.string().meta({ title: 'Voice id', examples: ['aria'] }),
    name: z.string().meta({ title: 'Name of the voice', examples: ['Aria'] }),
    style: z.string().meta({ title: 'Style', examples: ['neutral'] }),
    language: z.string().meta({ title: 'Language', examples: ['en'] }),
    total_minutes_used: minutes.meta({ title: 'Speech made', description: 'Unit: minutes.' }),
    model: z.string().meta({ title: 'Model', examples: ['sona_speech_1'] }),
    thumbnail_url: z
      .url()
      .optional()
      .meta({
        title: 'Address of the picture',
        examples: ['http://127.0.0.1:8600/v1/voices/aria/thumbnail.png'],
      }),
  })
  .meta({ id: 'VoiceUsage', title: 'Usage of a voice on a day' });

export const VoiceUsages = z
  .object({
    usages: z.array(VoiceUsage).meta({ title: 'Usage', description: 'In the order of days.' }),
  })
  .meta({ id: 'VoiceUsages', title: 'Usage per voice and day' });

export type VoiceUsages = z.infer<typeof VoiceUsages>;

export const BREAKDOWNS = ['voice_id', 'voice_name', 'api_key', 'model'] as const;

export type Breakdown = (typeof BREAKDOWNS)[number];

/** Buckets on a page of usage (supplement, "Usage analytics"). */
export const USAGE_PAGE_SIZE = { minimum: 1, maximum: 20, default: 10 } as const;

const moment = z.string().transform((text, context) => {
  // A plus sign that a client forgot to escape arrives as a space.
  const time = text.replace(/ (?=\d\d:\d\d$)/, '+');
  if (z.iso.datetime({ offset: true }).safeParse(time).success) return time;
  context.addIssue({ code: 'custom', message: 'must be a time such as 2026-11-21T09:00:00+09:00' });
  return z.NEVER;
});

/** RFC 3339 has no year 10000, in which the last bucket would end in some offset. */
const LATEST = Date.UTC(9999, 11, 30);

const pageSizeRange = `must be a whole number from ${USAGE_PAGE_SIZE.minimum} to ${USAGE_PAGE_SIZE.maximum}`;

/** Query of usage analytics (supplement, "Usage analytics"). */
export const UsageQuery = z
  .object({
    start_time: moment.meta({
      title: 'From',
      description: 'A time with its offset (RFC 3339), which the times of the answer carry.',
      examples: ['2026-11-01T00:00:00+09:00'],
    }),
    end_time: moment.meta({
      title: 'Until',
      description: 'This moment does not belong to the answer.',
      examples: ['2026-12-01T00:00:00+09:00'],
    }),
    bucket_width: z
      .enum(['hour', 'day'])
      .default('day')
      .meta({ title: 'Width of a bucket', examples: ['day'] }),
    breakdown_type: z
      .union([z.string(), z.array(z.string())])
      .default([])
      .transform((given, context) => {
        const names = [given]
          .flat()
          .flatMap((value) => value.split(',').map((name) => name.trim()));
        const wrong = names.find((name) => !BREAKDOWNS.some((allowed) => allowed === name));
        if (wrong !== undefined) {
          const message = `"${wrong}" is not one of ${BREAKDOWNS.join(', ')}`;
          context.addIssue({ code: 'custom', message });
        }
        return BREAKDOWNS.filter((name) => names.includes(name));
      })
      .meta({
        title: 'Split by',
        description: `Any of ${BREAKDOWNS.join(', ')}; repeated or comma-separated.`,
      }),
    page_size: z.coerce
      .number()
      .refine(
        (size) =>
          Number.isInteger(size) &&
          size >= USAGE_PAGE_SIZE.minimum &&
          size <= USAGE_PAGE_SIZE.maximum,
        { error: pageSizeRange },
      )
      .default(USAGE_PAGE_SIZE.default)
      .meta({ title: 'Page size', description: 'Buckets a page.' }),
    next_page_token: z.string().min(1, 'must not be empty').optional().meta({
      title: 'Token from the page before',
      description: 'Without it the first page is given.',
    }),
  })
  .refine(({ start_time, end_time }) => Date.parse(start_time) < Date.parse(end_time), {
    path: ['end_time'],
    error: 'must be after start_time',
  })
  .refine(({ end_time }) => Date.parse(end_time) <= LATEST, {
    path: ['end_time'],
    error: 'must not be after 9999-12-30',
  });

export type UsageQuery = z.output<typeof UsageQuery>;

const UsageResult = z
  .object({
    minutes_used: minutes.meta({ title: 'Speech made', description: 'Unit: minutes.' }),
    voice_id: z
      .string()
      .optional()
      .meta({ title: 'Voice id', examples: ['aria'] }),
    voice_name: z
      .string()
      .optional()
      .meta({ title: 'Name of the voice', examples: ['Aria'] }),
    api_key: z
      .string()
      .optional()
      .meta({
        title: 'API key',
        description: 'Masked to its last four characters.',
        examples: ['****3fQ9'],
      }),
    model: z
      .string()
      .optional()
      .meta({ title: 'Model', examples: ['sona_speech_1'] }),
  })
  .meta({ id: 'UsageResult', title: 'Usage of one part' });

export const UsageBucket = z
  .object({
    starting_at: z.iso
      .datetime({ offset: true })
      .meta({ title: 'Start', examples: ['2026-11-21T00:00:00+09:00'] }),
    ending_at: z.iso
      .datetime({ offset: true })
      .meta({ title: 'End', examples: ['2026-11-22T00:00:00+09:00'] }),
    results: z
      .array(UsageResult)
      .meta({ title: 'Usage', description: 'Empty when nothing was spoken.' }),
  })
  .meta({ id: 'UsageBucket', title: 'Usage in an hour or a day' });

export type UsageBucket = z.infer<typeof UsageBucket>;

/** A page of usage: one bucket for each hour or day of the time that was asked for. */
export const UsagePage = z
  .object({
    data: z.array(UsageBucket).meta({ title: 'Buckets', description: 'In the order of time.' }),
    total: z.int().nonnegative().meta({ title: 'Total', description: 'Buckets on all pages.' }),
    next_page_token: z
      .string()
      .nullable()
      .meta({ title: 'Token of the next page', description: 'null on the last page.' }),
  })
  .meta({ id: 'UsagePage', title: 'Page of usage' });

export type UsagePage = z.infer<typeof UsagePage>;
