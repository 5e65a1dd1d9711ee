import { VoiceCloseCodes, VoiceOpcodes } from 'discord-api-types/voice/v8';
import type { RawData, WebSocket } from 'ws';
import { z } from 'zod';
import type { VoiceClient } from './client.ts';
import { DAVE_VERSION } from './dave/group.ts';
import type { VoiceServer } from './server.ts';
import { ENCRYPTION_MODE } from './transport.ts';

const Frame = z.object({ op: z.int(), d: z.unknown().optional() });

const Identify = z.object({
  server_id: z.string(),
  user_id: z.string(),
  session_id: z.string(),
  token: z.string(),
  max_dave_protocol_version: z.int().default(0),
});

const Resume = z.object({
  server_id: z.string(),
  session_id: z.string(),
  token: z.string(),
  seq_ack: z.int().default(-1),
});

const Heartbeat = z.object({ t: z.number(), seq_ack: z.int().optional() });

const SelectProtocol = z.object({
  protocol: z.string(),
  data: z.object({ address: z.string(), port: z.int(), mode: z.string() }),
});

const Speaking = z.object({ speaking: z.int(), ssrc: z.int() });

const TransitionMessage = z.object({ transition_id: z.int() });

/** One WebSocket to the voice gateway, before and after it has a session. */
export class VoiceSocket {
  readonly webSocket: WebSocket;
  readonly #server: VoiceServer;
  /** Closes the connection when two heartbeats in a row did not come. */
  readonly #zombieTimer: NodeJS.Timeout;
  #client: VoiceClient | undefined;

  /** @param url - of the request, with the version of the gateway that the client speaks */
  constructor(server: VoiceServer, webSocket: WebSocket, url: string) {
    this.#server = server;
    this.webSocket = webSocket;
    const { heartbeatInterval } = server.options;
    this.#zombieTimer = setTimeout(
      () => webSocket.close(VoiceCloseCodes.SessionTimeout),
      heartbeatInterval * 2,
    );
    webSocket.on('message', (data, isBinary) => {
      const code = isBinary ? this.#receiveBinary(data) : this.#receive(data);
      if (code === undefined) return;
      if (this.#client) server.end(this.#client, code);
      webSocket.close(code);
    });
    // A broken socket closes next: that is where its end is dealt with.
    webSocket.on('error', () => webSocket.terminate());
    webSocket.on('close', (code) => this.#closed(code));
    if (new URL(url, 'wss://voice').searchParams.get('v') !== '8') {
      webSocket.close(VoiceCloseCodes.BadRequest);
      return;
    }
    const hello = { op: VoiceOpcodes.Hello, d: { v: 8, heartbeat_interval: heartbeatInterval } };
    this.#send(hello);
  }

  terminate(): void {
    this.webSocket.terminate();
  }

  /** What goes out without a number: it is not repeated after a resume. */
  #send(message: { op: VoiceOpcodes; d: unknown }): void {
    this.webSocket.send(JSON.stringify(message));
  }

  #closed(code: number): void {
    clearTimeout(this.#zombieTimer);
    const client = this.#client;
    if (client?.socket !== this.webSocket) return;
    client.socket = undefined;
    // A client that says goodbye gives its session up.
    if (code === 1000 || code === 1001) this.#server.end(client, code);
    this.#server.options.changed();
  }

  /** @returns the code to close the connection with, if it is to be closed */
  #receive(raw: RawData): VoiceCloseCodes | undefined {
    let frame: z.output<typeof Frame>;
    try {
      frame = Frame.parse(JSON.parse(raw.toString()));
    } catch {
      // What cannot be read is answered with this code, whatever is wrong with it.
      return VoiceCloseCodes.FailedToDecode;
    }
    switch (frame.op) {
      case VoiceOpcodes.Identify:
        return this.#identify(frame.d);
      case VoiceOpcodes.Resume:
        return this.#resume(frame.d);
      case VoiceOpcodes.Heartbeat:
        return this.#heartbeat(frame.d);
      case VoiceOpcodes.SelectProtocol:
        return this.#selectProtocol(frame.d);
      case VoiceOpcodes.Speaking:
        return this.#speaking(frame.d);
      case VoiceOpcodes.DaveTransitionReady:
        return this.#transitionReady(frame.d);
      case VoiceOpcodes.DaveMlsInvalidCommitWelcome:
        return this.#invalidCommitWelcome(frame.d);
      default:
        return VoiceCloseCodes.UnknownOpcode;
    }
  }

  #receiveBinary(raw: RawData): VoiceCloseCodes | undefined {
    const client = this.#client;
    const message = Buffer.from(raw as Buffer);
    if (!client) return VoiceCloseCodes.NotAuthenticated;
    try {
      client.call?.dave.receiveBinary(client.userId, message.readUInt8(), message.subarray(1));
      return undefined;
    } catch (error) {
      if (error instanceof RangeError) return VoiceCloseCodes.FailedToDecode;
      throw error;
    }
  }

  #transitionReady(data: unknown): VoiceCloseCodes | undefined {
    const parsed = TransitionMessage.safeParse(data);
    const client = this.#client;
    if (!client) return VoiceCloseCodes.NotAuthenticated;
    if (!parsed.success) return VoiceCloseCodes.FailedToDecode;
    client.call?.dave.ready(client.userId, parsed.data.transition_id);
    return undefined;
  }

  #invalidCommitWelcome(data: unknown): VoiceCloseCodes | undefined {
    const parsed = TransitionMessage.safeParse(data);
    const client = this.#client;
    if (!client) return VoiceCloseCodes.NotAuthenticated;
    if (!parsed.success) return VoiceCloseCodes.FailedToDecode;
    client.call?.dave.invalid(client.userId);
    return undefined;
  }

  #heartbeat(data: unknown): VoiceCloseCodes | undefined {
    const parsed = Heartbeat.safeParse(data);
    if (!parsed.success) return VoiceCloseCodes.BadRequest;
    this.#zombieTimer.refresh();
    this.#server.options.faults.pass('heartbeatAck', () =>
      this.#send({ op: VoiceOpcodes.HeartbeatAck, d: { t: parsed.data.t } }),
    );
    return undefined;
  }

  #identify(data: unknown): VoiceCloseCodes | number | undefined {
    const parsed = Identify.safeParse(data);
    const { faults, requiresDave } = this.#server.options;
    if (!parsed.success) return VoiceCloseCodes.FailedToDecode;
    if (this.#client) return VoiceCloseCodes.AlreadyAuthenticated;
    if (faults.refuseIdentify !== undefined) return faults.refuseIdentify;
    const { token, server_id, user_id, session_id } = parsed.data;
    const admission = this.#server.admission(token);
    if (!admission) return VoiceCloseCodes.AuthenticationFailed;
    if (admission.guildId !== server_id) return VoiceCloseCodes.ServerNotFound;
    if (admission.userId !== user_id) return VoiceCloseCodes.AuthenticationFailed;
    if (admission.sessionId !== session_id) return VoiceCloseCodes.SessionNoLongerValid;
    const daveVersion = parsed.data.max_dave_protocol_version;
    if (requiresDave && daveVersion < DAVE_VERSION) {
      return VoiceCloseCodes.EndToEndEncryptionDAVEProtocolRequired;
    }
    const client = this.#server.open(admission, this);
    this.#client = client;
    const d = { ssrc: client.ssrc, ...this.#server.mediaAddress, modes: [ENCRYPTION_MODE] };
    faults.pass('ready', () => client.send(VoiceOpcodes.Ready, d));
    return undefined;
  }

  #selectProtocol(data: unknown): VoiceCloseCodes | undefined {
    const parsed = SelectProtocol.safeParse(data);
    const client = this.#client;
    const { faults, callOf, changed } = this.#server.options;
    if (!client) return VoiceCloseCodes.NotAuthenticated;
    if (!parsed.success) return VoiceCloseCodes.FailedToDecode;
    if (parsed.data.protocol !== 'udp') return VoiceCloseCodes.UnknownProtocol;
    if (parsed.data.data.mode !== ENCRYPTION_MODE) return VoiceCloseCodes.UnknownEncryptionMode;
    faults.pass('sessionDescription', () => {
      if (client.ended) return;
      const call = callOf(client.admission.channelId);
      client.send(VoiceOpcodes.SessionDescription, {
        mode: ENCRYPTION_MODE,
        secret_key: [...client.secretKey],
        dave_protocol_version: call.dave.version,
      });
      client.call = call;
      call.join(client);
      changed();
    });
    return undefined;
  }

  #resume(data: unknown): VoiceCloseCodes | undefined {
    const parsed = Resume.safeParse(data);
    if (!parsed.success) return VoiceCloseCodes.FailedToDecode;
    if (this.#client) return VoiceCloseCodes.AlreadyAuthenticated;
    const { token, server_id, session_id, seq_ack } = parsed.data;
    const client = this.#server.client(token);
    const { admission } = client ?? {};
    if (!client || admission?.guildId !== server_id || admission.sessionId !== session_id) {
      return VoiceCloseCodes.SessionNoLongerValid;
    }
    this.#client = client;
    this.#server.options.faults.pass('resumed', () => {
      client.resume(this.webSocket, seq_ack);
      this.#server.options.changed();
    });
    return undefined;
  }

  #speaking(data: unknown): VoiceCloseCodes | undefined {
    const parsed = Speaking.safeParse(data);
    const client = this.#client;
    if (!client) return VoiceCloseCodes.NotAuthenticated;
    if (!parsed.success || parsed.data.ssrc !== client.ssrc) return VoiceCloseCodes.FailedToDecode;
    client.call?.speaking(client.userId, parsed.data);
    this.#server.options.changed();
    return undefined;
  }
}
