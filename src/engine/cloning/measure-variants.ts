import { writeFile } from 'node:fs/promises';
import { concatSamples } from '../../audio/pcm.ts';
import { UserError } from '../../errors.ts';
import type { Character } from '../characters.ts';
import { loadEspeak } from '../espeak/espeak.ts';
import { espeakVoice } from '../espeak/voices.ts';
import { prepareText } from '../text/prepare.ts';
import { profileOf } from './profile.ts';
import type { MeasuredVariant, VariantTable } from './variants.ts';

// Makes variants.json: what each timbre of eSpeak NG sounds like. Run it when eSpeak NG or the
// analysis changes: node src/engine/cloning/measure-variants.ts && npx biome format --write src/engine/cloning

/** Timbres of people: no echo, no robots, no breath alone, and clear enough to be understood. */
const VARIANTS = [
  ...['f1', 'f2', 'f3', 'f4', 'f5', 'm2', 'm3', 'm5', 'm6', 'm7', 'm8'],
  ...['Alex', 'Andrea', 'Annie', 'Diogo', 'Gene', 'Gene2'],
  ...['anika', 'antonio', 'aunty', 'belinda', 'grandma', 'linda', 'max', 'michel'],
  ...['pedro', 'sandro', 'steph', 'steph2', 'victor', 'zac'],
];

/**
 * Statements, questions and lists, long and short: what people say in samples. Long enough that the
 * melody of one sentence does not count for the voice's own.
 */
const TEXT =
  'The ship came in late last night, and nobody was there to meet it. Did you see who was on board? ' +
  'We counted seven people, two dogs, and a great many boxes full of old books. That is all I know. ' +
  'In the morning the harbour was empty again. Some say that it never came at all; others swear that they heard the bell. ' +
  'What would you have done? My brother went home, made a pot of tea, and waited for the rain to stop.';

const PITCHES = [10, 30, 50, 75, 99];
const RANGES = [0, 30, 60, 100];
const RATES = [0.6, 0.8, 1, 1.2, 1.5];

const espeak = await loadEspeak();
const text = prepareText(TEXT, 'en');

function measure(
  variant: Character['variant'],
  { pitch = 50, range = 50, rate = 1 }: { pitch?: number; range?: number; rate?: number },
) {
  const pieces: Int16Array[] = [];
  const delivery = { variant, pitch, range, rate: Math.round(175 * rate) };
  espeak.synthesize(text, espeakVoice('en'), delivery, ({ samples }) => {
    pieces.push(samples.slice());
    return false;
  });
  return profileOf({ samples: concatSamples(pieces), sampleRate: espeak.sampleRate });
}

async function measureVariant(name: string): Promise<MeasuredVariant> {
  const intonation: MeasuredVariant['intonation'] = [];
  for (const pitch of PITCHES) {
    for (const range of RANGES) {
      const { f0, f0Range } = await measure(name, { pitch, range });
      intonation.push({ f0, f0Range });
    }
  }
  const syllables: number[] = [];
  for (const rate of RATES) syllables.push((await measure(name, { rate })).syllables);
  const { spectrum, level } = await measure(name, {});
  return { name, level, spectrum, syllables, intonation };
}

const variants: MeasuredVariant[] = [];
for (const name of VARIANTS) {
  try {
    variants.push(await measureVariant(name));
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    console.log(`${name} is left out: ${error.message}`);
  }
}
const table: VariantTable = { pitches: PITCHES, ranges: RANGES, rates: RATES, variants };
await writeFile(new URL('./variants.json', import.meta.url), `${JSON.stringify(table)}\n`);
