import type { Command } from '../src/discord/command.ts';
import { controlSentence, mayControl } from '../src/discord/control.ts';
import { guildCommand } from '../src/discord/guild-command.ts';
import { UserError } from '../src/errors.ts';

export const resume: Command = {
  data: guildCommand({ name: 'resume', description: 'Go on after a pause' }),
  defer: 'public',
  requires: ['session'],

  async execute(interaction, answer, { host, settings }) {
    const kept = await settings.get(interaction.guildId);
    const session = host.get(interaction.guildId);
    if (!session?.paused) throw new UserError('I am not paused.');
    const item = session.queue().speaking?.item;
    // Where what was paused has been taken out, anybody may go on.
    if (item && !mayControl(interaction, item, kept)) {
      throw new UserError(controlSentence('resume it', kept));
    }
    session.resume();
    await answer.send({ content: 'Going on.' });
  },
};
