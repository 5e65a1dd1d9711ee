import { afterAll, expect, test } from 'vitest';
import { createAudioEncoder, type PcmStream } from '../../../src/audio/encoder.ts';
import { applyGain } from '../../../src/audio/gain.ts';
import { OPUS_PRE_SKIP } from '../../../src/audio/opus.ts';
import { envelopeCorrelation, medianF0, rms } from '../../helpers/measure.ts';
import { decodeOggOpus } from '../../helpers/ogg.ts';
import { decodePackets } from '../../helpers/packets.ts';
import { inChunks, sine, voice } from '../../helpers/sounds.ts';

const RATE = 44_100;
const speech = voice(150, RATE, 2 * RATE + 7, 2);
const speech48 = voice(150, 48_000, 96_008, 2);
const encoder = createAudioEncoder();
const { signal } = new AbortController();

afterAll(() => encoder.close());

const sound = (samples = speech): PcmStream => ({
  sampleRate: RATE,
  chunks: inChunks(samples, 4_410),
});

test('packets for a voice channel are the whole speech, 20 ms each', async () => {
  const packets = await Array.fromAsync(encoder.opusPackets(sound(), signal));
  const heard = decodePackets(packets);
  expect(heard.length).toBe(packets.length * 960);
  expect(heard.length / 48_000 - speech.length / RATE).toBeLessThan(0.04);
  expect(heard.length / 48_000).toBeGreaterThan(speech.length / RATE);
  expect(medianF0(heard, 48_000) / medianF0(speech, RATE)).toBeCloseTo(1, 1);
  expect(envelopeCorrelation(heard.subarray(OPUS_PRE_SKIP), speech48, 48_000)).toBeGreaterThan(
    0.98,
  );
});

test('the first packets are there before the speech is complete', async () => {
  const rest = Promise.withResolvers<void>();
  async function* chunks(): AsyncGenerator<Int16Array> {
    yield speech.subarray(0, 4_410);
    await rest.promise;
    yield speech.subarray(4_410);
  }
  const packets = encoder.opusPackets({ sampleRate: RATE, chunks: chunks() }, signal);
  const reader = packets[Symbol.asyncIterator]();
  const early = [await reader.next(), await reader.next(), await reader.next()];
  expect(early.map(({ done }) => done)).toEqual([false, false, false]);
  rest.resolve();
  let count = early.length;
  while (!(await reader.next()).done) count += 1;
  expect(count).toBe(Math.ceil((speech.length / RATE + OPUS_PRE_SKIP / 48_000) / 0.02));
});

test('a file of the same packets comes with the last of them', async () => {
  let file: Uint8Array | undefined;
  const onFile = (made: Uint8Array) => {
    file = made;
  };
  const packets = await Array.fromAsync(encoder.opusPackets(sound(), signal, { onFile }));
  const fromFile = await decodeOggOpus(file ?? new Uint8Array());
  expect(fromFile.length).toBe(Math.round((speech.length * 48_000) / RATE));
  const heard = decodePackets(packets);
  expect(heard.subarray(OPUS_PRE_SKIP, OPUS_PRE_SKIP + fromFile.length)).toEqual(fromFile);
});

test.each([0.5, 2])('at a gain of %f speech is as much softer or louder', async (gain) => {
  const soft = speech.map((sample) => sample / 3);
  const [plain, changed] = await Promise.all(
    [1, gain].map(async (factor) =>
      decodePackets(
        await Array.fromAsync(encoder.opusPackets(sound(soft), signal, { gain: factor })),
      ),
    ),
  );
  expect(rms(changed ?? soft) / rms(plain ?? soft)).toBeCloseTo(gain, 1);
});

test('sound that would become too loud is rounded off, never turned over', () => {
  const loud = applyGain(sine(440, 48_000, 4_800, 0.9), 2);
  const before = sine(440, 48_000, 4_800, 0.9);
  expect(Math.max(...loud)).toBeLessThanOrEqual(32_767);
  expect(loud.every((sample, i) => Math.abs(sample) >= Math.abs(before[i] ?? 0))).toBe(true);
  expect(loud.every((sample, i) => Math.sign(sample) === Math.sign(before[i] ?? 0))).toBe(true);
});

test('nobody is left with half a speech: a source that breaks off is an error', async () => {
  async function* chunks(): AsyncGenerator<Int16Array> {
    yield speech;
    throw new Error('the line is dead');
  }
  const packets = encoder.opusPackets({ sampleRate: RATE, chunks: chunks() }, signal);
  await expect(Array.fromAsync(packets)).rejects.toThrow('the line is dead');
});
