import { ApplicationCommandOptionType, ChannelType } from 'discord.js';
import type { Command } from '../src/discord/command.ts';
import { guildCommand } from '../src/discord/guild-command.ts';
import { channelOfMember, comeTo } from '../src/discord/voice-request.ts';

export const join: Command = {
  data: guildCommand({
    name: 'join',
    description: 'Ask Hark into a voice channel',
    options: [
      {
        type: ApplicationCommandOptionType.Channel,
        name: 'channel',
        description: 'Which one; by default the one that you are in',
        channel_types: [ChannelType.GuildVoice, ChannelType.GuildStageVoice],
      },
    ],
  }),
  defer: 'public',

  async execute(interaction, answer, services) {
    const { options } = interaction;
    const channel =
      options.getChannel('channel', false, [ChannelType.GuildVoice, ChannelType.GuildStageVoice]) ??
      channelOfMember(interaction);
    const session = await comeTo(channel, interaction, services);
    const [notHeard] = await Promise.all([services.host.arrived(session), answer.acknowledge()]);
    await answer.send({ content: `I am in <#${session.channelId}> now.` });
    if (notHeard !== undefined) await answer.note(notHeard);
  },
};
