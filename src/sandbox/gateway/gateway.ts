import type { IncomingMessage, Server } from 'node:http';
import {
  GatewayDispatchEvents as Event,
  GatewayCloseCodes,
  type GatewayDispatchEvents,
  GatewayOpcodes,
} from 'discord-api-types/v10';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import { Connection } from './connection.ts';
import { Identify, RequestMembers, Resume, VoiceStateRequest } from './frames.ts';
import { areValidIntents, PRIVILEGED_INTENTS, wantsEvent, withinIntents } from './intents.ts';
import { Session } from './session.ts';

export interface GatewayOptions {
  server: Server;
  token: string;
  botId: string;
  /** Milliseconds between two heartbeats that the bot is asked for. */
  heartbeatInterval: number;
  /** Privileged intents that the application may ask for. */
  privilegedIntents: number;
  /** Address that a session is resumed at. */
  url: () => string;
  /** Data of READY, without what belongs to the session. */
  readyData: () => object;
  /** Guilds to announce after READY. */
  guilds: () => object[];
  /** Members that a bot asks for with opcode 8. */
  membersChunk: (request: { guild_id: string; nonce?: string | undefined }) => object | undefined;
  /** A bot joins, moves or leaves in voice: opcode 4. */
  voiceStateUpdate: (request: VoiceStateRequest, sessionId: string) => void;
  /** Called after a bot identified. */
  identified: () => void;
  /** Called when a session is over for good. */
  ended: (sessionId: string) => void;
}

/** Sessions kept for a resume; the oldest without a connection go first. */
const MAX_SESSIONS = 16;

/** Discord's gateway: version 10, JSON, no compression. */
export class Gateway {
  readonly #options: GatewayOptions;
  readonly #webSockets = new WebSocketServer({ noServer: true, maxPayload: 4096 * 4 });
  readonly #connections = new Set<Connection>();
  readonly #sessions = new Map<string, Session>();
  #acknowledges = true;

  constructor(options: GatewayOptions) {
    this.#options = options;
    options.server.on('upgrade', (request, socket, head) => {
      const url = new URL(request.url ?? '/', 'ws://gateway');
      if (!url.pathname.startsWith('/gateway')) {
        socket.end('HTTP/1.1 404 Not Found\r\n\r\n');
        return;
      }
      this.#webSockets.handleUpgrade(request, socket, head, (webSocket) =>
        this.#connect(webSocket, request),
      );
    });
  }

  /** Whether a bot is identified and connected. */
  get isIdentified(): boolean {
    return [...this.#sessions.values()].some((session) => session.socket !== undefined);
  }

  /** Intents of the sessions, for tests that care. */
  get intents(): number[] {
    return [...this.#sessions.values()].map((session) => session.intents);
  }

  /** @param sessionId - the only session that it is for */
  dispatch(event: GatewayDispatchEvents, data: object, sessionId?: string): void {
    for (const session of this.#sessions.values()) {
      if (sessionId === undefined || session.id === sessionId) {
        this.#dispatchTo(session, event, data);
      }
    }
  }

  /** Asks every bot to reconnect and resume: opcode 7. */
  reconnect(): void {
    this.#sendAll({ op: GatewayOpcodes.Reconnect, d: null });
  }

  /** Tells every bot that its session is over (opcode 9), or that it may resume it. */
  invalidateSessions(resumable = false): void {
    this.#sendAll({ op: GatewayOpcodes.InvalidSession, d: resumable });
    if (resumable) return;
    for (const id of this.#sessions.keys()) this.#end(id);
    for (const connection of this.#connections) connection.session = undefined;
  }

  /**
   * Cuts every connection: with a close code, or without one as a broken network does. Sessions stay
   * resumable.
   */
  drop(code?: number): void {
    for (const { socket } of this.#connections) {
      if (code === undefined) socket.terminate();
      else socket.close(code);
    }
  }

  /** With `false`, heartbeats get no answer, as over a connection that hangs. */
  acknowledgeHeartbeats(acknowledges: boolean): void {
    this.#acknowledges = acknowledges;
  }

  async close(): Promise<void> {
    for (const connection of this.#connections) {
      connection.end();
      connection.socket.terminate();
    }
    this.#sessions.clear();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#webSockets.close(() => resolve());
    await promise;
  }

  #dispatchTo(session: Session, event: GatewayDispatchEvents, data: object): void {
    if (!wantsEvent(session.intents, event)) return;
    session.dispatch(event, withinIntents(session.intents, event, data, this.#options.botId));
  }

  #sendAll(frame: { op: number; d: unknown }): void {
    for (const connection of this.#connections) connection.send(frame);
  }

  #connect(socket: WebSocket, request: IncomingMessage): void {
    const query = new URL(request.url ?? '/', 'ws://gateway').searchParams;
    const connection = new Connection(socket, this.#options.heartbeatInterval);
    this.#connections.add(connection);
    socket.on('message', (data) => {
      const code = this.#receive(connection, data);
      if (code !== undefined) socket.close(code);
    });
    // A broken socket closes next: that is where its end is dealt with.
    socket.on('error', () => socket.terminate());
    socket.on('close', (code) => {
      connection.end();
      this.#connections.delete(connection);
      const { session } = connection;
      if (session?.socket !== socket) return;
      session.socket = undefined;
      // A bot that says goodbye gives its session up (documentation, "Initiating a Disconnect").
      if (code === 1000 || code === 1001) this.#end(session.id);
    });
    if (query.get('v') !== '10') {
      socket.close(GatewayCloseCodes.InvalidAPIVersion);
    } else if (query.get('encoding') !== 'json' || query.has('compress')) {
      socket.close(GatewayCloseCodes.DecodeError, 'only plain JSON is served here');
    } else {
      const d = { heartbeat_interval: this.#options.heartbeatInterval };
      connection.send({ op: GatewayOpcodes.Hello, d });
    }
  }

  /** Deals with one frame. @returns the code to close the connection with, if it is to be closed */
  #receive(connection: Connection, data: RawData): GatewayCloseCodes | undefined {
    const frame = connection.read(data);
    if (typeof frame === 'number') return frame;
    switch (frame.op) {
      case GatewayOpcodes.Heartbeat:
        connection.beat();
        if (this.#acknowledges) connection.send({ op: GatewayOpcodes.HeartbeatAck });
        return undefined;
      case GatewayOpcodes.Identify:
        return this.#identify(connection, frame.d);
      case GatewayOpcodes.Resume:
        return this.#resume(connection, frame.d);
      case GatewayOpcodes.RequestGuildMembers:
        return this.#requestMembers(connection, frame.d);
      case GatewayOpcodes.VoiceStateUpdate:
        return this.#voiceStateUpdate(connection, frame.d);
      case GatewayOpcodes.PresenceUpdate:
        return connection.session ? undefined : GatewayCloseCodes.NotAuthenticated;
      default:
        return GatewayCloseCodes.UnknownOpcode;
    }
  }

  #identify(connection: Connection, data: unknown): GatewayCloseCodes | undefined {
    const { socket } = connection;
    const parsed = Identify.safeParse(data);
    if (!parsed.success) return GatewayCloseCodes.DecodeError;
    const { token, intents, shard = [0, 1] } = parsed.data;
    if (connection.session) return GatewayCloseCodes.AlreadyAuthenticated;
    if (token !== this.#options.token) return GatewayCloseCodes.AuthenticationFailed;
    if (shard[0] < 0 || shard[0] >= shard[1]) return GatewayCloseCodes.InvalidShard;
    if (!areValidIntents(intents)) return GatewayCloseCodes.InvalidIntents;
    if (intents & PRIVILEGED_INTENTS & ~this.#options.privilegedIntents) {
      return GatewayCloseCodes.DisallowedIntents;
    }
    const session = new Session(intents, socket);
    connection.session = session;
    this.#keep(session);
    const guilds = this.#options.guilds();
    this.#dispatchTo(session, Event.Ready, {
      ...this.#options.readyData(),
      v: 10,
      session_id: session.id,
      session_type: 'normal',
      resume_gateway_url: this.#options.url(),
      shard,
      guilds: guilds.map((guild) => ({ id: (guild as { id: string }).id, unavailable: true })),
    });
    for (const guild of guilds) this.#dispatchTo(session, Event.GuildCreate, guild);
    this.#options.identified();
    return undefined;
  }

  #resume(connection: Connection, data: unknown): GatewayCloseCodes | undefined {
    const { socket } = connection;
    const parsed = Resume.safeParse(data);
    if (!parsed.success) return GatewayCloseCodes.DecodeError;
    const { token, session_id: id, seq } = parsed.data;
    if (connection.session) return GatewayCloseCodes.AlreadyAuthenticated;
    if (token !== this.#options.token) return GatewayCloseCodes.AuthenticationFailed;
    const session = this.#sessions.get(id);
    if (!session?.canReplayAfter(seq)) {
      connection.send({ op: GatewayOpcodes.InvalidSession, d: false });
      return undefined;
    }
    if (seq > session.sequence) return GatewayCloseCodes.InvalidSeq;
    connection.session = session;
    session.resume(socket, seq);
    session.dispatch(Event.Resumed, { _trace: [] });
    this.#options.identified();
    return undefined;
  }

  #requestMembers(connection: Connection, data: unknown): GatewayCloseCodes | undefined {
    const parsed = RequestMembers.safeParse(data);
    if (!connection.session) return GatewayCloseCodes.NotAuthenticated;
    if (!parsed.success) return GatewayCloseCodes.DecodeError;
    const chunk = this.#options.membersChunk(parsed.data);
    if (chunk) connection.session.dispatch(Event.GuildMembersChunk, chunk);
    return undefined;
  }

  #voiceStateUpdate(connection: Connection, data: unknown): GatewayCloseCodes | undefined {
    const parsed = VoiceStateRequest.safeParse(data);
    if (!connection.session) return GatewayCloseCodes.NotAuthenticated;
    if (!parsed.success) return GatewayCloseCodes.DecodeError;
    this.#options.voiceStateUpdate(parsed.data, connection.session.id);
    return undefined;
  }

  #keep(session: Session): void {
    this.#sessions.set(session.id, session);
    for (const [id, { socket }] of this.#sessions) {
      if (this.#sessions.size <= MAX_SESSIONS) break;
      if (socket === undefined) this.#end(id);
    }
  }

  #end(sessionId: string): void {
    this.#sessions.delete(sessionId);
    this.#options.ended(sessionId);
  }
}
