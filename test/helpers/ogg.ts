import { Decoder } from '@evan/opus/wasm/index.mjs';
import prism from 'prism-media';
import { concatSamples } from '../../src/audio/pcm.ts';

/** What an Ogg Opus file says of itself (RFC 7845). */
export interface OggOpus {
  channels: number;
  /** Samples at 48 kHz that a player drops at the start. */
  preSkip: number;
  /** Length of the sound in samples at 48 kHz: the last granule position less the pre-skip. */
  samples: number;
  /** Whether the last page is marked as the last. */
  ended: boolean;
}

/** Reads the pages of an Ogg Opus file, independently of what wrote it. */
export function readOgg(file: Uint8Array): OggOpus {
  const bytes = Buffer.from(file);
  let granule = 0n;
  let ended = false;
  let offset = 0;
  while (offset < bytes.length) {
    if (bytes.toString('latin1', offset, offset + 4) !== 'OggS') throw new Error('No Ogg page');
    const segments = bytes[offset + 26] ?? 0;
    const lengths = bytes.subarray(offset + 27, offset + 27 + segments);
    ended = ((bytes[offset + 5] ?? 0) & 4) !== 0;
    granule = bytes.readBigInt64LE(offset + 6);
    offset += 27 + segments + lengths.reduce((sum, length) => sum + length, 0);
  }
  const head = bytes.indexOf('OpusHead');
  const preSkip = bytes.readUInt16LE(head + 10);
  return { channels: bytes[head + 9] ?? 0, preSkip, samples: Number(granule) - preSkip, ended };
}

/** The sound of an Ogg Opus file as a player plays it: mono, 48 kHz. */
export async function decodeOggOpus(file: Uint8Array): Promise<Int16Array> {
  const { preSkip, samples } = readOgg(file);
  const decoder = new Decoder({ channels: 1, sample_rate: 48_000 });
  const demuxer = new prism.opus.OggDemuxer();
  demuxer.end(Buffer.from(file));
  const parts: Int16Array[] = [];
  for await (const packet of demuxer) parts.push(new Int16Array(decoder.decode(packet).buffer));
  decoder.drop();
  return concatSamples(parts).subarray(preSkip, preSkip + samples);
}
