import { z } from 'zod';
import type { Logger } from '../log.ts';
import { createRecords, type Records } from './records.ts';
import type { Store } from './store.ts';

const id = z.string().regex(/^\d{1,20}$/);

/** What a guild has set. Every field has a default, so that a new one needs no migration. */
export const GuildSettings = z.object({
  version: z.literal(1).default(1),
  /** Voice, language and style of who has chosen none; undefined means what fits the text. */
  voiceId: z.string().optional(),
  language: z.string().optional(),
  style: z.string().optional(),
  /** Loudness in a voice channel, in percent. */
  volume: z.int().min(0).max(200).default(100),
  /** Who has this role may skip and stop what others said. */
  controlRoleId: id.optional(),
  /** Items that may wait to be spoken: of all, and of one member. */
  queueLimit: z.int().min(1).max(200).default(50),
  memberQueueLimit: z.int().min(1).max(200).default(10),
  /** Minutes that Hark stays in a voice channel where nobody else is; 0 for as long as it likes. */
  leaveAfterMinutes: z.number().min(0).max(1_440).default(5),
  /** Whether Hark says who joins and leaves its voice channel. */
  announceJoins: z.boolean().default(false),
  /** Channels whose messages are read aloud. */
  readChannelIds: z.array(id).max(50).default([]),
  /** Members with this role are not read. */
  ignoreRoleId: id.optional(),
  /** A message that begins with this is not read. */
  skipPrefix: z.string().min(1).max(10).default('!'),
  /** Where Hark speaks, so that it comes back there after a restart. */
  session: z.object({ channelId: id, textChannelId: id }).optional(),
});

export type GuildSettings = z.output<typeof GuildSettings>;

/** Settings by guild. */
export function createGuildSettings(store: Store, log: Logger): Records<GuildSettings> {
  return createRecords(store.space('guild'), GuildSettings, log);
}

/** The guilds that Hark was speaking in, with where. */
export async function* guildsWithSession(
  store: Store,
): AsyncGenerator<{ guildId: string } & NonNullable<GuildSettings['session']>> {
  for await (const [guildId, kept] of store.space('guild').iterator()) {
    const settings = GuildSettings.safeParse(kept);
    if (settings.success && settings.data.session) yield { guildId, ...settings.data.session };
  }
}
