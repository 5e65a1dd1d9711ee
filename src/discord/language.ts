import { LANGUAGES, type Language } from '../contract/languages.ts';

/** Scripts that tell the language, or narrow it to a few. */
const SCRIPTS: readonly { script: RegExp; languages: readonly Language[] }[] = [
  { script: /[\p{Script=Hiragana}\p{Script=Katakana}]/u, languages: ['ja'] },
  { script: /\p{Script=Hangul}/u, languages: ['ko'] },
  { script: /\p{Script=Han}/u, languages: ['ja'] },
  { script: /\p{Script=Arabic}/u, languages: ['ar'] },
  { script: /\p{Script=Devanagari}/u, languages: ['hi'] },
  { script: /\p{Script=Greek}/u, languages: ['el'] },
  { script: /[іїєґ]/iu, languages: ['uk'] },
  { script: /\p{Script=Cyrillic}/u, languages: ['ru', 'uk', 'bg'] },
];

const NOT_LATIN: ReadonlySet<Language> = new Set(SCRIPTS.flatMap(({ languages }) => languages));

/**
 * The language to read a text in when nobody said: what its script tells; within that, and for
 * Latin letters, the member's own language; else English.
 *
 * @param locale - the member's locale, as Discord gives it ("pt-BR")
 */
export function guessLanguage(text: string, locale: string): Language {
  const own = languageOf(locale);
  const found = SCRIPTS.find(({ script }) => script.test(text));
  if (found)
    return found.languages.find((language) => language === own) ?? found.languages[0] ?? 'en';
  return own && !NOT_LATIN.has(own) ? own : 'en';
}

/** The language of a locale, where the interface knows it. */
export function languageOf(locale: string): Language | undefined {
  const code = new Intl.Locale(locale).language;
  return LANGUAGES.find((language) => language === code);
}

/** The name of a language in another one: "German", "독일어". */
export function languageName(language: Language, locale: string): string {
  return new Intl.DisplayNames([locale], { type: 'language' }).of(language) ?? language;
}

/** The language that a member means by a code or by its name, in their own language or in English. */
export function findLanguage(typed: string, locale: string): Language | undefined {
  const wanted = typed.trim().toLocaleLowerCase(locale);
  return LANGUAGES.find(
    (language) =>
      language === wanted ||
      [locale, 'en', language].some(
        (inLocale) => languageName(language, inLocale).toLocaleLowerCase(locale) === wanted,
      ),
  );
}
