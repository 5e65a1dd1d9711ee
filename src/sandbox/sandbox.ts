import { randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Locale } from 'discord-api-types/v10';
import type { SandboxAnswer } from './answer.ts';
import { Attachments } from './attachments.ts';
import { Commands, type RegisteredCommand } from './commands.ts';
import { NoResponse, SandboxRefusal } from './errors.ts';
import { Gateway } from './gateway/gateway.ts';
import { PRIVILEGED_INTENTS } from './gateway/intents.ts';
import { type Choice, Interactions } from './interactions.ts';
import { Messages } from './messages.ts';
import type { OptionValues, PersonsFile } from './options.ts';
import { People, type Place } from './people.ts';
import { applicationData, ownUserData } from './rest/application.ts';
import type { Application, RestContext } from './rest/context.ts';
import { type ForcedLimit, RateLimits } from './rest/rate-limits.ts';
import { RequestLog, type RequestRecord } from './rest/requests.ts';
import { addRoutes } from './rest/routes.ts';
import { createServer } from './rest/server.ts';
import { guildCreateData, memberData, userData } from './serialize.ts';
import { type ShownMessage, showMessage } from './shown.ts';
import { createSnowflakes } from './snowflake.ts';
import { BOT_PERMISSIONS, createTeam, type Team } from './team.ts';
import { waitFor } from './wait.ts';
import { type Channel, type Dispatch, type Member, World } from './world.ts';

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
}

/** Who does something and where: the member in the first text channel, unless told. */
export interface Acting {
  as?: Member;
  channel?: Channel;
  locale?: Locale | `${Locale}`;
}

export interface SandboxEvents {
  /** The headers of a REST request have come. */
  request: [RequestRecord];
  /** Its answer has gone out. */
  response: [RequestRecord];
  /** A message was posted, edited or deleted. */
  message: [ShownMessage];
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
  readonly rateLimits: RateLimits;
  /** The bot's last REST requests, oldest first. */
  readonly requests: readonly RequestRecord[];
  readonly events: EventEmitter<SandboxEvents>;
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
  /** Writes a message as a person. */
  post(content: string, acting?: Acting & { files?: readonly PersonsFile[] }): ShownMessage;
  /** What stands in a channel for everybody: the first text channel, unless told. */
  messages(channel?: Channel): ShownMessage[];
  /** Refuses the bot's next requests to these paths with 429. */
  rateLimitNext(path: RegExp, options?: ForcedLimit): void;
  /** Ends everything that still waits, with an error, and every connection. */
  close(): Promise<void>;
}

/** A token of the shape that Discord's have: the id in base64, a time, a secret. */
function createToken(id: string): string {
  const part = (bytes: number) => randomBytes(bytes).toString('base64url');
  return `${Buffer.from(id).toString('base64url')}.${part(4)}.${part(28)}`;
}

/** Starts a Discord with one guild on a port of loopback. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const nextId = createSnowflakes();
  const application: Application = { id: nextId(), name: options.name ?? 'Hark' };
  const token = createToken(application.id);
  const times = {
    answerWithin: options.answerWithin ?? 3000,
    finishWithin: options.finishWithin ?? 60_000,
    tokenLife: options.tokenLife ?? 15 * 60_000,
  };
  const closing = new AbortController();
  const events = new EventEmitter<SandboxEvents>();
  const progress = new EventEmitter<{ change: [] }>();
  const progressed = () => void progress.emit('change');
  const log = new RequestLog((event, record) => void events.emit(event, record));
  const rateLimits = new RateLimits();
  const app = await createServer({ token, limits: rateLimits, log });
  const authority = () => {
    const { address, port } = app.server.address() as AddressInfo;
    return `${address}:${port}`;
  };

  const dispatch: Dispatch = (event, data) => gateway.dispatch(event, data);
  const world = new World({
    nextId,
    dispatch: (...event) => dispatch(...event),
    bot: userData({ id: application.id, name: application.name, bot: true }),
    botPermissions: BOT_PERMISSIONS,
  });
  const gatewayUrl = () => `ws://${authority()}/gateway`;
  const attachments = new Attachments({
    nextId,
    applicationId: application.id,
    baseUrl: () => `http://${authority()}`,
  });
  const interactions = new Interactions({ nextId, times });
  const commands = new Commands({ nextId, applicationId: application.id, changed: progressed });
  const messages = new Messages({
    world,
    attachments,
    nextId,
    dispatch,
    changed: (message) => {
      interactions.messageChanged(message);
      events.emit('message', showMessage(message));
    },
  });
  const context: RestContext = {
    application,
    world,
    messages,
    attachments,
    interactions,
    commands,
    dispatch,
    gatewayUrl,
  };
  const gateway = new Gateway({
    server: app.server,
    token,
    botId: world.bot.id,
    heartbeatInterval: options.heartbeatInterval ?? 41_250,
    privilegedIntents: options.privilegedIntents ?? PRIVILEGED_INTENTS,
    url: gatewayUrl,
    readyData: () => ({
      user: ownUserData(context),
      application: { id: application.id, flags: applicationData(context).flags },
    }),
    guilds: () => [...world.guilds.values()].map(guildCreateData),
    membersChunk: ({ guild_id, nonce }) => {
      const guild = world.guilds.get(guild_id);
      if (!guild) return undefined;
      const members = [...guild.members.values()].map(memberData);
      return { guild_id, members, chunk_index: 0, chunk_count: 1, not_found: [], nonce };
    },
    identified: progressed,
  });
  addRoutes(app, context);
  const team = createTeam(world);
  const people = new People(context, times, closing.signal);

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

  await app.listen({ host: options.host ?? '127.0.0.1', port: options.port ?? 0 });

  const close = async () => {
    closing.abort(new NoResponse('The sandbox was closed'));
    await gateway.close();
    await app.close();
  };
  return {
    apiUrl: `http://${authority()}/api`,
    token,
    application,
    world,
    team,
    gateway,
    rateLimits,
    requests: log.records,
    events,
    get commands() {
      return commands.list();
    },
    async ready(timeout = 15_000) {
      const isReady = () => gateway.isIdentified && commands.list().length > 0;
      await waitFor(progress, () => isReady() || undefined, {
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
    post: (content, acting = {}) => people.post(content, acting.files ?? [], place(acting)),
    messages: (channel = team.text[0]) => [...channel.messages.values()].map(showMessage),
    rateLimitNext: (path, forced) => rateLimits.refuseNext(path, forced),
    close,
    [Symbol.asyncDispose]: close,
  };
}
