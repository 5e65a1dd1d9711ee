import type { Command } from '../src/discord/command.ts';
import { controlledSpeech } from '../src/discord/control.ts';
import { guildCommand } from '../src/discord/guild-command.ts';
import { UserError } from '../src/errors.ts';

export const pause: Command = {
  data: guildCommand({ name: 'pause', description: 'Hold on in the middle of what is being said' }),
  defer: 'public',
  requires: ['session', 'speaking'],

  async execute(interaction, answer, services) {
    const { session } = await controlledSpeech(interaction, services, 'pause it');
    if (!session.pause()) throw new UserError('I am paused already: /resume goes on.');
    await answer.send({ content: 'Paused: /resume goes on.' });
  },
};
