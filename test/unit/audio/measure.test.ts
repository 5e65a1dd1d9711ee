import { expect, test } from 'vitest';
import {
  envelopeCorrelation,
  f0Range,
  medianF0,
  rms,
  signalToNoise,
  spectralCentroid,
} from '../../helpers/measure.ts';
import { sine, voice } from '../../helpers/sounds.ts';

const RATE = 44_100;

test.each([70, 110, 180, 260, 400])('the pitch of a voice at %i Hz is found', (f0) => {
  expect(medianF0(voice(f0, RATE, RATE), RATE) / f0).toBeCloseTo(1, 2);
});

test.each([8_000, 22_050, 48_000])('the pitch is found at %i samples a second', (rate) => {
  expect(medianF0(voice(150, rate, rate), rate) / 150).toBeCloseTo(1, 1);
});

test('silence and noise have no pitch', () => {
  let seed = 1;
  const noise = Int16Array.from({ length: RATE }, () => {
    seed = (seed * 16_807) % 2_147_483_647;
    return (seed % 20_000) - 10_000;
  });
  expect(medianF0(new Int16Array(RATE), RATE)).toBeNaN();
  expect(medianF0(noise, RATE)).toBeNaN();
});

test('a flat voice has no pitch range, a lively one has that of its melody', () => {
  expect(f0Range(voice(150, RATE, RATE), RATE)).toBeLessThan(0.5);
  const lively = f0Range(voice(150, RATE, 2 * RATE, 3), RATE);
  expect(lively).toBeGreaterThan(4);
  expect(lively).toBeLessThan(6.5);
});

test('the centre of the spectrum of a sine is its frequency', () => {
  expect(spectralCentroid(sine(3_000, RATE, RATE), RATE)).toBeCloseTo(3_000, -1);
});

test('loudness is the root mean square', () => {
  expect(rms(sine(441, RATE, RATE, 0.5))).toBeCloseTo((0.5 * 32_767) / Math.SQRT2, -1);
});

test('a sound goes up and down with itself, not with its opposite', () => {
  const swell = sine(200, RATE, RATE).map((v, i) => v * Math.abs(Math.sin(i / 9_000)));
  const fade = sine(200, RATE, RATE).map((v, i) => v * Math.abs(Math.cos(i / 9_000)));
  expect(envelopeCorrelation(swell, swell, RATE)).toBeCloseTo(1, 5);
  expect(envelopeCorrelation(swell, fade, RATE)).toBeLessThan(-0.5);
});

test('noise of a hundredth of the signal is 40 dB below it', () => {
  const signal = sine(441, RATE, RATE);
  const noisy = signal.map((v, i) => v + v * (i % 2 ? 0.01 : -0.01));
  expect(signalToNoise(signal, noisy)).toBeCloseTo(40, 0);
});
