import type { APIModalInteractionResponseCallbackData } from 'discord-api-types/v10';
import { NoResponse } from './errors.ts';
import type { Interaction } from './interactions.ts';
import { type ShownMessage, showMessage } from './shown.ts';
import { waitFor } from './wait.ts';

/** What a person sees of one interaction; it goes on changing as the bot edits and follows up. */
export interface SandboxAnswer {
  readonly interaction: Interaction;
  /** The messages that stand there now, in order. */
  readonly messages: ShownMessage[];
  /** The same with deleted ones. */
  readonly history: ShownMessage[];
  /** The form that the bot opened. */
  readonly modal: APIModalInteractionResponseCallbackData | undefined;
  /**
   * Waits until the messages are as wanted.
   *
   * @param timeout - milliseconds, of the sandbox's `finishWithin` by default
   * @throws NoResponse when they do not become so in time
   */
  until(wanted: (messages: ShownMessage[]) => boolean, timeout?: number): Promise<ShownMessage[]>;
}

export function answerOf(
  interaction: Interaction,
  defaults: { timeout: number; signal: AbortSignal },
): SandboxAnswer {
  const history = () => interaction.messages.map(showMessage);
  const visible = () => history().filter(({ deleted }) => !deleted);
  return {
    interaction,
    get messages() {
      return visible();
    },
    get history() {
      return history();
    },
    get modal() {
      return interaction.modal;
    },
    until(wanted, timeout = defaults.timeout) {
      const look = () => {
        const messages = visible();
        return wanted(messages) ? messages : undefined;
      };
      return waitFor(interaction.events, look, {
        timeout,
        late: () => new NoResponse(`The answer did not become so within ${timeout} ms`),
        signal: defaults.signal,
      });
    },
  };
}
