import { ChannelType, PermissionFlagsBits, type VoiceBasedChannel } from 'discord.js';

/**
 * Why Hark cannot speak in a voice channel, in a sentence that says what to do; undefined when it
 * can. Discord itself gives no answer to who may not join.
 */
export function refusalOf(channel: VoiceBasedChannel): string | undefined {
  const { me } = channel.guild.members;
  const permissions = me && channel.permissionsFor(me);
  const lacks = (permission: bigint) => !permissions?.has(permission);
  if (lacks(PermissionFlagsBits.ViewChannel)) {
    return `I cannot see ${channel}: an administrator can give me “View Channel” there.`;
  }
  if (lacks(PermissionFlagsBits.Connect)) {
    return `I may not join ${channel}: an administrator can give me “Connect” there.`;
  }
  if (channel.type === ChannelType.GuildVoice && lacks(PermissionFlagsBits.Speak)) {
    return `I may not speak in ${channel}: an administrator can give me “Speak” there.`;
  }
  const present = channel.members.has(channel.client.user.id);
  if (channel.full && !present && lacks(PermissionFlagsBits.MoveMembers)) {
    return `${channel} is full: someone has to leave, or an administrator can raise its limit.`;
  }
  return undefined;
}

/**
 * Lets Hark be heard where it has just joined: on a stage everybody begins in the audience.
 *
 * @returns why it is not heard yet, in a sentence; undefined when it is
 */
export async function becomeSpeaker(channel: VoiceBasedChannel): Promise<string | undefined> {
  const { me } = channel.guild.members;
  if (!me) return undefined;
  if (me.voice.serverMute) {
    return `I am muted by the server, so nobody hears me in ${channel}: a moderator can unmute me.`;
  }
  if (channel.type !== ChannelType.GuildStageVoice || !me.voice.suppress) return undefined;
  const permissions = channel.permissionsFor(me);
  if (permissions.has(PermissionFlagsBits.MuteMembers)) {
    await me.voice.setSuppressed(false);
    return undefined;
  }
  if (permissions.has(PermissionFlagsBits.RequestToSpeak)) await me.voice.setRequestToSpeak(true);
  return `I am in the audience of ${channel}, where nobody hears me: a stage moderator can invite me to speak.`;
}
