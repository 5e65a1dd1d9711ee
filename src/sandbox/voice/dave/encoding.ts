/** MLS's presentation language (RFC 9420, section 2.1), as far as DAVE's server needs it. */

export function u8(value: number): Buffer {
  return Buffer.from([value]);
}

export function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

export function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

export function u64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(value);
  return bytes;
}

/** Bytes behind their length, which takes 1, 2 or 4 bytes and says so in its first two bits. */
export function vector(...parts: Uint8Array[]): Buffer {
  const body = Buffer.concat(parts);
  if (body.length < 1 << 6) return Buffer.concat([u8(body.length), body]);
  if (body.length < 1 << 14) return Buffer.concat([u16(body.length | 0x4000), body]);
  return Buffer.concat([u32((body.length | 0x8000_0000) >>> 0), body]);
}

/** Reads what others wrote; throws a RangeError where it ends too early or is something else. */
export class Reader {
  readonly #bytes: Buffer;
  #offset = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get offset(): number {
    return this.#offset;
  }

  get isAtEnd(): boolean {
    return this.#offset === this.#bytes.length;
  }

  u8(): number {
    return this.take(1).readUInt8();
  }

  u16(): number {
    return this.take(2).readUInt16BE();
  }

  u32(): number {
    return this.take(4).readUInt32BE();
  }

  u64(): bigint {
    return this.take(8).readBigUInt64BE();
  }

  vector(): Buffer {
    const first = this.#bytes[this.#offset] ?? 0;
    const sizes = [1, 2, 4];
    const size = sizes[first >> 6];
    if (size === undefined) throw new RangeError('A length of 8 bytes is none of MLS');
    const length = this.take(size);
    const mask = 2 ** (size * 8 - 2) - 1;
    return this.take(Number(BigInt(length.readUIntBE(0, size)) & BigInt(mask)));
  }

  /** @throws RangeError unless the next value is the expected one */
  expect(actual: number, expected: number, what: string): void {
    if (actual !== expected) throw new RangeError(`${what} is ${actual}, not ${expected}`);
  }

  take(length: number): Buffer {
    const end = this.#offset + length;
    if (end > this.#bytes.length) throw new RangeError('The message ends too early');
    const taken = this.#bytes.subarray(this.#offset, end);
    this.#offset = end;
    return taken;
  }
}
