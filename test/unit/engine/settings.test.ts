import { afterAll, describe, expect, it } from 'vitest';
import { SAMPLE_RATE } from '../../../src/contract/limits.ts';
import { createEngine } from '../../../src/engine/builtin.ts';
import { envelopeCorrelation, f0Range, medianF0, rms } from '../../helpers/measure.ts';
import { preset, SENTENCE, speak, symbols, utterance } from './utterances.ts';

const engine = createEngine({ workers: 1 });
afterAll(() => engine.close());

const seconds = ({ samples }: { samples: Int16Array }) => samples.length / SAMPLE_RATE;
const semitones = (a: number, b: number) => 12 * Math.log2(a / b);
/** What two syntheses of one text may differ by in length. */
const WOBBLE = 0.022;

describe('speed', () => {
  it.each([0.5, 0.9, 1.5, 2])('%d divides the length, and keeps the pitch', async (speed) => {
    const normal = await speak(engine);
    const changed = await speak(engine, { settings: { speed } });
    expect(Math.abs(seconds(changed) - seconds(normal) / speed)).toBeLessThan(WOBBLE / speed);
    const f0 = medianF0(normal.samples, SAMPLE_RATE);
    expect(semitones(medianF0(changed.samples, SAMPLE_RATE), f0)).toBeCloseTo(0, 0);
    expect(symbols(changed)).toBe(symbols(normal));
  });
});

describe('duration', () => {
  it.each([
    { duration: 5, speed: 1, result: 5 },
    { duration: 5, speed: 2, result: 10 },
    { duration: 3.3333, speed: 0.5, result: 1.66665 },
    { duration: 0.4, speed: 1, result: 0.4 },
  ])('$duration at speed $speed lasts $result s to the sample', async ({ result, ...settings }) => {
    const speech = await speak(engine, { settings });
    expect(speech.samples.length).toBe(Math.round(result * SAMPLE_RATE));
    const last = speech.phonemes.at(-1);
    expect((last?.start ?? 0) + (last?.duration ?? 0)).toBeCloseTo(seconds(speech), 9);
    expect(rms(speech.samples)).toBeGreaterThan(300);
  });

  it('of a minute for one word lasts it, and ends in silence instead of a drone', async () => {
    const speech = await speak(engine, { text: 'Hi.', settings: { duration: 60 } });
    expect(speech.samples.length).toBe(60 * SAMPLE_RATE);
    expect(rms(speech.samples.subarray(0, 2 * SAMPLE_RATE))).toBeGreaterThan(300);
    expect(rms(speech.samples.subarray(30 * SAMPLE_RATE))).toBe(0);
  });

  it('is kept where there is nothing to say', async () => {
    const speech = await speak(engine, { text: '!', settings: { duration: 1.5 } });
    expect(speech.samples.length).toBe(1.5 * SAMPLE_RATE);
  });
});

describe('pitch_shift', () => {
  it.each([
    [-5, 'theo'],
    [4, 'theo'],
    [12, 'theo'],
    [24, 'marcus'],
  ])('%d moves the voice by as many semitones', async (pitch_shift, id) => {
    // Voices whose pitch can be measured before and after.
    const character = preset(id);
    const normal = await speak(engine, { character });
    const shifted = await speak(engine, { character, settings: { pitch_shift } });
    const moved = semitones(
      medianF0(shifted.samples, SAMPLE_RATE),
      medianF0(normal.samples, SAMPLE_RATE),
    );
    expect(Math.abs(moved - pitch_shift)).toBeLessThan(0.5);
    expect(Math.abs(seconds(shifted) - seconds(normal))).toBeLessThan(WOBBLE);
    expect(envelopeCorrelation(normal.samples, shifted.samples, SAMPLE_RATE)).toBeGreaterThan(0.5);
  });
});

describe('pitch_variance', () => {
  it('0 is flat, 1 is normal, 2 is richer, about the same median', async () => {
    const measured = [];
    for (const pitch_variance of [0, 0.5, 1, 2]) {
      const { samples } = await speak(engine, { settings: { pitch_variance } });
      measured.push({
        range: f0Range(samples, SAMPLE_RATE),
        median: medianF0(samples, SAMPLE_RATE),
      });
    }
    const [flat, less, normal, rich] = measured;
    expect(flat?.range).toBeLessThan(1);
    expect(less?.range).toBeGreaterThan((flat?.range ?? 0) + 0.5);
    expect(normal?.range).toBeGreaterThan(1.3 * (less?.range ?? 0));
    expect(rich?.range).toBeGreaterThan(1.25 * (normal?.range ?? 0));
    for (const { median } of measured) {
      expect(Math.abs(semitones(median, normal?.median ?? 0))).toBeLessThan(1.5);
    }
  });
});

describe('settings together', () => {
  it('all take effect at once, with a style', async () => {
    const character = preset('theo');
    const happy = await speak(engine, { character, style: 'happy' });
    const all = await speak(engine, {
      character,
      style: 'happy',
      settings: { pitch_shift: 6, pitch_variance: 0, duration: 4, speed: 1.5 },
    });
    expect(seconds(all)).toBe(6);
    expect(f0Range(all.samples, SAMPLE_RATE)).toBeLessThan(1);
    const moved = semitones(
      medianF0(all.samples, SAMPLE_RATE),
      medianF0(happy.samples, SAMPLE_RATE),
    );
    expect(Math.abs(moved - 6)).toBeLessThan(2);
  });
});

describe('a prediction', () => {
  it.each([
    { speed: 1 },
    { speed: 0.5 },
    { duration: 7, speed: 1.1 },
    { pitch_shift: 3 },
    { pitch_variance: 2 },
  ])('with %o is what the speech lasts', async (settings) => {
    const text = `${SENTENCE} ${JSON.stringify(settings).length}`;
    const options = { signal: AbortSignal.timeout(20_000) };
    const before = await engine.predict(utterance({ text, settings }), options);
    const speech = await speak(engine, { text, settings });
    const after = await engine.predict(utterance({ text, settings }), options);
    expect(Math.abs(before - seconds(speech))).toBeLessThan(WOBBLE / (settings.speed ?? 1));
    expect(after).toBeCloseTo(seconds(speech), 9);
  });
});
