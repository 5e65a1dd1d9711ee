import { type ModelAliases, unalias } from '../contract/aliases.ts';
import type { Model } from '../contract/models.ts';
import type { Voice, VoiceFilters } from '../contract/voices.ts';

/** What a search looks at. */
export type SearchedVoice = Pick<
  Voice,
  'name' | 'description' | 'age' | 'gender' | 'use_cases' | 'language' | 'styles' | 'models'
>;

/** One spelling for what people see as the same: case, width and composition of characters. */
function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

function values(filter: string, separator: string | RegExp): string[] {
  return fold(filter)
    .split(separator)
    .map((value) => value.trim())
    .filter((value) => value !== '');
}

function matchesAny(filter: string | undefined, given: readonly string[]): boolean {
  const wanted = values(filter ?? '', ',');
  return wanted.length === 0 || given.some((value) => wanted.includes(fold(value)));
}

function matchesStyle(filter: string | undefined, styles: readonly string[]): boolean {
  if (!filter?.includes(';')) return matchesAny(filter, styles);
  const folded = styles.map(fold);
  return values(filter, ';').every((style) => folded.includes(style));
}

/** Whether every term of a filter occurs in a text; a filter without a value is met. */
export function containsAll(filter: string | undefined, text: string): boolean {
  const folded = fold(text);
  return values(filter ?? '', /\s+/).every((term) => folded.includes(term));
}

function namesOf(models: readonly Model[], aliases: ModelAliases): string[] {
  return Object.keys(aliases).filter((name) => models.includes(unalias(name, aliases) as Model));
}

/**
 * Whether a voice fits every filter (supplement, "Search"). A filter without a value filters
 * nothing. Other names for models stand for their model.
 */
export function matches(
  voice: SearchedVoice,
  filters: VoiceFilters,
  aliases: ModelAliases = {},
): boolean {
  return (
    matchesAny(filters.language, voice.language) &&
    matchesAny(filters.gender, [voice.gender]) &&
    matchesAny(filters.age, [voice.age]) &&
    matchesAny(filters.use_case, voice.use_cases) &&
    matchesAny(filters.use_cases, voice.use_cases) &&
    matchesAny(filters.model, [...voice.models, ...namesOf(voice.models, aliases)]) &&
    matchesStyle(filters.style, voice.styles) &&
    containsAll(filters.name, voice.name) &&
    containsAll(filters.description, voice.description)
  );
}
