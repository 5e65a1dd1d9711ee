import { Decoder } from '@evan/opus/wasm/index.mjs';

/** Hertz of everything that is heard. */
export const SOUND_RATE = 48_000;

/** What places a packet on the time line. */
export interface TimedPacket {
  /** RTP source: a speaker's connection. */
  ssrc: number;
  /** RTP, 32 bits, 48 kHz. */
  timestamp: number;
  /** Milliseconds of `performance.now()`. */
  arrivedAt: number;
  /** Undefined when the one who got it cannot read it. */
  opus: Buffer | undefined;
}

/** Sound and its first sample on the time line. */
interface Piece {
  start: number;
  samples: Int16Array;
}

/** The sound of one source, in which `elapsed` gives when a packet arrived, in samples. */
function piecesOf(
  packets: readonly TimedPacket[],
  elapsed: (packet: TimedPacket) => number,
  slack: number,
): Piece[] {
  const [first] = packets;
  if (!first) return [];
  const decoder = new Decoder({ channels: 1, sample_rate: SOUND_RATE });
  let shift = elapsed(first);
  try {
    return packets.flatMap((packet) => {
      const arrived = elapsed(packet);
      // The difference of two 32 bit clocks, over their wrap.
      const since = (packet.timestamp - first.timestamp) | 0;
      if (arrived > since + shift + slack) shift = arrived - since;
      if (!packet.opus || since + shift < 0) return [];
      const bytes = decoder.decode(packet.opus);
      const samples = new Int16Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 2);
      return [{ start: since + shift, samples }];
    });
  } finally {
    decoder.drop();
  }
}

/**
 * What a person hears of these packets: mono samples at 48 kHz from the first packet on, speakers
 * mixed. Packets stand where their timestamps put them, so that a lost one is silence. Senders stop
 * the timestamps' clock while they are silent: a packet that comes later than the jitter buffer can
 * make up for is heard when it comes, after silence.
 *
 * @param jitterBuffer - milliseconds
 */
export function playOut(packets: readonly TimedPacket[], jitterBuffer: number): Int16Array {
  const begun = packets[0]?.arrivedAt ?? 0;
  const inSamples = (milliseconds: number) => Math.round((milliseconds * SOUND_RATE) / 1000);
  const pieces = [...Map.groupBy(packets, ({ ssrc }) => ssrc).values()].flatMap((source) =>
    piecesOf(source, ({ arrivedAt }) => inSamples(arrivedAt - begun), inSamples(jitterBuffer)),
  );
  const length = pieces.reduce(
    (most, { start, samples }) => Math.max(most, start + samples.length),
    0,
  );
  const sound = new Int16Array(length);
  for (const { start, samples } of pieces) {
    for (const [i, sample] of samples.entries()) {
      const mixed = (sound[start + i] ?? 0) + sample;
      sound[start + i] = Math.max(-32_768, Math.min(32_767, mixed));
    }
  }
  return sound;
}

/** A whole WAV file of mono samples at 48 kHz. */
export function wavOf(samples: Int16Array): Buffer {
  const head = Buffer.alloc(44);
  head.write('RIFF', 0, 'latin1');
  head.writeUInt32LE(36 + samples.byteLength, 4);
  head.write('WAVEfmt ', 8, 'latin1');
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20); // PCM
  head.writeUInt16LE(1, 22); // channels
  head.writeUInt32LE(SOUND_RATE, 24);
  head.writeUInt32LE(SOUND_RATE * 2, 28); // bytes a second
  head.writeUInt16LE(2, 32); // bytes a frame
  head.writeUInt16LE(16, 34); // bits a sample
  head.write('data', 36, 'latin1');
  head.writeUInt32LE(samples.byteLength, 40);
  return Buffer.concat([
    head,
    new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength),
  ]);
}
