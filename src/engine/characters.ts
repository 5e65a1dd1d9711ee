import type { Language } from '../contract/languages.ts';
import type { Model } from '../contract/models.ts';

/** How a character sounds in one of its styles. */
export interface Style {
  name: string;
}

/** A voice as the engine makes it. Plain data: it travels to workers, and into a database for custom voices. */
export interface Character {
  id: string;
  styles: readonly Style[];
}

/** A character that comes with Hark, with what people are told of it. */
export interface PresetCharacter extends Character {
  name: string;
  description: string;
  age: string;
  gender: string;
  useCases: readonly string[];
  languages: readonly Language[];
  models: readonly Model[];
}
