import { ApplicationCommandOptionType } from 'discord.js';
import type { Command } from '../src/discord/command.ts';
import { mayControlAll } from '../src/discord/control.ts';
import { guildCommand } from '../src/discord/guild-command.ts';
import { UserError } from '../src/errors.ts';
import { VOLUME } from '../src/playback/session.ts';

export const volume: Command = {
  data: guildCommand({
    name: 'volume',
    description: 'How loud Hark speaks in voice channels',
    options: [
      {
        type: ApplicationCommandOptionType.Integer,
        name: 'percent',
        description: `${VOLUME.minimum} to ${VOLUME.maximum}; leave it out to see what it is`,
        min_value: VOLUME.minimum,
        max_value: VOLUME.maximum,
      },
    ],
  }),
  defer: 'public',

  async execute(interaction, answer, { host, settings }) {
    const { guildId, options } = interaction;
    const kept = await settings.get(guildId);
    const percent = options.getInteger('percent');
    if (percent === null) {
      await answer.send({ content: `The volume is ${kept.volume} %.` });
      return;
    }
    if (percent < VOLUME.minimum || percent > VOLUME.maximum) {
      throw new UserError(
        `The volume must be from ${VOLUME.minimum} to ${VOLUME.maximum} percent.`,
      );
    }
    if (!mayControlAll(interaction, kept)) {
      throw new UserError(
        'Only members with the control role or with “Manage Messages” may change the volume.',
      );
    }
    await settings.update(guildId, { volume: percent });
    host.get(guildId)?.setVolume(percent);
    await answer.send({ content: `The volume is ${percent} % from the next thing that I say.` });
  },
};
