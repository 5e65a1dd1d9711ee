import type { Command } from '../src/discord/command.ts';
import { controlledSpeech } from '../src/discord/control.ts';
import { guildCommand } from '../src/discord/guild-command.ts';

export const skip: Command = {
  data: guildCommand({
    name: 'skip',
    description: 'End what is being said, and go on to the next',
  }),
  defer: 'public',
  requires: ['session', 'speaking'],

  async execute(interaction, answer, services) {
    const { session, item } = await controlledSpeech(interaction, services, 'skip it');
    session.skip();
    await answer.send({ content: `Skipped: “${item.label}”` });
  },
};
