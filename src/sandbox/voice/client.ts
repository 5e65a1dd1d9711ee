import { randomBytes } from 'node:crypto';
import { VoiceOpcodes } from 'discord-api-types/voice/v8';
import type { WebSocket } from 'ws';
import type { Call, Participant } from './call.ts';
import { Traffic } from './traffic.ts';

/** What VOICE_SERVER_UPDATE lets a bot in with. */
export interface Admission {
  guildId: string;
  channelId: string;
  userId: string;
  /** Of the main gateway. */
  sessionId: string;
  token: string;
}

/** Messages kept for a resume; who missed more starts over. */
const MAX_MISSED_MESSAGES = 256;

/** A bot's connection to a voice channel; outlives its WebSocket for a resume. */
export class VoiceClient implements Participant {
  readonly admission: Admission;
  /** RTP source. */
  readonly ssrc: number;
  readonly secretKey = randomBytes(32);
  readonly traffic = new Traffic();
  socket: WebSocket | undefined;
  /** Its place in the call, once it has chosen a protocol. */
  call: Call | undefined;
  /** Closed for good: it cannot be resumed. */
  ended = false;
  #sequence = 0;
  readonly #sent: { sequence: number; message: string | Buffer }[] = [];

  constructor(admission: Admission, ssrc: number, socket: WebSocket) {
    this.admission = admission;
    this.ssrc = ssrc;
    this.socket = socket;
  }

  get userId(): string {
    return this.admission.userId;
  }

  /** Whether it is in the call and connected. */
  get isConnected(): boolean {
    return this.call !== undefined && this.socket !== undefined;
  }

  send(op: VoiceOpcodes, data: unknown): void {
    this.#sequence = (this.#sequence + 1) & 0xffff;
    this.#keep(JSON.stringify({ op, d: data, seq: this.#sequence }));
  }

  sendBinary(op: VoiceOpcodes, payload: Uint8Array): void {
    this.#sequence = (this.#sequence + 1) & 0xffff;
    const head = Buffer.alloc(3);
    head.writeUInt16BE(this.#sequence);
    head.writeUInt8(op, 2);
    this.#keep(Buffer.concat([head, payload]));
  }

  /** Goes on over a new WebSocket, after the last message that the bot got. */
  resume(socket: WebSocket, after: number): void {
    this.socket?.terminate();
    this.socket = socket;
    socket.send(JSON.stringify({ op: VoiceOpcodes.Resumed, d: null }));
    for (const { sequence, message } of this.#sent) {
      if (sequence > after) socket.send(message);
    }
  }

  #keep(message: string | Buffer): void {
    this.#sent.push({ sequence: this.#sequence, message });
    if (this.#sent.length > MAX_MISSED_MESSAGES) this.#sent.shift();
    this.socket?.send(message);
  }
}
