import {
  type APIApplicationCommandBasicOption,
  ApplicationCommandOptionType,
  type ChatInputCommandInteraction,
  PermissionFlagsBits,
} from 'discord.js';
import type { Command } from '../src/discord/command.ts';
import { guildCommand } from '../src/discord/guild-command.ts';
import { queueBounds } from '../src/discord/voice-host.ts';
import { UserError } from '../src/errors.ts';
import { GuildSettings } from '../src/store/guild-settings.ts';

const COLOUR = 0x2f_9e_8f;

const MAX_LEAVE_MINUTES = 1_440;
const MAX_QUEUE = 200;
const MAX_PREFIX = 10;

export const settings: Command = {
  data: guildCommand({
    name: 'settings',
    description: 'How Hark behaves in this server',
    default_member_permissions: PermissionFlagsBits.ManageGuild.toString(),
    options: [
      {
        type: ApplicationCommandOptionType.Subcommand,
        name: 'voice',
        description: 'In voice channels; without options it shows what is set',
        options: [
          role('control_role', 'May skip and stop what others said; @everyone for nobody'),
          role('ignore_role', 'Is never read aloud; @everyone for nobody'),
          {
            type: ApplicationCommandOptionType.Number,
            name: 'leave_after',
            description: 'Minutes until Hark leaves a channel where nobody is; 0 to stay',
            min_value: 0,
            max_value: MAX_LEAVE_MINUTES,
          },
          {
            type: ApplicationCommandOptionType.Boolean,
            name: 'announce',
            description: 'Whether Hark says who joins and leaves',
          },
          count('queue', 'Things that may wait to be said'),
          count('member_queue', 'Things of one member that may wait to be said'),
          {
            type: ApplicationCommandOptionType.String,
            name: 'skip_prefix',
            description: 'Messages that begin with this are not read aloud',
            max_length: MAX_PREFIX,
          },
        ],
      },
    ],
  }),
  defer: 'ephemeral',

  async execute(interaction, answer, { settings: kept, host, company }) {
    const { guildId } = interaction;
    // Discord hides the command from others; an administrator can show it to them all the same.
    if (!interaction.memberPermissions.has(PermissionFlagsBits.ManageGuild)) {
      throw new UserError('Only members with “Manage Server” may change my settings.');
    }
    const changes = readChanges(interaction);
    const now =
      Object.keys(changes).length > 0
        ? await kept.update(guildId, changes)
        : await kept.get(guildId);
    host.get(guildId)?.setBounds(queueBounds(now));
    if (changes.leaveAfterMinutes !== undefined) company.look(guildId);
    await answer.send({
      embeds: [{ color: COLOUR, title: 'Voice channels', description: describe(now) }],
    });
  },
};

type Changes = Partial<GuildSettings>;

/** @throws {UserError} for a value that Discord's own client would have held back */
function readChanges({ options, guildId }: ChatInputCommandInteraction<'cached'>): Changes {
  const roleId = (name: string) => {
    const id = options.getRole(name)?.id;
    return id === guildId ? null : id;
  };
  const given = {
    controlRoleId: roleId('control_role'),
    ignoreRoleId: roleId('ignore_role'),
    leaveAfterMinutes: options.getNumber('leave_after') ?? undefined,
    announceJoins: options.getBoolean('announce') ?? undefined,
    queueLimit: options.getInteger('queue') ?? undefined,
    memberQueueLimit: options.getInteger('member_queue') ?? undefined,
    skipPrefix: options.getString('skip_prefix')?.trim() || undefined,
  };
  const changes: Changes = {};
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined) Object.assign(changes, { [name]: value ?? undefined });
  }
  if (!GuildSettings.partial().safeParse(changes).success) {
    throw new UserError(
      `“leave_after” must be from 0 to ${MAX_LEAVE_MINUTES} minutes, “queue” and “member_queue” from 1 to ${MAX_QUEUE}, “skip_prefix” at most ${MAX_PREFIX} characters.`,
    );
  }
  return changes;
}

function describe(kept: GuildSettings): string {
  const nobody = (id: string | undefined) => (id === undefined ? 'nobody' : `<@&${id}>`);
  const { leaveAfterMinutes: minutes } = kept;
  return [
    `May skip and stop what others said: ${nobody(kept.controlRoleId)}, and who may manage messages`,
    `Leaves an empty channel: ${minutes === 0 ? 'never' : `after ${minutes} min`}`,
    `Says who joins and leaves: ${kept.announceJoins ? 'yes' : 'no'}`,
    `Things that may wait: ${kept.queueLimit}, of one member ${kept.memberQueueLimit}`,
    `Volume: ${kept.volume} %`,
    `Read aloud: ${kept.readChannelIds.map((id) => `<#${id}>`).join(', ') || 'no channel'}`,
    `Not read aloud: ${nobody(kept.ignoreRoleId)}, and what begins with “${kept.skipPrefix}”`,
  ].join('\n');
}

function role(name: string, description: string): APIApplicationCommandBasicOption {
  return { type: ApplicationCommandOptionType.Role, name, description };
}

function count(name: string, description: string): APIApplicationCommandBasicOption {
  return {
    type: ApplicationCommandOptionType.Integer,
    name,
    description,
    min_value: 1,
    max_value: MAX_QUEUE,
  };
}
