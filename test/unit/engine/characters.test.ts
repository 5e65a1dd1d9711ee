import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SAMPLE_RATE } from '../../../src/contract/limits.ts';
import { createEngine } from '../../../src/engine/builtin.ts';
import { PRESETS, type PresetCharacter } from '../../../src/engine/characters.ts';
import { medianF0, rms, spectralCentroid } from '../../helpers/measure.ts';
import { preset, speak } from './utterances.ts';

const TEXT = 'My lovely mother remembers.';

interface Heard {
  f0: number;
  centroid: number;
  seconds: number;
  loudness: number;
}

const engine = createEngine({ workers: 1 });
afterAll(() => engine.close());

async function hear(character: PresetCharacter, style: string): Promise<Heard> {
  const { samples } = await speak(engine, { character, style, text: TEXT });
  return {
    f0: medianF0(samples, SAMPLE_RATE),
    centroid: spectralCentroid(samples, SAMPLE_RATE),
    seconds: samples.length / SAMPLE_RATE,
    loudness: rms(samples),
  };
}

const semitones = (a: number, b: number) => 12 * Math.abs(Math.log2(a / b));

/** Whether a listener tells two voices apart: by pitch, colour or pace. */
function differ(a: Heard, b: Heard): boolean {
  return (
    !(semitones(a.f0, b.f0) < 1.5) ||
    Math.abs(a.centroid / b.centroid - 1) > 0.15 ||
    Math.abs(a.seconds / b.seconds - 1) > 0.12
  );
}

describe('the presets', () => {
  const neutral = new Map<string, Heard>();
  beforeAll(async () => {
    for (const character of PRESETS) {
      neutral.set(character.id, await hear(character, character.styles[0].name));
    }
  });

  it('are at least eight, of every age, gender and of many uses', () => {
    expect(PRESETS.length).toBeGreaterThanOrEqual(8);
    expect(new Set(PRESETS.map(({ id }) => id)).size).toBe(PRESETS.length);
    expect(new Set(PRESETS.map(({ age }) => age)).size).toBe(4);
    expect(new Set(PRESETS.map(({ gender }) => gender)).size).toBe(3);
    expect(new Set(PRESETS.flatMap(({ useCases }) => useCases)).size).toBeGreaterThanOrEqual(5);
  });

  it('sound different from each other', () => {
    const alike: string[] = [];
    for (const [id, heard] of neutral) {
      for (const [other, otherHeard] of neutral) {
        if (id < other && !differ(heard, otherHeard)) alike.push(`${id} and ${other}`);
      }
    }
    expect(alike).toEqual([]);
  });

  it('are as high as their age and gender lead one to expect', () => {
    for (const { id, age, gender } of PRESETS) {
      const f0 = neutral.get(id)?.f0 ?? Number.NaN;
      if (age === 'child') expect(f0, id).toBeGreaterThan(250);
      else if (gender === 'female') expect(f0, id).toBeGreaterThan(145);
      else if (gender === 'male') expect(f0, id).toBeLessThan(145);
    }
  });

  it('are about equally loud', () => {
    for (const [id, { loudness }] of neutral) {
      expect(20 * Math.log10(loudness / 3_200), id).toBeGreaterThan(-4);
      expect(20 * Math.log10(loudness / 3_200), id).toBeLessThan(4);
    }
  });
});

describe('the styles', () => {
  it.each(PRESETS.map(({ id }) => id))(
    'of %s begin with neutral and sound different',
    async (id) => {
      const character = preset(id);
      expect(character.styles.length).toBeGreaterThanOrEqual(3);
      expect(character.styles[0].name).toBe('neutral');
      const heard: [string, Heard][] = [];
      for (const { name } of character.styles) heard.push([name, await hear(character, name)]);
      const alike = heard.flatMap(([name, a], index) =>
        heard.slice(index + 1).flatMap(([other, b]) => {
          const same =
            semitones(a.f0, b.f0) < 0.5 &&
            Math.abs(a.seconds / b.seconds - 1) < 0.04 &&
            Math.abs(a.centroid / b.centroid - 1) < 0.05;
          return same ? [`${name} and ${other}`] : [];
        }),
      );
      expect(alike).toEqual([]);
    },
  );

  it('whisper without a voice, with the formants of the character', async () => {
    const spoken = await hear(preset('aria'), 'neutral');
    const whispered = await hear(preset('aria'), 'whisper');
    const dark = await hear(preset('ines'), 'whisper');
    expect(spoken.f0).toBeGreaterThan(100);
    expect(whispered.f0).toBeNaN();
    expect(whispered.loudness).toBeLessThan(spoken.loudness);
    expect(whispered.centroid).toBeGreaterThan(1.3 * dark.centroid);
  });
});
