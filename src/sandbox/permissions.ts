import { OverwriteType, PermissionFlagsBits } from 'discord-api-types/v10';
import type { Channel, Guild, Member } from './world.ts';

const EVERY_PERMISSION = Object.values(PermissionFlagsBits).reduce((all, bit) => all | bit, 0n);

/** What a member may do in a whole guild: their roles added up; everything for owner and administrators. */
export function guildPermissions(guild: Guild, member: Member): bigint {
  if (guild.ownerId === member.user.id) return EVERY_PERMISSION;
  const granted = [guild.id, ...member.roles].reduce(
    (all, roleId) => all | BigInt(guild.roles.get(roleId)?.permissions ?? 0),
    0n,
  );
  return granted & PermissionFlagsBits.Administrator ? EVERY_PERMISSION : granted;
}

/**
 * What a member may do in a channel: the guild's permissions, then the overwrites for everyone, for
 * the member's roles together, and for the member.
 */
export function channelPermissions(guild: Guild, member: Member, channel: Channel): bigint {
  let permissions = guildPermissions(guild, member);
  if (permissions === EVERY_PERMISSION) return permissions;

  const apply = (ids: readonly string[], type: OverwriteType) => {
    const overwrites = channel.overwrites.filter(
      (overwrite) => overwrite.type === type && ids.includes(overwrite.id),
    );
    for (const { deny } of overwrites) permissions &= ~BigInt(deny);
    for (const { allow } of overwrites) permissions |= BigInt(allow);
  };
  apply([guild.id], OverwriteType.Role);
  apply(member.roles, OverwriteType.Role);
  apply([member.user.id], OverwriteType.Member);
  return permissions;
}

export function hasPermission(permissions: bigint, permission: bigint): boolean {
  return (permissions & permission) === permission;
}
