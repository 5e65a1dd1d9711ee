import type { Guild } from 'discord.js';
import type { MentionNames } from './text.ts';

/** More people than this in one text are not looked up one by one. */
const MAX_LOOKUPS = 10;

/**
 * The names of whom and what a text mentions, as this guild knows them. Members that are not in
 * the cache are asked for; who cannot be found has no name.
 */
export async function mentionNames(guild: Guild, text: string): Promise<MentionNames> {
  const ids = new Set(Array.from(text.matchAll(/<@!?(\d+)>/g), ([, id]) => id ?? ''));
  const unknown = [...ids].filter((id) => !guild.members.cache.has(id)).slice(0, MAX_LOOKUPS);
  // A member who left is no reason not to speak the rest.
  await Promise.allSettled(unknown.map((id) => guild.members.fetch({ user: id, cache: true })));
  return {
    user: (id) => guild.members.cache.get(id)?.displayName,
    role: (id) => guild.roles.cache.get(id)?.name,
    channel: (id) => guild.channels.cache.get(id)?.name,
  };
}
