import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { VoiceCloseCodes } from 'discord-api-types/voice/v8';
import { WebSocketServer } from 'ws';
import type { Call } from './call.ts';
import type { Certificate } from './certificate.ts';
import { type Admission, VoiceClient } from './client.ts';
import type { VoiceFaults } from './faults.ts';
import { VoiceSocket } from './socket.ts';
import { MediaPort } from './udp.ts';

export interface VoiceServerOptions {
  host: string;
  certificate: Certificate;
  /** Milliseconds between two heartbeats that clients are asked for. */
  heartbeatInterval: number;
  faults: VoiceFaults;
  /** Whether clients without end-to-end encryption are refused, as Discord does. */
  requiresDave: boolean;
  /** The call of a channel, made when there is none. */
  callOf: (channelId: string) => Call;
  /** Whether what somebody says is passed on: not of who is muted. */
  mayBeHeard: (client: VoiceClient) => boolean;
  /** Called after a client came, was ready, went, or spoke. */
  changed: () => void;
}

/** Voice sessions kept without a connection: the oldest go first. */
const MAX_CLIENTS = 512;

/** One voice server: a gateway (version 8) over TLS, and a port for sound. */
export class VoiceServer {
  readonly options: VoiceServerOptions;
  readonly #https: Server;
  readonly #webSockets = new WebSocketServer({ noServer: true, maxPayload: 1 << 20 });
  readonly #media: MediaPort;
  readonly #admissions = new Map<string, Admission>();
  readonly #clients = new Map<string, VoiceClient>();
  readonly #sockets = new Set<VoiceSocket>();
  #closed: Promise<void> | undefined;

  private constructor(options: VoiceServerOptions, media: MediaPort) {
    this.options = options;
    this.#media = media;
    this.#https = createServer(options.certificate);
    this.#https.on('upgrade', (request, socket, head) => {
      this.#webSockets.handleUpgrade(request, socket, head, (webSocket) => {
        const connection = new VoiceSocket(this, webSocket, request.url ?? '/');
        this.#sockets.add(connection);
        webSocket.on('close', () => this.#sockets.delete(connection));
      });
    });
  }

  static async start(options: VoiceServerOptions): Promise<VoiceServer> {
    const media = await MediaPort.open(options.host, options);
    const server = new VoiceServer(options, media);
    server.#https.listen(0, options.host);
    await once(server.#https, 'listening');
    return server;
  }

  /** Host and port, as VOICE_SERVER_UPDATE names them. */
  get endpoint(): string {
    return `${this.options.host}:${(this.#https.address() as AddressInfo).port}`;
  }

  get mediaAddress(): { ip: string; port: number } {
    return { ip: this.options.host, port: this.#media.port };
  }

  get clients(): VoiceClient[] {
    return [...this.#clients.values()];
  }

  /** Lets a bot in once. @returns the token to identify with */
  admit(admission: Omit<Admission, 'token'>): string {
    const token = randomBytes(8).toString('hex');
    for (const [other, { guildId, userId }] of this.#admissions) {
      if (guildId === admission.guildId && userId === admission.userId) {
        this.#admissions.delete(other);
      }
    }
    this.#admissions.set(token, { ...admission, token });
    return token;
  }

  admission(token: string): Admission | undefined {
    return this.#admissions.get(token);
  }

  /** The session that a token has opened. */
  client(token: string): VoiceClient | undefined {
    return this.#clients.get(token);
  }

  /** Makes the session of a bot that identified. */
  open(admission: Admission, socket: VoiceSocket): VoiceClient {
    const before = this.#clients.get(admission.token);
    if (before) this.end(before, VoiceCloseCodes.SessionNoLongerValid);
    const ssrc = this.#media.newSource();
    const client = new VoiceClient(admission, ssrc, socket.webSocket);
    this.#clients.set(admission.token, client);
    this.#media.add(client);
    for (const other of this.#clients.values()) {
      if (this.#clients.size <= MAX_CLIENTS) break;
      if (!other.socket) this.end(other, VoiceCloseCodes.SessionTimeout);
    }
    return client;
  }

  /** Ends a session for good. */
  end(client: VoiceClient, code: number): void {
    client.ended = true;
    client.call?.leave(client);
    client.call = undefined;
    this.#clients.delete(client.admission.token);
    this.#admissions.delete(client.admission.token);
    this.#media.remove(client);
    client.socket?.close(code);
    client.socket = undefined;
    this.options.changed();
  }

  /** May be called more than once. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    for (const socket of this.#sockets) socket.terminate();
    await this.#media.close();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#https.close(() => resolve());
    this.#https.closeAllConnections();
    await promise;
  }
}
