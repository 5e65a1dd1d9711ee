import type { Command } from '../src/discord/command.ts';
import { controlSentence, mayControl } from '../src/discord/control.ts';
import { guildCommand } from '../src/discord/guild-command.ts';
import { UserError } from '../src/errors.ts';

export const pause: Command = {
  data: guildCommand({ name: 'pause', description: 'Hold on in the middle of what is being said' }),
  defer: 'public',
  requires: ['session', 'speaking'],

  async execute(interaction, answer, { host, settings }) {
    const kept = await settings.get(interaction.guildId);
    const session = host.get(interaction.guildId);
    const item = session?.queue().speaking?.item;
    if (!session || !item) throw new UserError('That was already said.');
    if (!mayControl(interaction, item, kept)) {
      throw new UserError(controlSentence('pause it', kept));
    }
    if (!session.pause()) throw new UserError('I am paused already: /resume goes on.');
    await answer.send({ content: 'Paused: /resume goes on.' });
  },
};
