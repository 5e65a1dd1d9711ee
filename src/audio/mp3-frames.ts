/** Hertz of MPEG 1; MPEG 2 has half, MPEG 2.5 a quarter of each. */
const SAMPLE_RATES = [44_100, 48_000, 32_000];

/** Bit rates in kbit/s by bit rate index (ISO 11172-3, 2.4.2.3, and ISO 13818-3). */
const KBITS = {
  mpeg1: {
    1: [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
    2: [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
    3: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  },
  mpeg2: {
    1: [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
    2: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
    3: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
  },
} as const;

/** Headers in a row, of one kind, before bytes are taken for MPEG sound. */
const PROOF = 3;

interface Frame {
  /** Bytes, header included. */
  length: number;
  /** Version, layer and rate: the same throughout a stream. */
  kind: number;
}

/**
 * The runs of whole MPEG audio frames in a file, tags and junk left out; empty when it holds no
 * MPEG sound. What is not a run of frames must not reach the decoder, which searches it at length.
 */
export function mp3Frames(bytes: Uint8Array): Uint8Array[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const runs: Uint8Array[] = [];
  let kind: number | undefined;
  let offset = afterId3(bytes);
  while (offset < bytes.length) {
    const start = offset;
    const first = frameAt(view, offset);
    if (!first || (kind ?? first.kind) !== first.kind || !isStream(view, offset, first.kind)) {
      offset += 1;
      continue;
    }
    kind = first.kind;
    for (;;) {
      const frame = frameAt(view, offset);
      if (frame?.kind !== kind || offset + frame.length > bytes.length) break;
      offset += frame.length;
    }
    if (offset === start) break;
    runs.push(bytes.subarray(start, offset));
  }
  return runs;
}

/** Whether frames of one kind follow each other from here; a file may end before the proof is full. */
function isStream(view: DataView, start: number, kind: number): boolean {
  let offset = start;
  for (let count = 0; count < PROOF; count += 1) {
    if (count > 0 && offset >= view.byteLength) return offset === view.byteLength;
    const frame = frameAt(view, offset);
    if (frame?.kind !== kind) return false;
    offset += frame.length;
  }
  return true;
}

function frameAt(view: DataView, offset: number): Frame | undefined {
  if (offset + 4 > view.byteLength) return undefined;
  const header = view.getUint32(offset);
  const version = (header >>> 19) & 3; // 3 is MPEG 1, 2 is MPEG 2, 0 is MPEG 2.5
  const layer = 4 - ((header >>> 17) & 3);
  const sampleRate = SAMPLE_RATES[(header >>> 10) & 3];
  if (header >>> 21 !== 0x7ff || version === 1 || !sampleRate) return undefined;
  if (layer !== 1 && layer !== 2 && layer !== 3) return undefined;
  const mpeg1 = version === 3;
  const kbits = KBITS[mpeg1 ? 'mpeg1' : 'mpeg2'][layer][(header >>> 12) & 15];
  if (!kbits) return undefined;
  const rate = sampleRate / (mpeg1 ? 1 : version === 2 ? 2 : 4);
  const padding = (header >>> 9) & 1;
  const samples = layer === 3 && !mpeg1 ? 576 : 1_152;
  const length =
    layer === 1
      ? (Math.floor((12_000 * kbits) / rate) + padding) * 4
      : Math.floor((samples * 125 * kbits) / rate) + padding;
  return { length, kind: (header >>> 10) & 0x7c3 };
}

/** Where the sound may begin: behind an ID3v2 tag, if there is one. */
function afterId3(bytes: Uint8Array): number {
  const isTag = bytes[0] === 0x49 && bytes[1] === 0x44 && bytes[2] === 0x33;
  if (!isTag || bytes.length < 10) return 0;
  const size = bytes.subarray(6, 10).reduce((value, byte) => value * 128 + (byte & 127), 0);
  const footer = ((bytes[5] ?? 0) & 0x10) !== 0 ? 10 : 0;
  return 10 + size + footer;
}
