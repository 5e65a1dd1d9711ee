import type { EventEmitter } from 'node:events';
import type { APIMessage, Locale } from 'discord-api-types/v10';
import type { SandboxAnswer } from './answer.ts';
import type { RegisteredCommand } from './commands.ts';
import { type DiscordEvents, startDiscord } from './discord.ts';
import { NoResponse, SandboxRefusal } from './errors.ts';
import type { Gateway } from './gateway/gateway.ts';
import { PRIVILEGED_INTENTS } from './gateway/intents.ts';
import type { Choice } from './interactions.ts';
import type { OptionValues, PersonsFile } from './options.ts';
import { People, type Place } from './people.ts';
import type { Application } from './rest/context.ts';
import type { ForcedLimit, RateLimits } from './rest/rate-limits.ts';
import type { RequestRecord } from './rest/requests.ts';
import { type ShownMessage, showMessage } from './shown.ts';
import { createTeam, type Team } from './team.ts';
import type { Voice } from './voice/voice.ts';
import { waitFor } from './wait.ts';
import type { Channel, Member, World } from './world.ts';

export type { SandboxAnswer } from './answer.ts';
export { ApiRefusal, NoResponse, SandboxRefusal } from './errors.ts';
export type { RequestRecord } from './rest/requests.ts';
export type { ShownAttachment, ShownMessage } from './shown.ts';

export interface SandboxOptions {
  /** 127.0.0.1 by default. */
  host?: string;
  /** A free one by default. */
  port?: number;
  /** Name of the application and its bot. */
  name?: string;
  /** Milliseconds for the first answer to an interaction: 3,000 by default. */
  answerWithin?: number;
  /** Milliseconds for a deferred answer to come: 60,000 by default. */
  finishWithin?: number;
  /** Milliseconds that an interaction's token lives: 15 minutes by default. */
  tokenLife?: number;
  /** Milliseconds between the bot's heartbeats: 41,250 by default. */
  heartbeatInterval?: number;
  /** Privileged intents that the bot may ask for: all by default. */
  privilegedIntents?: number;
  /** Milliseconds between the heartbeats of the bot's voice connections: 13,750 by default. */
  voiceHeartbeatInterval?: number;
  /**
   * Whether voice is encrypted from end to end (DAVE), as Discord requires: true by default. Bots
   * that cannot do it are closed with 4017.
   */
  dave?: boolean;
}

/** Who does something and where: the member in the first text channel, unless told. */
export interface Acting {
  as?: Member;
  channel?: Channel;
  locale?: Locale | `${Locale}`;
}

/** A Discord on loopback, driven from code. */
export interface Sandbox extends AsyncDisposable {
  /** Base of the REST API, for DISCORD_API_URL. */
  readonly apiUrl: string;
  /** The bot's token. */
  readonly token: string;
  readonly application: Application;
  /** Guilds, channels, roles and members; what is changed here reaches the bot. */
  readonly world: World;
  /** The guild that is there from the beginning. */
  readonly team: Team;
  readonly gateway: Gateway;
  /** Voice channels: who is there, what is heard, and what goes wrong. */
  readonly voice: Voice;
  /** Of the voice servers, PEM; see `trustSandbox`. */
  readonly certificate: string;
  readonly rateLimits: RateLimits;
  /** The bot's last REST requests, oldest first. */
  readonly requests: readonly RequestRecord[];
  readonly events: EventEmitter<DiscordEvents>;
  /** Commands that the bot registered for everywhere. */
  readonly commands: readonly RegisteredCommand[];

  /** Waits until a bot is connected and has registered commands. @param timeout - milliseconds */
  ready(timeout?: number): Promise<void>;
  /**
   * Types a slash command, with group and subcommand: `/voice list`. Resolves at the first answer
   * that is no "is thinking".
   *
   * @param options.unchecked - send also what Discord's client holds back
   * @throws SandboxRefusal when Discord's client would not send it
   * @throws NoResponse when the bot does not answer in time
   */
  run(
    line: string,
    values?: OptionValues,
    acting?: Acting & { unchecked?: boolean },
  ): Promise<SandboxAnswer>;
  /** Types in an option; the choices that the bot offers. */
  autocomplete(
    line: string,
    values: OptionValues,
    focused: string,
    acting?: Acting,
  ): Promise<Choice[]>;
  /** Presses a button of a message. */
  click(message: ShownMessage, customId: string, acting?: Acting): Promise<SandboxAnswer>;
  /** Chooses in a menu of texts. */
  select(
    message: ShownMessage,
    customId: string,
    values: readonly string[],
    acting?: Acting,
  ): Promise<SandboxAnswer>;
  /** Sends the modal that an answer opened, with values by the custom ids of its fields. */
  submitModal(
    answer: SandboxAnswer,
    values: Record<string, string>,
    acting?: Acting,
  ): Promise<SandboxAnswer>;
  /**
   * Writes a message as a person.
   *
   * @param acting.rest - what it carries beside its text: a reply, stickers, a poll, flags
   */
  post(
    content: string,
    acting?: Acting & { files?: readonly PersonsFile[]; rest?: Partial<APIMessage> },
  ): ShownMessage;
  /** Changes the text of a message as its author. */
  edit(message: ShownMessage, content: string): ShownMessage;
  /** Deletes a message as its author. */
  remove(message: ShownMessage): void;
  /** What stands in a channel for everybody: the first text channel, unless told. */
  messages(channel?: Channel): ShownMessage[];
  /** Refuses the bot's next requests to these paths with 429. */
  rateLimitNext(path: RegExp, options?: ForcedLimit): void;
  /**
   * Answers the bot's next request to these paths with 502.
   *
   * @param done - whether it is done all the same, and only its answer lost
   */
  failNext(path: RegExp, done: boolean): void;
  /** Ends everything that still waits, with an error, and every connection. */
  close(): Promise<void>;
}

/** Starts a Discord with one guild on a port of loopback. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { answerWithin = 3000, finishWithin = 60_000 } = options;
  const discord = await startDiscord({
    host: options.host ?? '127.0.0.1',
    port: options.port ?? 0,
    name: options.name ?? 'Hark',
    answerWithin,
    tokenLife: options.tokenLife ?? 15 * 60_000,
    heartbeatInterval: options.heartbeatInterval ?? 41_250,
    privilegedIntents: options.privilegedIntents ?? PRIVILEGED_INTENTS,
    voiceHeartbeatInterval: options.voiceHeartbeatInterval ?? 13_750,
    dave: options.dave ?? true,
  });
  const { world, commands, gateway, events, messages } = discord;
  const team = createTeam(world);
  const closing = new AbortController();
  const people = new People(discord, { answerWithin, finishWithin }, closing.signal);

  const place = ({ as, channel, locale }: Acting = {}): Place => {
    const member = as ?? team.member;
    const there = channel ?? world.guild(member.guildId).channels.values().next().value;
    if (!there) throw new SandboxRefusal('The guild has no channel.');
    return { member, channel: there, locale: locale as Locale | undefined };
  };
  const stored = (message: ShownMessage) => {
    const found = messages.find(message.id);
    if (!found) throw new SandboxRefusal('The message is not there any more.');
    return found;
  };
  /** What is done with a message is done in its channel. */
  const beside = (message: ShownMessage, acting: Acting = {}): Place =>
    place({ ...acting, channel: world.channel(message.channelId) });

  const close = async () => {
    closing.abort(new NoResponse('The sandbox was closed'));
    await discord.close();
  };
  return {
    apiUrl: `${discord.baseUrl}/api`,
    token: discord.token,
    application: discord.application,
    world,
    team,
    gateway,
    voice: discord.voice,
    certificate: discord.certificate,
    rateLimits: discord.rateLimits,
    requests: discord.requests,
    events,
    get commands() {
      return commands.list();
    },
    async ready(timeout = 15_000) {
      const isReady = () => gateway.isIdentified && commands.list().length > 0;
      await waitFor(events, () => isReady() || undefined, {
        timeout,
        late: () => new NoResponse(`The bot was not ready within ${timeout} ms`),
        signal: closing.signal,
      });
    },
    run: async (line, values = {}, acting = {}) =>
      people.run(line, values, place(acting), acting.unchecked),
    autocomplete: async (line, values, focused, acting) =>
      people.autocomplete(line, values, focused, place(acting)),
    click: async (message, customId, acting) =>
      people.click(stored(message), customId, beside(message, acting)),
    select: async (message, customId, values, acting) =>
      people.select(stored(message), customId, values, beside(message, acting)),
    submitModal: async (answer, values, acting) =>
      people.submitModal(answer, values, place(acting)),
    post: (content, acting = {}) =>
      people.post(content, acting.files ?? [], place(acting), acting.rest),
    edit: (message, content) => people.edit(stored(message), content),
    remove: (message) => people.remove(stored(message)),
    messages: (channel = team.text[0]) => [...channel.messages.values()].map(showMessage),
    rateLimitNext: (path, forced) => discord.rateLimits.refuseNext(path, forced),
    failNext: (path, done) => discord.failures.add({ path, done }),
    close,
    [Symbol.asyncDispose]: close,
  };
}
