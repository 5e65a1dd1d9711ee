import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import {
  type CreditBalance,
  type UsagePage,
  UsageQuery,
  VoiceUsageQuery,
  type VoiceUsages,
} from '../../contract/usage.ts';
import { accountOf } from '../auth.ts';
import type { Charges } from '../charges.ts';
import type { Usage } from '../usage.ts';

export interface UsageContext {
  charges: Charges;
  usage: Usage;
  /** Where the picture of a voice is; undefined when it has none. */
  thumbnailUrl(voiceId: string, request: FastifyRequest): string | undefined;
}

/** Credit balance, usage per voice and day, usage analytics (supplement, "Paths"). */
export function registerUsage(
  instance: FastifyInstance,
  { charges, usage, thumbnailUrl }: UsageContext,
): void {
  const app = instance.withTypeProvider<ZodTypeProvider>();

  app.get('/credits', async (request) => {
    const balance = await charges.balance(accountOf(request).id);
    return { balance } satisfies CreditBalance;
  });

  app.get('/voice-usage', { schema: { querystring: VoiceUsageQuery } }, async (request) => {
    const rows = await usage.perVoice(accountOf(request).id, request.query);
    const usages = rows.map((row) => {
      const thumbnail_url = thumbnailUrl(row.voice_id, request);
      return thumbnail_url ? { ...row, thumbnail_url } : row;
    });
    return { usages } satisfies VoiceUsages;
  });

  app.get('/usage', { schema: { querystring: UsageQuery } }, async (request) => {
    const page = await usage.page(accountOf(request).id, request.query);
    return {
      data: page.items,
      total: page.total,
      next_page_token: page.nextPageToken,
    } satisfies UsagePage;
  });
}
