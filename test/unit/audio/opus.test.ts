import { expect, test } from 'vitest';
import { encodeOggOpus } from '../../../src/audio/ogg.ts';
import { createOpusEncoder, OPUS_RATE } from '../../../src/audio/opus.ts';
import { envelopeCorrelation, medianF0, rms } from '../../helpers/measure.ts';
import { decodeOggOpus, readOgg } from '../../helpers/ogg.ts';
import { voice } from '../../helpers/sounds.ts';

async function encodeFile(sound: Int16Array, chunk: number): Promise<Uint8Array> {
  const encoder = await createOpusEncoder();
  const packets: Uint8Array[] = [];
  for (let offset = 0; offset < sound.length; offset += chunk) {
    packets.push(...encoder.push(sound.subarray(offset, offset + chunk)));
  }
  const last = encoder.finish();
  encoder.free();
  return encodeOggOpus([...packets, ...last.packets], last.samples);
}

test.each([0, 1, 839, 840, 841, 959, 960, 961, 48_000, 100_001])(
  'a file of %i samples says and holds exactly that many',
  async (length) => {
    const file = await encodeFile(voice(150, OPUS_RATE, length), 1_000);
    expect(readOgg(file)).toEqual({ channels: 1, preSkip: 120, samples: length, ended: true });
    expect((await decodeOggOpus(file)).length).toBe(length);
  },
);

test('the voice that comes out is the one that went in, at its time', async () => {
  const sound = voice(150, OPUS_RATE, 2 * OPUS_RATE, 2);
  const decoded = await decodeOggOpus(await encodeFile(sound, 4_410));
  expect(envelopeCorrelation(decoded, sound, OPUS_RATE)).toBeGreaterThan(0.99);
  expect(medianF0(decoded, OPUS_RATE) / medianF0(sound, OPUS_RATE)).toBeCloseTo(1, 1);
  expect(rms(decoded) / rms(sound)).toBeCloseTo(1, 0);
});

test('the end of the sound is not swallowed', async () => {
  const sound = voice(150, OPUS_RATE, 20_000);
  const decoded = await decodeOggOpus(await encodeFile(sound, 960));
  expect(rms(decoded.subarray(-400)) / rms(sound.subarray(-400))).toBeGreaterThan(0.7);
});

test('however the sound is cut, the file is the same length and the same sound', async () => {
  const sound = voice(120, OPUS_RATE, 30_000);
  const whole = await decodeOggOpus(await encodeFile(sound, sound.length));
  expect(await decodeOggOpus(await encodeFile(sound, 77))).toEqual(whole);
});

test('speech takes about 8 kB a second', async () => {
  const file = await encodeFile(voice(150, OPUS_RATE, 10 * OPUS_RATE), OPUS_RATE);
  expect(file.length).toBeLessThan(95_000);
});
