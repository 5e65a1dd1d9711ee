import { PACKET_MS, type PacketBuffer } from './packets.ts';

/** Where packets go. */
export interface PacketSink {
  /** Sends one packet; false when none can be sent now, and the packet is kept. */
  send(packet: Uint8Array): boolean;
  /** Tells whether somebody speaks. */
  setSpeaking(speaking: boolean): void;
}

/** How a sound came to its end in a player. */
export type PlayEnd = 'played' | 'stopped' | 'stalled';

/** Plays one sound at a time, a packet each 20 ms. */
export interface Player {
  /** Packets of the present sound that were sent. */
  readonly sent: number;
  /**
   * Plays a buffer from its first packet to its last, with silence in place of packets that are
   * late, and five frames of silence behind it. Resolves when those are sent.
   *
   * @param onFirst - called once, when the first packet has been sent
   */
  play(buffer: PacketBuffer, onFirst: () => void): Promise<PlayEnd>;
  /** Ends the present sound; silence follows it as after its own end. */
  stop(): void;
  pause(): void;
  resume(): void;
  /** Sends on after `send` had answered false. */
  wake(): void;
  close(): void;
}

/**
 * Opus's frame of silence. Five of them before a pause keep a listener's decoder from inventing
 * sound (Discord, "Voice Data Interpolation").
 */
export const SILENCE = Buffer.from([0xf8, 0xff, 0xfe]);
const SILENT_FRAMES = 5;

/** Packets that are sent at once after the program was held up; what is later is not made up for. */
const CATCH_UP = 10;

/** How long the first sound, or the next one in the middle, may be awaited. */
const STALL_MS = 45_000;

interface Playing {
  buffer: PacketBuffer;
  onFirst: () => void;
  resolve(end: PlayEnd): void;
  /** Undefined while the sound goes on. */
  end?: PlayEnd;
  sent: number;
  waitsSince: number;
}

/**
 * The players of @discordjs/voice wait one or two cycles before a sound, share one cycle between
 * all guilds, and take five late packets for the end of a sound; so packets are paced here.
 */
export function createPlayer(sink: PacketSink, stallMs: number = STALL_MS): Player {
  let playing: Playing | undefined;
  let paused = false;
  let closed = false;
  /** Frames of silence that are still to be sent before the line may rest. */
  let tail = 0;
  let timer: NodeJS.Timeout | undefined;
  /** When the next packet is due; undefined while the line rests. */
  let nextAt: number | undefined;

  /** The packet that is due: silence for one that is late; undefined when the line may rest. */
  function due(): Uint8Array | undefined {
    if (tail > 0) return SILENCE;
    if (!playing || playing.end || paused) return undefined;
    const packet = playing.buffer.peek();
    if (packet) return packet;
    if (playing.buffer.drained) {
      finish('played');
    } else if (performance.now() - playing.waitsSince > stallMs) {
      finish('stalled');
    } else {
      return playing.sent > 0 ? SILENCE : undefined;
    }
    return tail > 0 ? SILENCE : undefined;
  }

  /** Notes that a packet went out. */
  function taken(packet: Uint8Array): void {
    if (tail > 0) {
      tail -= 1;
      return;
    }
    if (!playing || packet === SILENCE) return;
    playing.buffer.shift();
    playing.sent += 1;
    playing.waitsSince = performance.now();
    if (playing.sent === 1) playing.onFirst();
  }

  function finish(end: PlayEnd): void {
    if (!playing || playing.end) return;
    playing.end = end;
    tail = nextAt === undefined ? 0 : SILENT_FRAMES;
  }

  function tick(): void {
    timer = undefined;
    const now = performance.now();
    if (nextAt === undefined || now - nextAt > CATCH_UP * PACKET_MS) nextAt = now;
    while (nextAt <= now) {
      const packet = due();
      if (!packet) {
        rest();
        return;
      }
      if (!sink.send(packet)) {
        // The connection is down; `wake` goes on where this left off.
        nextAt = undefined;
        return;
      }
      nextAt += PACKET_MS;
      taken(packet);
    }
    timer = setTimeout(tick, nextAt - now);
  }

  function rest(): void {
    if (nextAt !== undefined) sink.setSpeaking(false);
    nextAt = undefined;
    if (!playing?.end) return;
    const { resolve, end } = playing;
    playing = undefined;
    resolve(end);
  }

  function wake(): void {
    if (timer !== undefined || closed) return;
    // While the line rested nobody waited for the source.
    if (playing) playing.waitsSince = performance.now();
    tick();
  }

  return {
    get sent() {
      return playing?.sent ?? 0;
    },
    play(buffer, onFirst) {
      const { promise, resolve } = Promise.withResolvers<PlayEnd>();
      const own: Playing = { buffer, onFirst, resolve, sent: 0, waitsSince: performance.now() };
      playing = own;
      const patience = setTimeout(() => {
        if (own.sent === 0 && playing === own) {
          finish('stalled');
          wake();
        }
      }, stallMs);
      void buffer.begun.then(() => {
        clearTimeout(patience);
        wake();
      });
      void promise.then(() => clearTimeout(patience));
      return promise;
    },
    stop() {
      finish('stopped');
      wake();
    },
    pause() {
      if (paused) return;
      paused = true;
      if (nextAt !== undefined) tail = SILENT_FRAMES;
    },
    resume() {
      paused = false;
      wake();
    },
    wake,
    close() {
      closed = true;
      clearTimeout(timer);
      timer = undefined;
      nextAt = undefined;
      tail = 0;
      finish('stopped');
      rest();
    },
  };
}
