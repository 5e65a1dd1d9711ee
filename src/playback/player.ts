import type { Clock } from './clock.ts';
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
   * late, and five frames of silence behind it. Resolves when those are sent; at once after `stop`.
   *
   * @param onFirst - called once, when the first packet has been sent
   */
  play(buffer: PacketBuffer, onFirst: () => void): Promise<PlayEnd>;
  /** Ends the present sound; silence follows it until the next one. */
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
 * The players of @discordjs/voice wait one or two cycles before a sound and take five late packets
 * for its end; so packets are paced here.
 */
export function createPlayer(sink: PacketSink, clock: Clock, stallMs: number = STALL_MS): Player {
  let playing: Playing | undefined;
  let paused = false;
  let closed = false;
  /** Frames of silence that are still to be sent before the line may rest. */
  let tail = 0;
  /** Whether a packet goes out at each beat of the clock. */
  let sending = false;
  /** Whether packets went out since the line rested. */
  let spoke = false;
  /** Beats to let pass: the first one may come too soon after the first packet. */
  let early = 0;

  /** The packet that is due: silence for one that is late; undefined when the line may rest. */
  function due(): Uint8Array | undefined {
    const current = paused || playing?.end ? undefined : playing;
    // Sound that goes on after a stop or a pause need not wait for the silence.
    const packet = current?.buffer.peek();
    if (packet) return packet;
    if (tail > 0) return SILENCE;
    return current && insteadOfSound(current);
  }

  /** What is due while there is nothing of a sound to send. */
  function insteadOfSound(playing: Playing): Uint8Array | undefined {
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
    spoke = true;
    tail = packet === SILENCE ? Math.max(0, tail - 1) : 0;
    if (!playing || packet === SILENCE) return;
    playing.buffer.shift();
    playing.sent += 1;
    playing.waitsSince = performance.now();
    if (playing.sent === 1) playing.onFirst();
  }

  function finish(end: PlayEnd): void {
    if (!playing || playing.end) return;
    playing.end = end;
    tail = spoke ? SILENT_FRAMES : 0;
    if (end === 'stopped') settle();
  }

  function beat(packets: number): void {
    const count = Math.max(0, packets - early);
    early = Math.max(0, early - packets);
    for (let i = 0; i < count && sending; i += 1) sendNext();
  }

  function sendNext(): void {
    const packet = due();
    // Without a packet the line rests; where none can be sent, `wake` goes on with this one.
    if (!packet) rest();
    else if (sink.send(packet)) taken(packet);
    else halt();
  }

  function begin(): void {
    sending = true;
    sendNext();
    if (sending) early = clock.join(beat) < PACKET_MS / 2 ? 1 : 0;
  }

  function halt(): void {
    sending = false;
    clock.leave(beat);
  }

  function rest(): void {
    if (spoke) sink.setSpeaking(false);
    spoke = false;
    halt();
    settle();
  }

  /** Tells how a sound ended: one that ran to its end is followed by all of its silence first. */
  function settle(): void {
    if (!playing?.end) return;
    const { resolve, end } = playing;
    playing = undefined;
    resolve(end);
  }

  function wake(): void {
    if (sending || closed) return;
    // While the line rested nobody waited for the source.
    if (playing) playing.waitsSince = performance.now();
    begin();
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
      if (spoke) tail = SILENT_FRAMES;
    },
    resume() {
      paused = false;
      wake();
    },
    wake,
    close() {
      closed = true;
      finish('stopped');
      tail = 0;
      rest();
    },
  };
}
