import type { Command } from '../src/discord/command.ts';
import { controlSentence, mayControl } from '../src/discord/control.ts';
import { guildCommand } from '../src/discord/guild-command.ts';
import { UserError } from '../src/errors.ts';

export const skip: Command = {
  data: guildCommand({
    name: 'skip',
    description: 'End what is being said, and go on to the next',
  }),
  defer: 'public',
  requires: ['session', 'speaking'],

  async execute(interaction, answer, { host, settings }) {
    const kept = await settings.get(interaction.guildId);
    const session = host.get(interaction.guildId);
    const item = session?.queue().speaking?.item;
    if (!session || !item) throw new UserError('That was already said.');
    if (!mayControl(interaction, item, kept)) throw new UserError(controlSentence('skip it', kept));
    session.skip();
    await answer.send({ content: `Skipped: “${item.label}”` });
  },
};
