import { ButtonStyle, ComponentType, escapeMarkdown } from 'discord.js';
import type { AnswerMessage } from '../src/discord/answer.ts';
import type { Command } from '../src/discord/command.ts';
import { controlSentence, mayControl } from '../src/discord/control.ts';
import { guildCommand } from '../src/discord/guild-command.ts';
import { UserError } from '../src/errors.ts';
import type { Item } from '../src/playback/item.ts';
import type { QueueListing, Session } from '../src/playback/session.ts';

/** Items that one message shows. */
const SHOWN = 15;

const COLOUR = 0x2f_9e_8f;

export const queue: Command = {
  data: guildCommand({ name: 'queue', description: 'See who had what said, and what comes next' }),
  defer: 'ephemeral',
  requires: ['session'],

  async execute(interaction, answer, { host }) {
    const session = host.get(interaction.guildId);
    if (session) await answer.send(show(session));
  },

  async component(interaction, answer, { host, settings }) {
    const kept = await settings.get(interaction.guildId);
    const session = host.get(interaction.guildId);
    if (!session) return;
    const [, action, itemId] = interaction.customId.split(':');
    const { speaking, waiting } = session.queue();
    if (action === 'skip' && speaking && speaking.item.id === itemId) {
      if (!mayControl(interaction, speaking.item, kept)) {
        throw new UserError(controlSentence('skip it', kept));
      }
      session.skip();
    }
    if (action === 'clear' && waiting.length > 0) {
      const { item } = speaking ?? {};
      const removed = session.remove(
        (other) => other.id !== item?.id && mayControl(interaction, other, kept),
      );
      if (removed === 0) throw new UserError(controlSentence('clear it', kept));
    }
    await answer.send(show(session));
  },
};

/** The queue with its buttons. The button to skip holds the id of what it skips: pressed late, it skips nothing else. */
function show(session: Session): AnswerMessage {
  const { speaking, waiting } = session.queue();
  const button = (label: string, id: string, disabled: boolean) => ({
    type: ComponentType.Button as const,
    style: ButtonStyle.Secondary as const,
    label,
    custom_id: `queue:${id}`,
    disabled,
  });
  return {
    embeds: [
      {
        color: COLOUR,
        title: session.paused ? 'Paused' : speaking ? 'Speaking' : 'Nothing to say',
        description: describe(session, { speaking, waiting }),
      },
    ],
    components: [
      {
        type: ComponentType.ActionRow,
        components: [
          button('Skip', `skip:${speaking?.item.id ?? ''}`, !speaking),
          button('Clear', 'clear', waiting.length === 0),
          button('Refresh', 'refresh', false),
        ],
      },
    ],
  };
}

function describe({ channelId }: Session, { speaking, waiting }: QueueListing): string {
  const lines = [`In <#${channelId}>`];
  if (speaking) {
    const { item, elapsed } = speaking;
    lines.push(`**Now** · ${line(item, `${clock(elapsed)} of ${length(item)}`)}`);
  }
  for (const [index, item] of waiting.slice(0, SHOWN).entries()) {
    lines.push(`${index + 1}. ${line(item, length(item))}`);
  }
  if (waiting.length > SHOWN) lines.push(`… and ${waiting.length - SHOWN} more`);
  return lines.join('\n');
}

function line({ by, label }: Item, time: string): string {
  return `<@${by}>: ${escapeMarkdown(label)} (${time})`;
}

function length({ seconds }: Item): string {
  return seconds === undefined ? '?' : clock(seconds);
}

function clock(seconds: number): string {
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}
