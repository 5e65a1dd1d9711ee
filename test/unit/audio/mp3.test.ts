import { expect, test } from 'vitest';
import { AudioFormatError } from '../../../src/audio/errors.ts';
import { createMp3Encoder } from '../../../src/audio/mp3.ts';
import { decodeMp3 } from '../../../src/audio/mp3-decode.ts';
import { mp3Frames } from '../../../src/audio/mp3-frames.ts';
import { encodeWav } from '../../../src/audio/wav.ts';
import { envelopeCorrelation, medianF0 } from '../../helpers/measure.ts';
import { sine, voice } from '../../helpers/sounds.ts';

async function encodeFile(sound: Int16Array, rate: number): Promise<Buffer> {
  const encoder = await createMp3Encoder(rate);
  const parts: Uint8Array[] = [];
  for (let offset = 0; offset < sound.length; offset += 4_410) {
    parts.push(encoder.encode(sound.subarray(offset, offset + 4_410)));
  }
  return Buffer.concat([...parts, encoder.finish()]);
}

const speech = voice(150, 44_100, 88_200, 2);
const file = await encodeFile(speech, 44_100);

test.each([16_000, 22_050, 24_000, 44_100, 48_000])('%i Hz comes back as it was', async (rate) => {
  const sound = voice(150, rate, 2 * rate, 2);
  const decoded = await decodeMp3(await encodeFile(sound, rate));
  expect(decoded.sampleRate).toBe(rate);
  const seconds = decoded.samples.length / rate;
  expect(seconds).toBeGreaterThanOrEqual(2);
  expect(seconds).toBeLessThan(2.2);
  expect(medianF0(decoded.samples, rate) / medianF0(sound, rate)).toBeCloseTo(1, 1);
  // Encoder and decoder together delay the sound by 1,105 samples.
  const aligned = decoded.samples.subarray(1_105);
  expect(envelopeCorrelation(aligned, sound, rate)).toBeGreaterThan(0.98);
});

test('the bit rate is 128 kbit/s', () => {
  expect((file.length * 8) / 2 / 1_000).toBeGreaterThan(126);
  expect((file.length * 8) / 2 / 1_000).toBeLessThan(135);
});

test('no more is decoded than is wanted, from the start on', async () => {
  const long = voice(150, 16_000, 12 * 16_000, 2);
  const bytes = await encodeFile(long, 16_000);
  const { samples, sampleRate } = await decodeMp3(bytes, { seconds: 3 });
  expect(samples.length).toBe(3 * sampleRate);
  const whole = await decodeMp3(bytes);
  expect(whole.samples.length).toBeGreaterThanOrEqual(long.length);
  expect(samples).toEqual(whole.samples.subarray(0, samples.length));
});

test('bytes come long before the sound is over', async () => {
  const encoder = await createMp3Encoder(44_100);
  const first = encoder.encode(sine(440, 44_100, 8_820));
  expect(first.length).toBeGreaterThan(400);
  expect(mp3Frames(first).length).toBe(1);
});

test('streams that run side by side do not disturb each other', async () => {
  const [one, other] = [await createMp3Encoder(44_100), await createMp3Encoder(44_100)];
  const parts: Uint8Array[] = [];
  for (let offset = 0; offset < speech.length; offset += 4_410) {
    parts.push(one.encode(speech.subarray(offset, offset + 4_410)));
    other.encode(sine(1_000, 44_100, 3_000));
  }
  other.finish();
  expect(Buffer.concat([...parts, one.finish()]).equals(file)).toBe(true);
});

test('tags around the sound do no harm', async () => {
  const id3 = Buffer.concat([Buffer.from('ID3\x04\0\0\0\0\x02\x00'), Buffer.alloc(256, 0xff)]);
  const tail = Buffer.concat([Buffer.from('TAG'), Buffer.alloc(125, 0x41)]);
  const decoded = await decodeMp3(Buffer.concat([id3, file, tail]));
  expect(decoded).toEqual(await decodeMp3(file));
});

test('a file that ends within a frame is read up to there', async () => {
  const { samples } = await decodeMp3(file.subarray(0, file.length / 2 - 100));
  expect(samples.length).toBeGreaterThan(40_000);
  expect(samples.length).toBeLessThan(46_000);
});

function noise(length: number): Uint8Array {
  let seed = 7;
  return Uint8Array.from({ length }, () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed >> 8;
  });
}

test.each([
  ['no bytes', new Uint8Array(0)],
  ['zeros', new Uint8Array(5_000)],
  ['noise', noise(200_000)],
  ['ones', new Uint8Array(50_000).fill(0xff)],
  ['text', Buffer.from('This is certainly no sound at all. '.repeat(500))],
  ['a WAV file', encodeWav({ samples: speech, sampleRate: 44_100 })],
  ['a tag that promises more than there is', Buffer.from('ID3\x04\0\0\x7f\x7f\x7f\x7fabc')],
  ['one lone frame header', Buffer.from([0xff, 0xfb, 0x90, 0x64])],
])('%s: refused', async (_, bytes) => {
  await expect(decodeMp3(bytes)).rejects.toThrow(AudioFormatError);
});

test('damage in the middle costs a moment, not the whole', async () => {
  const damaged = Buffer.from(file);
  damaged.set(noise(2_000), 10_000);
  const { samples } = await decodeMp3(damaged);
  expect(samples.length).toBeGreaterThan(80_000);
});
