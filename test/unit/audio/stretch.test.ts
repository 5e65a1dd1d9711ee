import { expect, test } from 'vitest';
import { toFloat } from '../../../src/audio/pcm.ts';
import { stretch } from '../../../src/audio/stretch.ts';
import { envelopeCorrelation, f0Range, medianF0, spectralCentroid } from '../../helpers/measure.ts';
import { voice } from '../../helpers/sounds.ts';

const RATE = 22_050;
const speech = toFloat(voice(140, RATE, 2 * RATE));
const lively = toFloat(voice(140, RATE, 2 * RATE, 3));
const f0 = medianF0(speech, RATE);

test.each([0.25, 0.5, 0.9, 1.37, 2, 5])(
  'length × %d is exact to the sample and leaves the pitch alone',
  async (factor) => {
    const targetLength = Math.round(speech.length * factor) + 1;
    const out = await stretch(speech, RATE, { targetLength, pitchShift: 0 });
    expect(out.length).toBe(targetLength);
    expect(medianF0(out, RATE) / f0).toBeCloseTo(1, 1);
    const tail = out.subarray(Math.floor(out.length * 0.95));
    expect(Math.max(...tail.map(Math.abs))).toBeGreaterThan(0.05);
  },
);

test.each([-12, -5, 3, 7, 12])(
  '%i semitones move the pitch by that, not the length',
  async (shift) => {
    const out = await stretch(speech, RATE, { targetLength: speech.length, pitchShift: shift });
    expect(out.length).toBe(speech.length);
    expect(12 * Math.log2(medianF0(out, RATE) / f0)).toBeCloseTo(shift, 0);
  },
);

test('a melody keeps its range when it is moved', async () => {
  const out = await stretch(lively, RATE, { targetLength: lively.length, pitchShift: 5 });
  expect(f0Range(out, RATE)).toBeCloseTo(f0Range(lively, RATE), 0);
});

test('a higher voice keeps its colour: the resonances stay where they are', async () => {
  const out = await stretch(speech, RATE, { targetLength: speech.length, pitchShift: 7 });
  const change = spectralCentroid(out, RATE) / spectralCentroid(speech, RATE);
  // Without preserved formants it would be 2 ** (7 / 12), nearly 1.5.
  expect(change).toBeLessThan(1.2);
});

test('twice as long is the same speech at half the pace', async () => {
  const out = await stretch(speech, RATE, { targetLength: 2 * speech.length, pitchShift: 0 });
  const halved = out.filter((_, i) => i % 2 === 0);
  expect(envelopeCorrelation(halved, speech, RATE)).toBeGreaterThan(0.7);
});

test('a very short sound fills a long time', async () => {
  const blip = speech.subarray(0, 2_000);
  const out = await stretch(blip, RATE, { targetLength: 60 * 2_000, pitchShift: 0 });
  expect(out.length).toBe(120_000);
});

test('nothing changes when nothing is asked for, and silence stays silence', async () => {
  const same = await stretch(speech, RATE, { targetLength: speech.length, pitchShift: 0 });
  expect(same).toEqual(speech);
  const none = await stretch(new Float32Array(0), RATE, { targetLength: 100, pitchShift: 4 });
  expect(none).toEqual(new Float32Array(100));
});
