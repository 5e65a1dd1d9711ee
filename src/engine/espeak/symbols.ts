import type { Language } from '../../contract/languages.ts';

/** What eSpeak NG writes in its Korean voice where IPA has another sign. `-` marks tense consonants. */
const KOREAN: Readonly<Record<string, string>> = {
  q: 'ɡ',
  'q-': 'k͈',
  'k-': 'k͈',
  't-': 't͈',
  'p-': 'p͈',
  's-': 's͈',
  'd-': 't̚',
  kh: 'kʰ',
  th: 'tʰ',
  ph: 'pʰ',
};

const OTHERS: Readonly<Record<string, string>> = { 'd^': 'dʲ', 'r.': 'ɽ', ε: 'ɛ' };

/** Letters, modifiers and diacritics, and the tone letters, which Unicode counts as symbols. */
const NOT_IPA = /[^\p{L}\p{M}\u02e5-\u02e9]/gu;

/** Whether a symbol only says that another language's rules apply from here, such as `(en)`. */
export function isLanguageMarker(symbol: string): boolean {
  return symbol.startsWith('(');
}

/**
 * A symbol of eSpeak NG in IPA, stress marks kept (spec, "Phoneme data").
 *
 * @param symbol - as eSpeak NG writes it; empty for a pause
 */
export function toIpa(symbol: string, language: Language): string {
  const stress = /^[ˈˌ]*/u.exec(symbol)?.[0] ?? '';
  const sound = symbol.slice(stress.length);
  const korean = language === 'ko' ? KOREAN[sound] : undefined;
  const ipa = (korean ?? OTHERS[sound] ?? sound).replaceAll('?', 'ʔ').replace(NOT_IPA, '');
  return ipa === '' ? '' : stress + ipa;
}
