import { expect, test } from 'vitest';
import { createWaveform } from '../../../src/audio/waveform.ts';
import { sine, voice } from '../../helpers/sounds.ts';

function points(sound: Int16Array, rate: number, chunk = sound.length || 1): number[] {
  const waveform = createWaveform(rate);
  for (let offset = 0; offset < sound.length; offset += chunk) {
    waveform.push(sound.subarray(offset, offset + chunk));
  }
  return [...Buffer.from(waveform.finish(), 'base64')];
}

test.each([
  [0, 0],
  [0.05, 5],
  [0.5, 32],
  [2, 32],
  [5, 50],
  [11.04, 110],
  [25.6, 256],
  [120, 256],
])('%d s of sound has %i points', (seconds, count) => {
  expect(points(sine(200, 8_000, Math.round(seconds * 8_000)), 8_000).length).toBe(count);
});

test('silence is 0, the loudest point 255, half the loudness half of it', () => {
  const rate = 8_000;
  const sound = new Int16Array(10 * rate);
  sound.set(sine(200, rate, 2 * rate, 0.8), 2 * rate);
  sound.set(sine(200, rate, 2 * rate, 0.4), 6 * rate);
  const levels = points(sound, rate);
  expect(levels.slice(0, 20)).toEqual(Array(20).fill(0));
  expect(levels[30]).toBe(255);
  expect(levels[70]).toBeGreaterThan(125);
  expect(levels[70]).toBeLessThan(130);
});

test('soft speech is as visible as loud speech', () => {
  const loud = voice(150, 44_100, 5 * 44_100);
  const soft = loud.map((sample) => sample / 10);
  const [a, b] = [points(loud, 44_100), points(soft, 44_100)];
  expect(b.every((level, i) => Math.abs(level - (a[i] ?? 0)) <= 4)).toBe(true);
  expect(a.reduce((sum, level) => sum + level, 0) / a.length).toBeGreaterThan(80);
});

test('the hiss of silence is not blown up', () => {
  const hiss = Int16Array.from({ length: 44_100 }, (_, i) => ((i * 7_919) % 21) - 10);
  expect(Math.max(...points(hiss, 44_100))).toBe(0);
});

test('however the sound is cut, the picture is the same', () => {
  const sound = voice(150, 44_100, 3 * 44_100);
  expect(points(sound, 44_100, 997)).toEqual(points(sound, 44_100));
});
