import { type GuildMember, PermissionFlagsBits } from 'discord.js';
import type { Item } from '../playback/item.ts';
import type { GuildSettings } from '../store/guild-settings.ts';

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

/** Said to who may not. */
export function controlSentence(
  what: string,
  { controlRoleId }: Pick<GuildSettings, 'controlRoleId'>,
): string {
  const role = controlRoleId === undefined ? '' : `, someone with <@&${controlRoleId}>`;
  return `Only who had it said${role} or a moderator (“Manage Messages”) may ${what}.`;
}
