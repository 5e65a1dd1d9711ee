import type { Command } from '../src/discord/command.ts';
import { controlSentence, mayControl } from '../src/discord/control.ts';
import { guildCommand } from '../src/discord/guild-command.ts';
import { UserError } from '../src/errors.ts';

export const stop: Command = {
  data: guildCommand({
    name: 'stop',
    description: 'End what is being said, and empty the queue of what you may stop',
  }),
  defer: 'public',
  requires: ['session'],

  async execute(interaction, answer, { host, settings }) {
    const kept = await settings.get(interaction.guildId);
    const session = host.get(interaction.guildId);
    const stopped = session?.remove((item) => mayControl(interaction, item, kept)) ?? 0;
    if (stopped === 0) {
      const { speaking, waiting } = session?.queue() ?? { speaking: undefined, waiting: [] };
      const isEmpty = !speaking && waiting.length === 0;
      throw new UserError(
        isEmpty ? 'Nothing is being said at the moment.' : controlSentence('stop it', kept),
      );
    }
    await answer.send({ content: stopped === 1 ? 'Stopped.' : `Stopped ${stopped} things.` });
  },
};
