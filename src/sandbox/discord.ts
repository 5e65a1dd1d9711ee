import { randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Attachments } from './attachments.ts';
import { Commands } from './commands.ts';
import { Gateway } from './gateway/gateway.ts';
import { Interactions } from './interactions.ts';
import { Messages } from './messages.ts';
import { applicationData, ownUserData } from './rest/application.ts';
import type { Application, RestContext } from './rest/context.ts';
import { Failures } from './rest/failures.ts';
import { RateLimits } from './rest/rate-limits.ts';
import { RequestLog, type RequestRecord } from './rest/requests.ts';
import { addRoutes } from './rest/routes.ts';
import { createServer } from './rest/server.ts';
import { guildCreateData, memberData, userData } from './serialize.ts';
import { type ShownMessage, showMessage } from './shown.ts';
import { createSnowflakes } from './snowflake.ts';
import { BOT_PERMISSIONS } from './team.ts';
import { createCertificate } from './voice/certificate.ts';
import { Voice } from './voice/voice.ts';
import { type Dispatch, World } from './world.ts';

export interface DiscordOptions {
  host: string;
  port: number;
  /** Name of the application and its bot. */
  name: string;
  /** Milliseconds for the first answer to an interaction. */
  answerWithin: number;
  /** Milliseconds that an interaction's token lives. */
  tokenLife: number;
  /** Milliseconds between the bot's heartbeats. */
  heartbeatInterval: number;
  /** Privileged intents that the bot may ask for. */
  privilegedIntents: number;
  /** Milliseconds between the heartbeats of a voice connection. */
  voiceHeartbeatInterval: number;
  /** Whether voice is encrypted from end to end. */
  dave: boolean;
}

export interface DiscordEvents {
  /** The headers of a REST request have come. */
  request: [RequestRecord];
  /** Its answer has gone out. */
  response: [RequestRecord];
  /** A message was posted, edited or deleted. */
  message: [ShownMessage];
  /** A bot identified, or commands were registered. */
  change: [];
}

/** A token of the shape that Discord's have: the id in base64, a time, a secret. */
function createToken(id: string): string {
  const part = (bytes: number) => randomBytes(bytes).toString('base64url');
  return `${Buffer.from(id).toString('base64url')}.${part(4)}.${part(28)}`;
}

/** Discord's servers without people: state, REST API, gateway and files on one port. */
export async function startDiscord(options: DiscordOptions) {
  const nextId = createSnowflakes();
  const application: Application = { id: nextId(), name: options.name };
  const token = createToken(application.id);
  const events = new EventEmitter<DiscordEvents>();
  const changed = () => void events.emit('change');
  const log = new RequestLog((event, record) => void events.emit(event, record));
  const rateLimits = new RateLimits();
  const failures = new Failures();
  const app = await createServer({ token, limits: rateLimits, log, failures });
  const authority = () => {
    const { address, port } = app.server.address() as AddressInfo;
    return `${address}:${port}`;
  };
  const gatewayUrl = () => `ws://${authority()}/gateway`;
  const baseUrl = () => `http://${authority()}`;

  const dispatch: Dispatch = (event, data) => gateway.dispatch(event, data);
  const world = new World({
    nextId,
    dispatch,
    bot: userData({ id: application.id, name: application.name, bot: true }),
    botPermissions: BOT_PERMISSIONS,
    channelGoes: (channel) => voice.channelGoes(channel),
  });
  const certificate = createCertificate([...new Set([options.host, '127.0.0.1', 'localhost'])]);
  const voice = await Voice.start({
    world,
    gateway: () => gateway,
    dispatch,
    host: options.host,
    certificate,
    heartbeatInterval: options.voiceHeartbeatInterval,
    dave: options.dave,
  });
  const attachments = new Attachments({ nextId, applicationId: application.id, baseUrl });
  const interactions = new Interactions({ nextId, times: options });
  const commands = new Commands({ nextId, applicationId: application.id, changed });
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
    voice,
    dispatch,
    gatewayUrl,
    privilegedIntents: options.privilegedIntents,
  };
  const gateway = new Gateway({
    server: app.server,
    token,
    botId: world.bot.id,
    heartbeatInterval: options.heartbeatInterval,
    privilegedIntents: options.privilegedIntents,
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
    voiceStateUpdate: (request, sessionId) => voice.request(request, sessionId),
    identified: changed,
    ended: (sessionId) => voice.sessionEnded(sessionId),
  });
  addRoutes(app, context);
  await app.listen({ host: options.host, port: options.port });
  return {
    ...context,
    baseUrl: baseUrl(),
    token,
    events,
    gateway,
    voice,
    certificate: certificate.cert,
    rateLimits,
    failures,
    requests: log.records,
    async close() {
      await voice.close();
      await gateway.close();
      await app.close();
    },
  };
}
