import prism from 'prism-media';
import { AudioFormatError } from './errors.ts';
import { OPUS_PRE_SKIP, OPUS_RATE } from './opus.ts';

/** Opus packets of a file, and how long they sound. */
export interface OpusClip {
  packets: Uint8Array[];
  seconds: number;
}

/** Bytes of a page's header before its table of lengths (RFC 3533, section 6). */
const PAGE_HEADER = 27;
const LAST_PAGE = 4;

/**
 * Reads an Ogg Opus file that was written by this program.
 *
 * @throws {AudioFormatError} when it is cut off or damaged in any byte
 */
export async function readOggOpus(file: Uint8Array): Promise<OpusClip> {
  const samples = checkPages(file) - OPUS_PRE_SKIP;
  // The demuxer sees to the packets; it does not look at the checksums.
  const demuxer = new prism.opus.OggDemuxer();
  demuxer.end(Buffer.from(file.buffer, file.byteOffset, file.byteLength));
  const packets: Uint8Array[] = await Array.fromAsync(demuxer);
  return { packets, seconds: samples / OPUS_RATE };
}

/** Checks every page's checksum and that the last one is there; gives the last position in samples. */
function checkPages(file: Uint8Array): number {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  let position = 0;
  let last = false;
  for (let start = 0; start < file.length; ) {
    const segments = file[start + PAGE_HEADER - 1] ?? 0;
    const body = start + PAGE_HEADER + segments;
    if (body > file.length || view.getUint32(start) !== 0x4f67_6753) throw damaged();
    const end = file
      .subarray(start + PAGE_HEADER, body)
      .reduce((sum, length) => sum + length, body);
    if (end > file.length) throw damaged();
    if (checksum(file, start, end) !== view.getUint32(start + 22, true)) throw damaged();
    position = Number(view.getBigInt64(start + 6, true));
    last = ((file[start + 5] ?? 0) & LAST_PAGE) !== 0;
    start = end;
  }
  if (!last) throw damaged();
  return position;
}

function damaged(): AudioFormatError {
  return new AudioFormatError('The Ogg file is damaged');
}

/** CRC-32 of Ogg: polynomial 0x04c11db7, highest bit first, from 0 (RFC 3533, section 6). */
const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte << 24;
  for (let bit = 0; bit < 8; bit += 1) value = (value << 1) ^ (value < 0 ? 0x04c1_1db7 : 0);
  return value;
});

/** The checksum of a page, in which the four bytes of the checksum itself count as zero. */
function checksum(file: Uint8Array, start: number, end: number): number {
  let crc = 0;
  for (let i = start; i < end; i += 1) {
    const byte = i >= start + 22 && i < start + 26 ? 0 : (file[i] ?? 0);
    crc = (crc << 8) ^ (TABLE[(crc >>> 24) ^ byte] ?? 0);
  }
  return crc >>> 0;
}
