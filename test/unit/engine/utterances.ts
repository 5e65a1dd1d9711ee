import { DEFAULT_SETTINGS } from '../../../src/contract/settings.ts';
import { PRESETS, type PresetCharacter } from '../../../src/engine/characters.ts';
import {
  collectSpeech,
  type Engine,
  type SpeechPart,
  type Utterance,
} from '../../../src/engine/engine.ts';

export const SENTENCE = 'My lovely mother remembers every morning in May. Where are you now?';

export function preset(id: string): PresetCharacter {
  const found = PRESETS.find((character) => character.id === id);
  if (!found) throw new Error(`No preset ${id}`);
  return found;
}

/** An utterance of the first preset with default settings, but for what is given. */
export function utterance(
  given: Partial<Omit<Utterance, 'settings'>> & { settings?: Partial<Utterance['settings']> } = {},
): Utterance {
  const character = given.character ?? preset('aria');
  return {
    text: SENTENCE,
    language: 'en',
    style: character.styles[0].name,
    ...given,
    character,
    settings: { ...DEFAULT_SETTINGS, ...given.settings },
  };
}

/** Speaks to the end, for twenty seconds at most: a machine that is busy starts its threads slowly. */
export function speak(
  engine: Engine,
  given?: Parameters<typeof utterance>[0],
): Promise<SpeechPart> {
  return collectSpeech(engine.speak(utterance(given), { signal: AbortSignal.timeout(20_000) }));
}

export function symbols(speech: SpeechPart): string {
  return speech.phonemes.map(({ symbol }) => symbol.replaceAll(/[ˈˌ]/g, '')).join('');
}
