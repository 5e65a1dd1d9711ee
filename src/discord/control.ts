import { type GuildMember, PermissionFlagsBits } from 'discord.js';
import { UserError } from '../errors.ts';
import type { Item } from '../playback/item.ts';
import type { Session } from '../playback/session.ts';
import type { GuildSettings } from '../store/guild-settings.ts';
import type { CommandServices } from './command.ts';

/** Who asks, with what they may do where they ask. */
export interface Asking {
  member: GuildMember;
  memberPermissions: Readonly<{ has(permission: bigint): boolean }>;
}

/** Whether somebody may skip and stop what others had said: the control role, or Manage Messages. */
export function mayControlAll(
  { member, memberPermissions }: Asking,
  { controlRoleId }: Pick<GuildSettings, 'controlRoleId'>,
): boolean {
  return (
    memberPermissions.has(PermissionFlagsBits.ManageMessages) ||
    (controlRoleId !== undefined && member.roles.cache.has(controlRoleId))
  );
}

/** Whether somebody may skip, pause or stop this: who had it said may, too. */
export function mayControl(
  asking: Asking,
  item: Pick<Item, 'by'>,
  settings: Pick<GuildSettings, 'controlRoleId'>,
): boolean {
  return item.by === asking.member.id || mayControlAll(asking, settings);
}

/**
 * What is being said in a guild, for somebody who may control it.
 *
 * @param what - what they want to do, as in "may skip it"
 * @throws {UserError} when it is over, or when they may not control it
 */
export async function controlledSpeech(
  asking: Asking & { guildId: string },
  { host, settings }: Pick<CommandServices, 'host' | 'settings'>,
  what: string,
): Promise<{ session: Session; item: Item }> {
  const kept = await settings.get(asking.guildId);
  const session = host.get(asking.guildId);
  const item = session?.queue().speaking?.item;
  if (!session || !item) throw new UserError('That was already said.');
  if (!mayControl(asking, item, kept)) throw new UserError(controlSentence(what, kept));
  return { session, item };
}

/** Said to who may not. */
export function controlSentence(
  what: string,
  { controlRoleId }: Pick<GuildSettings, 'controlRoleId'>,
): string {
  const role = controlRoleId === undefined ? '' : `, someone with <@&${controlRoleId}>`;
  return `Only who had it said${role} or a moderator (“Manage Messages”) may ${what}.`;
}
