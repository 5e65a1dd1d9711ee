import {
  BufferTarget,
  EncodedAudioPacketSource,
  EncodedPacket,
  OggOutputFormat,
  Output,
} from 'mediabunny';
import { OPUS_FRAME, OPUS_PRE_SKIP, OPUS_RATE } from './opus.ts';

/**
 * Puts Opus packets into an Ogg file (RFC 7845). The end is marked to the sample, so that players
 * show and play exactly the length of the sound.
 *
 * @param packets - mono, 20 ms each, enough to cover the sound and the pre-skip
 * @param samples - length of the sound at 48 kHz
 */
export async function encodeOggOpus(
  packets: readonly Uint8Array[],
  samples: number,
): Promise<Uint8Array> {
  const target = new BufferTarget();
  const output = new Output({ format: new OggOutputFormat(), target });
  const source = new EncodedAudioPacketSource('opus');
  output.addAudioTrack(source);
  await output.start();
  const meta = {
    decoderConfig: {
      codec: 'opus',
      numberOfChannels: 1,
      sampleRate: OPUS_RATE,
      description: opusHead(),
    },
  };
  for (const [index, packet] of packets.entries()) {
    const start = index * OPUS_FRAME;
    const length = Math.min(OPUS_FRAME, samples + OPUS_PRE_SKIP - start);
    await source.add(
      new EncodedPacket(packet, 'key', start / OPUS_RATE, length / OPUS_RATE),
      index === 0 ? meta : undefined,
    );
  }
  await output.finalize();
  if (!target.buffer) throw new Error('The Ogg file was not written');
  return new Uint8Array(target.buffer);
}

/** The identification header (RFC 7845, section 5.1). */
function opusHead(): Uint8Array {
  const head = new DataView(new ArrayBuffer(19));
  head.setUint32(0, 0x4f70_7573); // Opus
  head.setUint32(4, 0x4865_6164); // Head
  head.setUint8(8, 1); // version
  head.setUint8(9, 1); // channels
  head.setUint16(10, OPUS_PRE_SKIP, true);
  head.setUint32(12, OPUS_RATE, true);
  return new Uint8Array(head.buffer);
}
