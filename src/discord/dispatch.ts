import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import {
  type BaseInteraction,
  DiscordAPIError,
  MessageFlags,
  RESTJSONErrorCodes,
} from 'discord.js';
import { UserError } from '../errors.ts';
import type { Logger } from '../log.ts';
import { createAnswer } from './answer.ts';
import type { AnswerableInteraction, BotServices, Command, CommandServices } from './command.ts';
import { refusalFor } from './requirements.ts';
import { sentenceFor } from './sentences.ts';

/** An interaction's token lives for 15 minutes; past this nothing could be said any more. */
const ANSWERABLE_MS = 14.5 * 60_000;

/** Autocomplete choices that come later than this are of no use, for Discord waits three seconds. */
const AUTOCOMPLETE_MS = 2_500;

const MAX_CHOICES = 25;

const RESTARTING = 'Hark is restarting: please try again in a moment.';

/** How long members whose command was cut off are told so while the bot stops. */
const TELL_MS = 2_000;

export interface Dispatcher {
  /** Runs the command that an interaction asks for. Never throws: this is the one place that catches. */
  dispatch(interaction: BaseInteraction): Promise<void>;
  /** Waits for what is being answered, at most `graceMs`, then aborts it. Nothing new is taken. */
  stop(graceMs: number): Promise<void>;
}

/** Sends interactions to their commands. */
export function createDispatcher(
  commands: readonly Command[],
  services: BotServices,
  log: Logger,
): Dispatcher {
  const byName = new Map(commands.map((command) => [command.data.name, command]));
  const running = new Set<Promise<void>>();
  const stopping = new AbortController();
  let accepting = true;

  async function handle(interaction: BaseInteraction): Promise<void> {
    const name = commandName(interaction);
    const command = name === undefined ? undefined : byName.get(name);
    const interactionLog = log.child({
      interaction: interaction.id,
      command: name,
      guild: interaction.guildId,
    });
    if (!command || !interaction.inCachedGuild()) {
      interactionLog.warn({ type: interaction.type }, 'interaction that no command answers');
      return;
    }
    // Work that a command has begun and not awaited ends with it.
    using ended = abortOnDispose();
    const servicesFor = (deadlineMs: number): CommandServices => ({
      ...services,
      log: interactionLog,
      signal: AbortSignal.any([stopping.signal, ended.signal, AbortSignal.timeout(deadlineMs)]),
    });

    if (interaction.isAutocomplete()) {
      try {
        const choices = await command.autocomplete?.(interaction, servicesFor(AUTOCOMPLETE_MS));
        await interaction.respond((choices ?? []).slice(0, MAX_CHOICES));
      } catch (error) {
        interactionLog.warn({ err: error }, 'autocomplete failed');
      }
    } else if (interaction.isChatInputCommand()) {
      await answer(interaction, command.defer, interactionLog, async (to) => {
        require(command, interaction, services);
        await command.execute(interaction, to, servicesFor(ANSWERABLE_MS));
      });
    } else if (interaction.isMessageComponent() && command.component) {
      const { component } = command;
      await answer(interaction, 'ephemeral', interactionLog, async (to) => {
        require(command, interaction, services);
        await component(interaction, to, servicesFor(ANSWERABLE_MS));
      });
    }
  }

  /** Tells the member that the bot is about to go, in place of "the application did not respond". */
  async function refuse(interaction: BaseInteraction): Promise<void> {
    if (!interaction.isRepliable()) return;
    try {
      await interaction.reply({ content: RESTARTING, flags: MessageFlags.Ephemeral });
    } catch (err) {
      log.warn({ err, interaction: interaction.id }, 'the member could not be told of the stop');
    }
  }

  return {
    async dispatch(interaction) {
      if (!accepting) {
        await refuse(interaction);
        return;
      }
      const handling = handle(interaction);
      running.add(handling);
      try {
        await handling;
      } finally {
        running.delete(handling);
      }
    },

    async stop(graceMs) {
      accepting = false;
      await settledWithin(running, graceMs);
      stopping.abort(new UserError(RESTARTING));
      await settledWithin(running, TELL_MS);
    },
  };
}

function require(
  { requires = [] }: Command,
  interaction: AnswerableInteraction,
  services: BotServices,
): void {
  const refusal = refusalFor(requires, interaction, services);
  if (refusal !== undefined) throw new UserError(refusal);
}

function abortOnDispose(): Disposable & { signal: AbortSignal } {
  const controller = new AbortController();
  return { signal: controller.signal, [Symbol.dispose]: () => controller.abort() };
}

async function settledWithin(work: Iterable<Promise<void>>, ms: number): Promise<void> {
  const settled = new AbortController();
  await Promise.race([
    Promise.allSettled(work),
    setTimeout(ms, undefined, { signal: settled.signal }).catch(() => {}),
  ]);
  settled.abort();
}

/** Runs `work` and turns whatever it throws into a reply that only the member sees. */
async function answer(
  interaction: AnswerableInteraction,
  seenBy: Command['defer'],
  log: Logger,
  work: (answer: ReturnType<typeof createAnswer>) => Promise<void>,
): Promise<void> {
  using reply = createAnswer(interaction, seenBy);
  const startedAt = performance.now();
  try {
    await work(reply);
    log.info({ ms: Math.round(performance.now() - startedAt) }, 'answered');
  } catch (error) {
    const sentence = sentenceFor(error);
    const reference = randomUUID().slice(0, 8);
    if (sentence) log.info({ refused: sentence }, 'refused');
    else if (isGone(error)) log.warn({ err: error }, 'what was to be answered is gone');
    else log.error({ err: error, reference }, 'command failed');
    try {
      await reply.fail(
        sentence ??
          `Something went wrong on my side. If it happens again, tell whoever runs me: reference ${reference}.`,
      );
    } catch (cause) {
      // An interaction that expired or was deleted has nobody left to tell.
      log.warn({ err: cause, gone: isGone(cause) }, 'the member could not be told');
    }
  }
}

function commandName(interaction: BaseInteraction): string | undefined {
  if (interaction.isCommand() || interaction.isAutocomplete()) return interaction.commandName;
  if (interaction.isMessageComponent()) return interaction.customId.split(':', 1)[0];
  return undefined;
}

function isGone(error: unknown): boolean {
  return (
    error instanceof DiscordAPIError &&
    (error.code === RESTJSONErrorCodes.UnknownInteraction ||
      error.code === RESTJSONErrorCodes.UnknownWebhook ||
      error.code === RESTJSONErrorCodes.UnknownChannel ||
      error.code === RESTJSONErrorCodes.UnknownMessage)
  );
}
