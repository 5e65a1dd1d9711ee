import { ChannelType, PermissionFlagsBits as Permission } from 'discord-api-types/v10';
import type { Channel, Guild, Member, World } from './world.ts';

/** The guild that every sandbox begins with. */
export interface Team {
  guild: Guild;
  /** Text channels: general, random. */
  text: [Channel, Channel];
  /** Voice channels: Lounge, Focus. */
  voice: [Channel, Channel];
  /** Owns the guild. */
  administrator: Member;
  /** May do what members of a team usually may. */
  member: Member;
  /** May read, write and use commands, no more. */
  newcomer: Member;
}

function all(...permissions: bigint[]): bigint {
  return permissions.reduce((sum, permission) => sum | permission, 0n);
}

const EVERYONE = all(
  Permission.ViewChannel,
  Permission.SendMessages,
  Permission.ReadMessageHistory,
  Permission.UseApplicationCommands,
  Permission.Connect,
);

const MEMBERS = all(
  Permission.AddReactions,
  Permission.AttachFiles,
  Permission.EmbedLinks,
  Permission.SendVoiceMessages,
  Permission.Speak,
  Permission.UseVAD,
);

/** What the bot is installed with. */
export const BOT_PERMISSIONS = all(EVERYONE, MEMBERS);

export function createTeam(world: World, name = 'Team'): Team {
  const guild = world.addGuild({ name, everyone: EVERYONE });
  const administrators = world.addRole(guild, {
    name: 'Administrators',
    permissions: Permission.Administrator,
  });
  const members = world.addRole(guild, { name: 'Members', permissions: MEMBERS });
  const channel = (name: string, type: Channel['type']) => world.addChannel(guild, { name, type });
  const administrator = world.addMember(guild, { name: 'Ada', roles: [administrators] });
  world.setOwner(guild, administrator);
  return {
    guild,
    text: [channel('general', ChannelType.GuildText), channel('random', ChannelType.GuildText)],
    voice: [channel('Lounge', ChannelType.GuildVoice), channel('Focus', ChannelType.GuildVoice)],
    administrator,
    member: world.addMember(guild, { name: 'Minjun', roles: [members] }),
    newcomer: world.addMember(guild, { name: 'Noor' }),
  };
}
