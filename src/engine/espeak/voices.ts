import type { Language } from '../../contract/languages.ts';

/** Languages whose code is not the name of the accent that most people expect. */
const ACCENTS: Partial<Record<Language, string>> = { en: 'en-us', pt: 'pt-br' };

/** The eSpeak NG voice that speaks a language of the contract. */
export function espeakVoice(language: Language): string {
  return ACCENTS[language] ?? language;
}
