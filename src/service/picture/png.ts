import { promisify } from 'node:util';
import { crc32, deflate } from 'node:zlib';

const deflated = promisify(deflate);

/** A picture of 8 bit red, green and blue, row by row. */
export interface Picture {
  width: number;
  height: number;
  rgb: Uint8Array;
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** Colour type of red, green and blue. */
const TRUECOLOUR = 2;

/** Filter that subtracts the pixel above. */
const UP = 2;

/** A picture as a PNG file (ISO/IEC 15948). */
export async function encodePng(picture: Picture): Promise<Buffer> {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(picture.width, 0);
  header.writeUInt32BE(picture.height, 4);
  header.set([8, TRUECOLOUR, 0, 0, 0], 8);
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', await deflated(filtered(picture), { level: 9, memLevel: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const bytes = Buffer.alloc(12 + data.length);
  bytes.writeUInt32BE(data.length, 0);
  bytes.write(type, 4, 'latin1');
  data.copy(bytes, 8);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, 8 + data.length)), 8 + data.length);
  return bytes;
}

/** Every row as the difference to the one above, for rows are much alike. */
function filtered({ width, height, rgb }: Picture): Buffer {
  const stride = width * 3;
  const out = Buffer.alloc(height * (stride + 1));
  for (let y = 0, at = 0; y < height; y += 1) {
    out[at] = UP;
    at += 1;
    for (let here = y * stride; here < (y + 1) * stride; here += 1, at += 1) {
      out[at] = (rgb[here] ?? 0) - (y > 0 ? (rgb[here - stride] ?? 0) : 0);
    }
  }
  return out;
}
