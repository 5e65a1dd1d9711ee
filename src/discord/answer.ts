import { type InteractionReplyOptions, type Message, MessageFlags } from 'discord.js';
import { UncertainPostError } from './client.ts';
import type { AnswerableInteraction } from './command.ts';

/** Discord waits three seconds for the first answer; this leaves a slow network half of them. */
const ACKNOWLEDGE_AFTER_MS = 1_500;

/** What Discord lets a bot say in answer to an interaction, in the order in which it lets it. */
export interface Answer {
  /** Shows "is thinking", once. It happens by itself when the command has not answered for 1.5 s. */
  acknowledge(): Promise<void>;
  /** Posts the answer; it takes the place of "is thinking". May be called again for a further message. */
  send(message: AnswerMessage): Promise<void>;
  /** Says a sentence to the member alone, beneath the answer. */
  note(sentence: string): Promise<void>;
  /** Says to the member alone what went wrong. "is thinking" vanishes, and nothing else is seen. */
  fail(sentence: string): Promise<void>;
}

export type AnswerMessage = Pick<
  InteractionReplyOptions,
  'content' | 'embeds' | 'components' | 'files'
> & { voiceMessage?: boolean };

/**
 * The answer to an interaction. A component's answer changes the message that the component
 * stands on; a command's answer is a new message.
 *
 * @param seenBy - who sees the answer and "is thinking"
 */
export function createAnswer(
  interaction: AnswerableInteraction,
  seenBy: 'public' | 'ephemeral',
): Answer & Disposable {
  const ephemeral = seenBy === 'ephemeral';
  let acknowledged: Promise<void> | undefined;
  let answered = false;

  const acknowledge = (): Promise<void> => {
    clearTimeout(timer);
    acknowledged ??= (async () => {
      if (interaction.isMessageComponent()) await interaction.deferUpdate();
      else await interaction.deferReply(ephemeral ? { flags: MessageFlags.Ephemeral } : {});
    })();
    return acknowledged;
  };
  // A failure is kept in the promise and comes out at the command's first use of it.
  const timer = setTimeout(() => acknowledge().catch(() => {}), ACKNOWLEDGE_AFTER_MS);

  const followUp = (message: InteractionReplyOptions): Promise<Message> =>
    interaction.followUp(message);

  /** The first follow-up takes the place of "is thinking": where that is gone, it was posted. */
  const followUpOnce = async (message: InteractionReplyOptions): Promise<void> => {
    try {
      await followUp(message);
    } catch (error) {
      if (answered || !(error instanceof UncertainPostError)) throw error;
      const { flags } = await interaction.fetchReply();
      if (flags.has(MessageFlags.Loading)) await followUp(message);
    }
  };

  return {
    acknowledge,

    async send({ voiceMessage, ...message }) {
      clearTimeout(timer);
      const first = !answered;
      if (acknowledged) await acknowledged;
      if (voiceMessage) {
        // Only a new message can be a voice message; as the first one it takes the place of "is thinking".
        await acknowledge();
        await followUpOnce({ ...message, flags: MessageFlags.IsVoiceMessage });
      } else if (first && interaction.isMessageComponent()) {
        // Attachments of the message before would stay beside the new ones.
        const changed = { attachments: [], ...message };
        if (acknowledged) await interaction.editReply(changed);
        else await interaction.update(changed);
      } else if (first && acknowledged) {
        await interaction.editReply(message);
      } else {
        const flags = ephemeral ? ({ flags: MessageFlags.Ephemeral } as const) : {};
        if (first) await interaction.reply({ ...message, ...flags });
        else await followUp({ ...message, ...flags });
      }
      answered = true;
    },

    async note(sentence) {
      await followUp({ content: sentence, flags: MessageFlags.Ephemeral });
    },

    async fail(sentence) {
      clearTimeout(timer);
      const content = { content: sentence, flags: MessageFlags.Ephemeral } as const;
      if (acknowledged) await acknowledged;
      if (!acknowledged && !answered) {
        await interaction.reply(content);
        return;
      }
      // The first follow-up would inherit the visibility of "is thinking", so that has to go first.
      if (!answered && !interaction.isMessageComponent()) await interaction.deleteReply();
      await followUp(content);
    },

    [Symbol.dispose]() {
      clearTimeout(timer);
    },
  };
}
