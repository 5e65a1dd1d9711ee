import { expect, test } from 'vitest';
import { concatSamples } from '../../../src/audio/pcm.ts';
import { createResampler, resample } from '../../../src/audio/resample.ts';
import { signalToNoise } from '../../helpers/measure.ts';
import { sine } from '../../helpers/sounds.ts';

const RATES = [
  [22_050, 44_100],
  [22_050, 48_000],
  [44_100, 48_000],
  [24_000, 44_100],
  [16_000, 44_100],
  [48_000, 22_050],
] as const;

test.each(RATES)('%i Hz to %i Hz keeps a tone clean and in its place', async (from, to) => {
  const out = await resample(sine(1_000, from, from), from, to);
  const ideal = sine(1_000, to, to);
  // The tone starts and stops abruptly, which no band-limited sound can.
  const inside = [to / 10, to - to / 10] as const;
  expect(signalToNoise(ideal.subarray(...inside), out.subarray(...inside))).toBeGreaterThan(80);
});

test.each(RATES)('%i Hz to %i Hz is exact in length, however it is cut', async (from, to) => {
  for (const total of [0, 1, 7, 441, from + 13, 2 * from]) {
    const resampler = await createResampler(from, to);
    const sound = sine(300, from, total);
    const parts: Int16Array[] = [];
    for (let offset = 0; offset < total; offset += 997) {
      parts.push(resampler.process(sound.subarray(offset, offset + 997)));
    }
    parts.push(resampler.flush());
    resampler.free();
    const streamed = concatSamples(parts);
    expect(streamed.length).toBe(Math.round((total * to) / from));
    expect(streamed).toEqual(await resample(sound, from, to));
  }
});

test('sound above the new rate is taken out, not folded down', async () => {
  const out = await resample(sine(15_000, 48_000, 48_000), 48_000, 22_050);
  const middle = out.subarray(2_000, 20_000);
  expect(Math.max(...middle.map(Math.abs))).toBeLessThan(20);
});

test('streams that run side by side do not disturb each other', async () => {
  const low = sine(300, 22_050, 22_050);
  const high = sine(2_000, 22_050, 22_050);
  const [one, other] = [
    await createResampler(22_050, 48_000),
    await createResampler(22_050, 48_000),
  ];
  const parts: [Int16Array[], Int16Array[]] = [[], []];
  for (let offset = 0; offset < low.length; offset += 1_000) {
    parts[0].push(one.process(low.subarray(offset, offset + 1_000)));
    parts[1].push(other.process(high.subarray(offset, offset + 1_000)));
  }
  parts[0].push(one.flush());
  parts[1].push(other.flush());
  one.free();
  other.free();
  expect(concatSamples(parts[0])).toEqual(await resample(low, 22_050, 48_000));
  expect(concatSamples(parts[1])).toEqual(await resample(high, 22_050, 48_000));
});

test('the same rate changes nothing', async () => {
  const sound = sine(440, 44_100, 1_000);
  expect(await resample(sound, 44_100, 44_100)).toEqual(sound);
});

test('a rate of nothing is refused', async () => {
  await expect(createResampler(0, 48_000)).rejects.toThrow('0 Hz');
});
