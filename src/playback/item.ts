import { randomUUID } from 'node:crypto';
import { bufferPackets, type PacketBuffer } from './packets.ts';

/** The sound of something to say, as it becomes ready. */
export interface SpokenSound {
  /** Opus, mono, 48 kHz, 20 ms each. */
  packets: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
  /** Length, where it is known before the end. */
  seconds?: number;
}

export interface OpenOptions {
  /** Factor of loudness that the sound is to have. */
  gain: number;
  /** Aborted when nobody will hear the sound any more. */
  signal: AbortSignal;
}

/** Begins to make a sound. Called when its turn is near; again when the volume has changed since. */
export type OpenSound = (options: OpenOptions) => Promise<SpokenSound>;

/** What somebody wants to have said. */
export interface Order {
  open: OpenSound;
  /** What a list shows of it, such as the first words. */
  label: string;
  /** Id of the member who wants it. */
  by: string;
  /** Length, where it is known already. */
  seconds?: number;
  /** Id of the message that it is read from, to find it again when that is deleted. */
  messageId?: string;
}

/** How it went: `failed` carries what broke; sound that had come before was spoken. */
export type ItemEnd =
  | { how: 'spoken' | 'skipped' | 'removed' | 'session_ended' }
  | { how: 'failed'; error: unknown };

/** Something in the queue of a session. */
export interface Item extends Readonly<Omit<Order, 'open' | 'seconds'>> {
  readonly id: string;
  /** Length, once it is known. */
  readonly seconds: number | undefined;
  /** True with the first packet that is sent, false when it ended before. Never rejects. */
  readonly begun: Promise<boolean>;
  /** Never rejects. */
  readonly ended: Promise<ItemEnd>;
}

/** An item as its session works with it. */
export interface QueuedItem extends Item {
  readonly finished: boolean;
  /** Begins to load the sound, once. */
  load(gain: number): PacketBuffer;
  /** Forgets what was loaded, unless it is being heard: the volume has changed. */
  unload(): void;
  /** Says that the first packet was sent. */
  heard(): void;
  finish(end: ItemEnd): void;
}

export function createItem(order: Order): QueuedItem {
  const { open, label, by, messageId } = order;
  const begun = Promise.withResolvers<boolean>();
  const ended = Promise.withResolvers<ItemEnd>();
  let { seconds } = order;
  let finished = false;
  let loading: { buffer: PacketBuffer; left: AbortController } | undefined;

  function load(gain: number): PacketBuffer {
    if (loading) return loading.buffer;
    const left = new AbortController();
    const { signal } = left;
    const buffer = bufferPackets(async () => {
      const sound = await open({ gain, signal });
      seconds = sound.seconds ?? seconds;
      return sound.packets;
    }, signal);
    loading = { buffer, left };
    return buffer;
  }

  function unload(): void {
    loading?.left.abort(new Error('Nobody hears the sound any more.'));
    loading = undefined;
  }

  return {
    id: randomUUID(),
    label,
    by,
    ...(messageId !== undefined && { messageId }),
    get seconds() {
      return seconds;
    },
    get finished() {
      return finished;
    },
    begun: begun.promise,
    ended: ended.promise,
    load,
    unload,
    heard: () => begun.resolve(true),
    finish(end) {
      finished = true;
      unload();
      begun.resolve(false);
      ended.resolve(end);
    },
  };
}
