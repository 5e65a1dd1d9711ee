import type { ChatInputCommandInteraction, VoiceBasedChannel } from 'discord.js';
import { PermissionFlagsBits } from 'discord.js';
import { UserError } from '../errors.ts';
import type { Session } from '../playback/session.ts';
import type { CommandServices } from './command.ts';
import { mayControlAll } from './control.ts';

type Interaction = ChatInputCommandInteraction<'cached'>;

/** The voice channel that the member is in. @throws {UserError} when in none */
export function channelOfMember({ member }: Interaction): VoiceBasedChannel {
  const { channel } = member.voice;
  if (channel) return channel;
  throw new UserError('You are in no voice channel: join one first, or name one with /join.');
}

/**
 * Brings Hark into a channel for a member, unless it is there. It does not leave others who listen
 * to it for somebody without control over it.
 *
 * @throws {UserError} says why it does not come
 */
export async function comeTo(
  channel: VoiceBasedChannel,
  interaction: Interaction,
  { host, settings }: Pick<CommandServices, 'host' | 'settings'>,
): Promise<Session> {
  const { guildId, member, channelId } = interaction;
  const mayEnter = channel
    .permissionsFor(member)
    .has(PermissionFlagsBits.ViewChannel | PermissionFlagsBits.Connect);
  if (!mayEnter) throw new UserError(`You may not join ${channel} yourself: name another channel.`);
  const kept = await settings.get(guildId);
  const present = host.get(guildId);
  if (present && present.channelId === channel.id) return present;
  if (present && listeners(present, interaction) > 0 && !mayControlAll(interaction, kept)) {
    throw new UserError(
      `I am speaking for others in <#${present.channelId}>: join them, or ask a moderator (“Manage Messages”) to move me.`,
    );
  }
  return host.join(channel, channelId);
}

/** People beside the member who are with Hark. */
export function listeners(session: Session, { guild, member }: Interaction): number {
  const channel = guild.channels.cache.get(session.channelId);
  if (!channel?.isVoiceBased()) return 0;
  return channel.members.filter(({ id, user }) => !user.bot && id !== member.id).size;
}
