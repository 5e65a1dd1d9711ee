import { describe, expect, test } from 'vitest';
import { AudioFormatError } from '../../../src/audio/errors.ts';
import { concatSamples } from '../../../src/audio/pcm.ts';
import { decodeWav, encodeWav, pcmBytes, wavHeader } from '../../../src/audio/wav.ts';
import { createWavReader } from '../../../src/audio/wav-reader.ts';
import { sine } from '../../helpers/sounds.ts';

const samples = sine(440, 44_100, 4_411);
const file = encodeWav({ samples, sampleRate: 44_100 });

interface Form {
  code: number;
  bits: number;
  channels: number;
  /** Chunks between fmt and data. */
  extra?: Buffer;
}

/** A WAV file in any form, its samples given frame by frame in -1 to 1. */
function wavOf({ code, bits, channels, extra = Buffer.alloc(0) }: Form, values: number[]): Buffer {
  const bytes = bits / 8;
  const data = Buffer.alloc(values.length * bytes);
  for (const [i, value] of values.entries()) {
    if (code === 3) data.writeFloatLE(value, i * bytes);
    else data.writeIntLE(Math.round(value * (2 ** (bits - 1) - 1)), i * bytes, bytes);
  }
  const header = Buffer.alloc(36);
  header.write('RIFF', 0);
  header.writeUInt32LE(36 + extra.length + data.length, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(code, 20);
  header.writeUInt16LE(channels, 22);
  header.writeUInt32LE(8_000, 24);
  header.writeUInt32LE(8_000 * channels * bytes, 28);
  header.writeUInt16LE(channels * bytes, 32);
  header.writeUInt16LE(bits, 34);
  const dataHead = Buffer.from('data....');
  dataHead.writeUInt32LE(data.length, 4);
  return Buffer.concat([header, extra, dataHead, data]);
}

test('what is written is read again, sample for sample', () => {
  expect(decodeWav(file)).toEqual({ samples, sampleRate: 44_100 });
});

test('the header has 44 bytes, fmt first, and says how long the sound is', () => {
  const header = Buffer.from(wavHeader({ sampleRate: 44_100, samples: 1_000 }));
  expect(header.length).toBe(44);
  expect(header.toString('latin1', 8, 16)).toBe('WAVEfmt ');
  expect(header.readUInt32LE(4)).toBe(2_036);
  expect(header.readUInt32LE(40)).toBe(2_000);
});

test('the header of a stream carries 0xFFFFFFFF as its sizes', () => {
  const header = Buffer.from(wavHeader({ sampleRate: 44_100 }));
  expect(header.readUInt32LE(4)).toBe(0xffff_ffff);
  expect(header.readUInt32LE(40)).toBe(0xffff_ffff);
});

describe('reading', () => {
  test.each([1, 2, 3, 7, 44, 45, 1_000])('bytes in pieces of %i give the same', (size) => {
    const reader = createWavReader();
    const parts: Int16Array[] = [];
    for (let offset = 0; offset < file.length; offset += size) {
      parts.push(reader.push(file.subarray(offset, offset + size)));
    }
    reader.finish();
    expect(reader.sampleRate).toBe(44_100);
    expect(concatSamples(parts)).toEqual(samples);
  });

  test('the rate is known as soon as the header is', () => {
    const reader = createWavReader();
    reader.push(file.subarray(0, 43));
    expect(reader.sampleRate).toBeUndefined();
    reader.push(file.subarray(43, 44));
    expect(reader.sampleRate).toBe(44_100);
  });

  test('a stream of unknown length ends where its bytes end', () => {
    const stream = Buffer.concat([wavHeader({ sampleRate: 44_100 }), pcmBytes(samples)]);
    expect(decodeWav(stream).samples).toEqual(samples);
  });

  test.each([
    { code: 1, bits: 16, channels: 1 },
    { code: 1, bits: 24, channels: 1 },
    { code: 1, bits: 32, channels: 1 },
    { code: 3, bits: 32, channels: 1 },
    { code: 1, bits: 16, channels: 2 },
    { code: 3, bits: 32, channels: 6 },
  ])('format $code, $bits bit, $channels channels', (form) => {
    const values = [0, 0.5, -0.5, 0.25, -1].flatMap((v) => Array(form.channels).fill(v));
    const read = decodeWav(wavOf(form, values));
    expect(read.sampleRate).toBe(8_000);
    const expected = [0, 16_384, -16_384, 8_192, -32_768];
    expect([...read.samples].every((v, i) => Math.abs(v - (expected[i] ?? 0)) <= 1)).toBe(true);
    expect(read.samples.length).toBe(5);
  });

  test('two channels become their mean', () => {
    const read = decodeWav(wavOf({ code: 1, bits: 16, channels: 2 }, [0.5, 0, -1, 1]));
    expect([...read.samples]).toEqual([8_192, 0]);
  });

  test('chunks that say nothing about the sound are passed over', () => {
    const list = Buffer.concat([Buffer.from('LIST\x05\0\0\0abcde\0'), Buffer.from('id3 \0\0\0\0')]);
    const bytes = wavOf({ code: 1, bits: 16, channels: 1, extra: list }, [0.5]);
    const trailed = Buffer.concat([bytes, Buffer.from('LIST\x02\0\0\0ab')]);
    expect([...decodeWav(trailed).samples]).toEqual([16_384]);
  });

  test('floats beyond full scale are clipped, not wrapped', () => {
    const read = decodeWav(wavOf({ code: 3, bits: 32, channels: 1 }, [2, -2, Number.NaN]));
    expect([...read.samples]).toEqual([32_767, -32_768, 0]);
  });
});

describe('refusing', () => {
  test.each([
    ['no bytes', new Uint8Array(0)],
    ['half a header', file.subarray(0, 30)],
    ['a header without its data', file.subarray(0, 44)],
    ['half a sound', file.subarray(0, 1_000)],
    ['half a sample', file.subarray(0, file.length - 1)],
    ['something else', Buffer.from('This is certainly no sound at all, is it? '.repeat(3))],
    ['8 bit', wavOf({ code: 1, bits: 8, channels: 1 }, [0.5])],
    ['compressed sound', wavOf({ code: 2, bits: 16, channels: 1 }, [0.5])],
    ['no channels', wavOf({ code: 1, bits: 16, channels: 0 }, [0.5])],
  ])('%s', (_, bytes) => {
    expect(() => decodeWav(bytes)).toThrow(AudioFormatError);
  });

  test('a stream that stops within a sample is cut off', () => {
    const stream = Buffer.concat([wavHeader({ sampleRate: 44_100 }), pcmBytes(samples)]);
    expect(() => decodeWav(stream.subarray(0, -1))).toThrow('cut off');
  });
});
