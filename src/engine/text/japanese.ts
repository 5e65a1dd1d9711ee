import { createRequire } from 'node:module';
import type { Tokenizer } from 'lindera-wasm-nodejs-ipadic';
import { readJapaneseNumbers } from './japanese-numbers.ts';

interface Token {
  surface: string;
  /** Katakana as it is spoken; missing for what the dictionary does not know. */
  pronunciation?: string;
}

/** The dictionary takes 100 MB: only once a thread, and only where there is something to look up. */
let tokenizer: Tokenizer | undefined;

/** Greetings that end in the particle は, which is spoken ワ. */
const GREETINGS = /(こんにち|こんばん)は/gu;

const VOWELS: readonly (readonly [vowel: string, kana: string])[] = [
  ['ア', 'アカサタナハマヤラワガザダバパァャ'],
  ['イ', 'イキシチニヒミリギジヂビピィ'],
  ['ウ', 'ウクスツヌフムユルグズヅブプゥュヴ'],
  ['エ', 'エケセテネヘメレゲゼデベペェ'],
  ['オ', 'オコソトノホモヨロヲゴゾドボポォョ'],
];

/**
 * A Japanese text in kana as it is spoken, for eSpeak NG reads no kanji, spells digits in English
 * and passes over the sign of a long vowel.
 */
export function readJapanese(text: string): string {
  const numbersRead = readJapaneseNumbers(text).replace(GREETINGS, '$1わ');
  const spoken = /\p{Script=Han}/u.test(numbersRead) ? readKanji(numbersRead) : numbersRead;
  return spoken.replace(/([\p{Script=Katakana}])ー+/gu, (_, kana: string) => kana + vowelOf(kana));
}

function readKanji(text: string): string {
  const tokens: Token[] = loadTokenizer().tokenize(text);
  return tokens.map(({ surface, pronunciation }) => pronunciation ?? surface).join('');
}

function loadTokenizer(): Tokenizer {
  if (tokenizer) return tokenizer;
  // The package compiles its dictionary when it is loaded, so it must not be imported before.
  const { TokenizerBuilder } = createRequire(import.meta.url)(
    'lindera-wasm-nodejs-ipadic',
  ) as typeof import('lindera-wasm-nodejs-ipadic');
  const builder = new TokenizerBuilder();
  builder.setDictionary('embedded://ipadic');
  builder.setMode('normal');
  builder.setKeepWhitespace(true);
  tokenizer = builder.build();
  return tokenizer;
}

function vowelOf(kana: string): string {
  return VOWELS.find(([, row]) => row.includes(kana))?.[0] ?? '';
}
