import { GatewayCloseCodes } from 'discord-api-types/v10';
import type { RawData, WebSocket } from 'ws';
import { z } from 'zod';
import type { Session } from './session.ts';

const Frame = z.object({ op: z.int(), d: z.unknown().optional() });

/** One message of the bot: an opcode and its data. */
export type Frame = z.output<typeof Frame>;

/** Frames that a connection may send in a minute (documentation, "Rate Limiting"). */
const MAX_FRAMES = 120;
const FRAME_WINDOW = 60_000;

/** One WebSocket to the gateway, with or without a session. */
export class Connection {
  readonly socket: WebSocket;
  session: Session | undefined;
  /** Closes the connection when the bot missed two heartbeats in a row. */
  readonly #zombieTimer: NodeJS.Timeout;
  #frames = 0;
  #windowEnd = 0;

  /** @param heartbeatInterval - milliseconds between two heartbeats of the bot */
  constructor(socket: WebSocket, heartbeatInterval: number) {
    this.socket = socket;
    this.#zombieTimer = setTimeout(
      () => socket.close(GatewayCloseCodes.SessionTimedOut),
      heartbeatInterval * 2,
    );
  }

  send(frame: { op: number; d?: unknown }): void {
    this.socket.send(JSON.stringify({ s: null, t: null, ...frame }));
  }

  /** Notes a heartbeat. */
  beat(): void {
    this.#zombieTimer.refresh();
  }

  /** Reads a frame, or gives the code to close the connection with. */
  read(data: RawData): Frame | GatewayCloseCodes {
    const now = Date.now();
    if (now > this.#windowEnd) {
      this.#windowEnd = now + FRAME_WINDOW;
      this.#frames = 0;
    }
    this.#frames += 1;
    if (this.#frames > MAX_FRAMES) return GatewayCloseCodes.RateLimited;
    try {
      return Frame.parse(JSON.parse(data.toString()));
    } catch {
      // What cannot be read is answered with this code, whatever is wrong with it.
      return GatewayCloseCodes.DecodeError;
    }
  }

  /** Ends what belongs to the connection once it is closed. */
  end(): void {
    clearTimeout(this.#zombieTimer);
  }
}
