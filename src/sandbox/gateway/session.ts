import { randomBytes } from 'node:crypto';
import { GatewayOpcodes } from 'discord-api-types/v10';
import type { WebSocket } from 'ws';

/** Events kept for a resume; a session that missed more must identify anew. */
const MAX_MISSED_EVENTS = 1000;

/** What a bot identified for: its events are numbered, and outlive the connection for a resume. */
export class Session {
  readonly id = randomBytes(16).toString('hex');
  readonly intents: number;
  socket: WebSocket | undefined;
  #sequence = 0;
  readonly #sent: { sequence: number; frame: string }[] = [];

  constructor(intents: number, socket: WebSocket) {
    this.intents = intents;
    this.socket = socket;
  }

  get sequence(): number {
    return this.#sequence;
  }

  dispatch(event: string, data: object): void {
    this.#sequence += 1;
    const frame = JSON.stringify({
      op: GatewayOpcodes.Dispatch,
      t: event,
      s: this.#sequence,
      d: data,
    });
    this.#sent.push({ sequence: this.#sequence, frame });
    if (this.#sent.length > MAX_MISSED_EVENTS) this.#sent.shift();
    this.socket?.send(frame);
  }

  /** Whether every event after `sequence` is still kept. */
  canReplayAfter(sequence: number): boolean {
    const first = this.#sent[0]?.sequence ?? this.#sequence + 1;
    return sequence >= first - 1;
  }

  /** Goes on over a new connection, from the first event that the bot did not get. */
  resume(socket: WebSocket, after: number): void {
    this.socket = socket;
    for (const { sequence, frame } of this.#sent) {
      if (sequence > after) socket.send(frame);
    }
  }
}
