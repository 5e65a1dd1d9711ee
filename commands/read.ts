import {
  type APIApplicationCommandSubcommandOption,
  ApplicationCommandOptionType,
  ChannelType,
  GatewayIntentBits,
  PermissionFlagsBits,
} from 'discord.js';
import type { Command } from '../src/discord/command.ts';
import { guildCommand } from '../src/discord/guild-command.ts';
import { UserError } from '../src/errors.ts';

/** Channels that a guild can have read. */
const MAX_CHANNELS = 50;

const READABLE = [
  ChannelType.GuildText,
  ChannelType.GuildVoice,
  ChannelType.GuildStageVoice,
  ChannelType.GuildAnnouncement,
  ChannelType.PublicThread,
] as const;

export const read: Command = {
  data: guildCommand({
    name: 'read',
    description: 'Read the messages of a channel aloud in the voice channel',
    options: [
      subcommand('on', 'Read new messages aloud'),
      subcommand('off', 'Read them no longer'),
    ],
  }),
  defer: 'public',

  async execute(interaction, answer, { host, settings }) {
    const { options, guildId, guild, member } = interaction;
    const channelId = options.getChannel('channel', false, READABLE)?.id ?? interaction.channelId;
    const channel = guild.channels.cache.get(channelId);
    const seen = PermissionFlagsBits.ViewChannel;
    if (!channel?.permissionsFor(member).has(seen)) {
      throw new UserError('You cannot see that channel yourself: name another one.');
    }
    if (options.getSubcommand() === 'off') {
      let was = false;
      await settings.update(guildId, ({ readChannelIds }) => {
        was = readChannelIds.includes(channelId);
        return { readChannelIds: readChannelIds.filter((id) => id !== channelId) };
      });
      if (!was) throw new UserError(`I do not read <#${channelId}> aloud.`);
      await answer.send({ content: `I no longer read <#${channelId}> aloud.` });
      return;
    }
    const { me } = guild.members;
    if (!me || !channel.permissionsFor(me).has(seen)) {
      throw new UserError(`I cannot see <#${channelId}>: an administrator can let me in.`);
    }
    if (!interaction.client.options.intents.has(GatewayIntentBits.MessageContent)) {
      throw new UserError(
        'Discord does not tell me what messages say: whoever runs me has to switch on “Message Content Intent” in the Developer Portal and start me again.',
      );
    }
    await settings.update(guildId, ({ readChannelIds }) => {
      if (readChannelIds.includes(channelId)) {
        throw new UserError(`I read <#${channelId}> aloud already.`);
      }
      if (readChannelIds.length >= MAX_CHANNELS) {
        throw new UserError(`I read ${MAX_CHANNELS} channels already: turn one off first.`);
      }
      return { readChannelIds: [...readChannelIds, channelId] };
    });
    const when = host.get(guildId) ? 'from now on' : 'once I am in a voice channel (/join)';
    await answer.send({ content: `I read <#${channelId}> aloud ${when}.` });
  },
};

function subcommand(name: string, description: string): APIApplicationCommandSubcommandOption {
  return {
    type: ApplicationCommandOptionType.Subcommand,
    name,
    description,
    options: [
      {
        type: ApplicationCommandOptionType.Channel,
        name: 'channel',
        description: 'Which one; by default this one',
        channel_types: [...READABLE],
      },
    ],
  };
}
