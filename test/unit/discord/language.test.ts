import { describe, expect, it } from 'vitest';
import { LANGUAGES } from '../../../src/contract/languages.ts';
import { findLanguage, guessLanguage, languageName } from '../../../src/discord/language.ts';

describe('the language of a text that nobody named', () => {
  it.each([
    ['안녕하세요', 'en-US', 'ko'],
    ['今日は良い天気ですね', 'en-US', 'ja'],
    ['東京', 'de', 'ja'],
    ['مرحبا بالجميع', 'en-GB', 'ar'],
    ['नमस्ते', 'en-GB', 'hi'],
    ['Γειά σου', 'en-GB', 'el'],
    ['Привет', 'en-US', 'ru'],
    ['Здравейте', 'bg', 'bg'],
    ['Привіт, як справи?', 'en-US', 'uk'],
    ['Guten Morgen', 'de', 'de'],
    ['Bom dia', 'pt-BR', 'pt'],
    ['Good morning', 'ko', 'en'],
    ['Good morning', 'zh-CN', 'en'],
    ['👋', 'fr', 'fr'],
  ])('%s from a member with %s is read as %s', (text, locale, language) => {
    expect(guessLanguage(text, locale)).toBe(language);
  });
});

describe('names of languages', () => {
  it('stand in the language of the member', () => {
    expect(languageName('de', 'ko')).toBe('독일어');
    expect(languageName('ja', 'ja')).toBe('日本語');
  });

  it('are understood in the own language, in English, natively, and as codes', () => {
    for (const typed of ['de', 'German', 'deutsch', '독일어']) {
      expect(findLanguage(typed, 'ko')).toBe('de');
    }
    expect(findLanguage('Klingon', 'en-US')).toBeUndefined();
  });

  it('exist for all 31 languages in every locale of the bot', () => {
    for (const locale of ['en-US', 'ko', 'ja']) {
      const names = LANGUAGES.map((language) => languageName(language, locale));
      expect(new Set(names).size).toBe(31);
      expect(names.filter((name) => (LANGUAGES as readonly string[]).includes(name))).toEqual([]);
    }
  });
});
