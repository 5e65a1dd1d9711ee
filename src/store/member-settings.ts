import { z } from 'zod';
import type { Logger } from '../log.ts';
import { createRecords, type Records } from './records.ts';
import type { Store } from './store.ts';

/** What a member has set for one guild, whose custom voices no other guild has. */
export const MemberSettings = z.object({
  version: z.literal(1).default(1),
  voiceId: z.string().optional(),
  language: z.string().optional(),
  style: z.string().optional(),
  /** What Hark calls the member aloud. */
  spokenName: z.string().min(1).max(50).optional(),
});

export type MemberSettings = z.output<typeof MemberSettings>;

/** Settings by member: {@link memberKey} makes the id. */
export function createMemberSettings(store: Store, log: Logger): Records<MemberSettings> {
  return createRecords(store.space('member'), MemberSettings, log);
}

export function memberKey(guildId: string, userId: string): string {
  return `${guildId}:${userId}`;
}
