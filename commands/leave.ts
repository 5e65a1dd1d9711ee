import type { Command } from '../src/discord/command.ts';
import { mayControlAll } from '../src/discord/control.ts';
import { guildCommand } from '../src/discord/guild-command.ts';
import { listeners } from '../src/discord/voice-request.ts';
import { UserError } from '../src/errors.ts';

export const leave: Command = {
  data: guildCommand({ name: 'leave', description: 'Send Hark out of the voice channel' }),
  defer: 'public',
  requires: ['session'],

  async execute(interaction, answer, { host, settings }) {
    const { guildId, member } = interaction;
    const session = host.get(guildId);
    const channelId = session?.channelId;
    const isThere = member.voice.channelId === channelId;
    if (session && !isThere && listeners(session, interaction) > 0) {
      if (!mayControlAll(interaction, await settings.get(guildId))) {
        throw new UserError(
          `Others listen to me in <#${channelId}>: only they or a moderator (“Manage Messages”) may send me out.`,
        );
      }
    }
    host.leave(guildId);
    await answer.send({ content: `I have left <#${channelId}>.` });
  },
};
