import { existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Pcm } from '../../../src/audio/pcm.ts';
import { decodeWav, encodeWav } from '../../../src/audio/wav.ts';
import { createEngine } from '../../../src/engine/builtin.ts';
import type { Character } from '../../../src/engine/characters.ts';
import { createCloner } from '../../../src/engine/cloning/cloner.ts';
import { characterOf } from '../../../src/engine/cloning/match.ts';
import { profileOf } from '../../../src/engine/cloning/profile.ts';
import { type Engine, EngineBusyError, EngineTimeoutError } from '../../../src/engine/engine.ts';
import { UserError } from '../../../src/errors.ts';
import { medianF0 } from '../../helpers/measure.ts';
import { noise, withNoise } from '../../helpers/noise.ts';
import { sine } from '../../helpers/sounds.ts';
import { preset, speak } from './utterances.ts';

const RATE = 44_100;

/** What a speaker says in a sample. */
const SAID =
  'Good morning, everybody. The train to the coast leaves in ten minutes from platform four. Will you come with us?';

/** What a clone is measured by, other words: Harvard sentences of list 1 (IEEE 1969). */
const SAID_BY_CLONE = `The birch canoe slid on the smooth planks. Glue the sheet to the dark blue background.
It is easy to tell the depth of a well. These days a chicken leg is a rare dish.`;

const HUMAN = new URL('../../../../shared/data/jfk-inaugural-11s.wav', import.meta.url);

let engine: Engine;

beforeAll(() => {
  engine = createEngine({ workers: 1 });
});
afterAll(() => engine?.close());

async function said(character: Character, text = SAID): Promise<Pcm> {
  const { samples } = await speak(engine, { character, text });
  return { samples, sampleRate: RATE };
}

async function cloneOf(sample: Pcm): Promise<Pcm> {
  return said(characterOf('clone', await profileOf(sample)), SAID_BY_CLONE);
}

/** Semitones from one sound's median pitch to the other's. */
function pitchBetween(one: Pcm, other: Pcm): number {
  const median = ({ samples, sampleRate }: Pcm) => medianF0(samples, sampleRate);
  return 12 * Math.log2(median(other) / median(one));
}

/** Decibels RMS between two long-term spectra. */
function spectrumBetween(one: number[], other: number[]): number {
  const squares = one.map((level, band) => (level - (other[band] ?? 0)) ** 2);
  return Math.sqrt(squares.reduce((sum, square) => sum + square, 0) / squares.length);
}

describe.each(['marcus', 'theo', 'robin', 'clara', 'dana', 'leo'])('a clone of %s', (id) => {
  test('has the pitch, the range, the tempo and the timbre of its sample', async () => {
    const sample = await said(preset(id));
    const profile = await profileOf(sample);
    const clone = await cloneOf(sample);
    const copied = await profileOf(clone);
    expect(Math.abs(pitchBetween(sample, clone))).toBeLessThan(1);
    expect(Math.abs(copied.f0Range - profile.f0Range)).toBeLessThan(3);
    // The spectrum of a short text is that of its sounds, so it takes the same words to compare.
    const { spectrum } = await profileOf(await said(characterOf('clone', profile)));
    expect(spectrumBetween(profile.spectrum, spectrum)).toBeLessThan(3);
    expect(characterOf('clone', profile).rate / preset(id).rate).toBeGreaterThan(0.85);
    expect(characterOf('clone', profile).rate / preset(id).rate).toBeLessThan(1.15);
  });
});

test('a clone of a faster speaker speaks faster', async () => {
  const tempo = async (rate: number) =>
    characterOf('clone', await profileOf(await said({ ...preset('theo'), rate }))).rate;
  const [slow, normal, fast] = [await tempo(0.75), await tempo(1), await tempo(1.3)];
  expect(slow / normal).toBeLessThan(0.9);
  expect(fast / normal).toBeGreaterThan(1.12);
});

test.runIf(existsSync(HUMAN))('a clone of a human speaker has their pitch', async () => {
  const sample = decodeWav(readFileSync(HUMAN));
  expect(Math.abs(pitchBetween(sample, await cloneOf(sample)))).toBeLessThan(1);
});

test('noise 15 dB below the voice changes what is heard of it little', async () => {
  const sample = await said(preset('clara'));
  const clean = await profileOf(sample);
  const noisy = await profileOf({ ...sample, samples: withNoise(sample.samples, 15) });
  expect(Math.abs(12 * Math.log2(noisy.f0 / clean.f0))).toBeLessThan(0.5);
  expect(Math.abs(noisy.f0Range - clean.f0Range)).toBeLessThan(0.2 * clean.f0Range);
  expect(Math.abs(noisy.syllables / clean.syllables - 1)).toBeLessThan(0.1);
  expect(spectrumBetween(clean.spectrum, noisy.spectrum)).toBeLessThan(3);
});

test('a sample may be quiet, or recorded at a telephone’s rate', async () => {
  const sample = await said(preset('theo'));
  const { f0 } = await profileOf(sample);
  const quiet = { ...sample, samples: sample.samples.map((value) => value / 32) };
  expect((await profileOf(quiet)).f0).toBeCloseTo(f0, -1);
  const narrow = {
    samples: sample.samples.filter((_, i) => i % 6 === 0),
    sampleRate: RATE / 6,
  };
  const profile = await profileOf(narrow);
  expect(profile.f0).toBeCloseTo(f0, -1);
  expect(profile.spectrum.length).toBeLessThan(19);
  expect(characterOf('clone', profile).variant).toEqual(expect.any(String));
});

describe('a sample is refused, with the reason,', () => {
  const silence = new Int16Array(3 * RATE);
  test.each<[string, () => Promise<Int16Array> | Int16Array, RegExp]>([
    ['when it is silent', () => silence, /silent/],
    ['when it is noise', () => noise(3 * RATE, 3_000), /no voice/i],
    [
      'when nobody speaks aloud',
      async () => (await speak(engine, { text: SAID, style: 'whisper' })).samples,
      /no voice/i,
    ],
    ['when it is shorter than a second', () => sine(200, RATE, RATE / 2), /0\.5 s.*at least 1 s/],
    [
      'when a word is lost in silence',
      async () => {
        const word = (await speak(engine, { text: 'Yes.' })).samples;
        const samples = new Int16Array(10 * RATE);
        samples.set(word, 4 * RATE);
        return samples;
      },
      /at least 1 s/,
    ],
    ['when it is empty', () => new Int16Array(0), /0\.0 s/],
  ])('%s', async (_when, make, reason) => {
    const refused = profileOf({ samples: await make(), sampleRate: RATE });
    await expect(refused).rejects.toThrow(UserError);
    await expect(refused).rejects.toThrow(reason);
  });
});

describe('the analysis', () => {
  const sleeper = new URL('./sleeping-thread.ts', import.meta.url);
  const bytes = () => new Uint8Array(16);
  const never = new AbortController().signal;

  test('runs in a thread, on the bytes of a file', async () => {
    const sample = await said(preset('theo'));
    const file = new Uint8Array(encodeWav(sample));
    const profile = await createCloner().analyse(file, { signal: never });
    expect(profile).toEqual(await profileOf(sample));
  });

  test('says of a file that cannot be read why', async () => {
    const refused = createCloner().analyse(new Uint8Array([0xff, 0xfb, 1, 2]), {
      signal: never,
    });
    await expect(refused).rejects.toThrow(UserError);
    await expect(refused).rejects.toThrow(/cannot be read/);
  });

  test('is given up at its deadline', async () => {
    const cloner = createCloner({ threadUrl: sleeper, timeoutMs: 50 });
    await expect(cloner.analyse(bytes(), { signal: never })).rejects.toThrow(EngineTimeoutError);
  });

  test('ends with its signal, running or waiting, and then lets others in', async () => {
    const cloner = createCloner({ threadUrl: sleeper, parallel: 1, queueLimit: 1 });
    const first = new AbortController();
    const second = new AbortController();
    const running = expect(cloner.analyse(bytes(), { signal: first.signal })).rejects;
    const waiting = expect(cloner.analyse(bytes(), { signal: second.signal })).rejects;
    await expect(cloner.analyse(bytes(), { signal: never })).rejects.toThrow(EngineBusyError);
    second.abort(new Error('left the queue'));
    await waiting.toThrow('left the queue');
    const next = expect(cloner.analyse(bytes(), { signal: first.signal })).rejects;
    first.abort(new Error('went away'));
    await Promise.all([running.toThrow('went away'), next.toThrow('went away')]);
    const late = createCloner({ threadUrl: sleeper, parallel: 1, timeoutMs: 50 });
    await Promise.allSettled([late.analyse(bytes(), { signal: never })]);
    await expect(late.analyse(bytes(), { signal: never })).rejects.toThrow(EngineTimeoutError);
  });
});
