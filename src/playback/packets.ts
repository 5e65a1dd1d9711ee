/** Opus packets between the source that makes them and the player that sends them. */
export interface PacketBuffer {
  /** Packets that wait. */
  readonly size: number;
  /** Whether the source has ended, well or badly, and all of it was taken. */
  readonly drained: boolean;
  /** Resolves when there is a packet, or when none will come. */
  readonly begun: Promise<void>;
  /** Resolves when the source has ended; with what broke it, if something did. */
  readonly closed: Promise<{ error?: unknown }>;
  peek(): Uint8Array | undefined;
  shift(): void;
}

/** Length of an Opus packet on Discord. */
export const PACKET_MS = 20;

/**
 * Seconds of packets that may wait: 1.2 MB. The longest sound of one request to the voice service
 * lasts 120 s (duration 60 at speed 2), and a request that is not read on runs into the service's
 * deadline; so every request is read at its own pace, and only a text of many parts is held back.
 */
const AHEAD_SECONDS = 150;

/**
 * Reads packets ahead into memory, at most `aheadSeconds` of them. Never throws: what breaks the
 * source is told by `closed`, and the packets before it can still be taken.
 *
 * @param signal - leaves the source
 */
export function bufferPackets(
  source: () => Promise<AsyncIterable<Uint8Array> | Iterable<Uint8Array>>,
  signal: AbortSignal,
  aheadSeconds: number = AHEAD_SECONDS,
): PacketBuffer {
  const limit = (aheadSeconds * 1_000) / PACKET_MS;
  const begun = Promise.withResolvers<void>();
  const packets: Uint8Array[] = [];
  /** Index of the first packet not taken: taking one at a time from a long array's start is slow. */
  let first = 0;
  let ended = false;
  let room: PromiseWithResolvers<void> | undefined;

  const size = () => packets.length - first;

  async function waitForRoom(): Promise<void> {
    while (size() >= limit && !signal.aborted) {
      room = Promise.withResolvers();
      await room.promise;
    }
    signal.throwIfAborted();
  }

  async function read(): Promise<{ error?: unknown }> {
    try {
      for await (const packet of await source()) {
        packets.push(packet);
        begun.resolve();
        await waitForRoom();
      }
      return {};
    } catch (error) {
      return { error };
    } finally {
      ended = true;
      begun.resolve();
      signal.removeEventListener('abort', wake);
    }
  }

  const wake = () => room?.resolve();
  signal.addEventListener('abort', wake);

  return {
    get size() {
      return size();
    },
    get drained() {
      return ended && size() === 0;
    },
    begun: begun.promise,
    closed: read(),
    peek: () => packets[first],
    shift() {
      first += 1;
      if (first > 500) {
        packets.splice(0, first);
        first = 0;
      }
      wake();
    },
  };
}

/** The same bytes as @discordjs/voice takes them. */
export function asBuffer(packet: Uint8Array): Buffer {
  return packet instanceof Buffer
    ? packet
    : Buffer.from(packet.buffer, packet.byteOffset, packet.byteLength);
}
