import { afterAll, describe, expect, it } from 'vitest';
import { LANGUAGES, type Language } from '../../../src/contract/languages.ts';
import { createEngine } from '../../../src/engine/builtin.ts';
import type { SpeechPart } from '../../../src/engine/engine.ts';
import { readJapaneseNumbers } from '../../../src/engine/text/japanese-numbers.ts';
import { rms } from '../../helpers/measure.ts';
import { speak, symbols } from './utterances.ts';

const GREETINGS: Record<Language, string> = {
  en: 'Good morning, everybody. How are you?',
  ko: '안녕하세요, 여러분. 만나서 반갑습니다.',
  ja: 'みなさん、おはようございます。元気ですか。',
  ar: 'صباح الخير جميعا، كيف حالكم؟',
  bg: 'Добро утро на всички. Как сте?',
  cs: 'Dobré ráno všem. Jak se máte?',
  da: 'Godmorgen allesammen. Hvordan går det?',
  de: 'Guten Morgen zusammen. Wie geht es euch?',
  el: 'Καλημέρα σε όλους. Τι κάνετε;',
  es: 'Buenos días a todos. ¿Cómo estáis?',
  et: 'Tere hommikust kõigile. Kuidas läheb?',
  fi: 'Hyvää huomenta kaikille. Mitä kuuluu?',
  fr: 'Bonjour à tous. Comment allez-vous ?',
  hi: 'सुप्रभात दोस्तों। आप कैसे हैं?',
  hr: 'Dobro jutro svima. Kako ste?',
  hu: 'Jó reggelt mindenkinek. Hogy vagytok?',
  id: 'Selamat pagi semuanya. Apa kabar?',
  it: 'Buongiorno a tutti. Come state?',
  lt: 'Labas rytas visiems. Kaip sekasi?',
  lv: 'Labrīt visiem. Kā jums klājas?',
  nl: 'Goedemorgen allemaal. Hoe gaat het?',
  pl: 'Dzień dobry wszystkim. Jak się macie?',
  pt: 'Bom dia a todos. Como estão?',
  ro: 'Bună dimineața tuturor. Ce mai faceți?',
  ru: 'Доброе утро всем. Как дела?',
  sk: 'Dobré ráno všetkým. Ako sa máte?',
  sl: 'Dobro jutro vsem. Kako ste?',
  sv: 'God morgon allihopa. Hur mår ni?',
  tr: 'Herkese günaydın. Nasılsınız?',
  uk: 'Доброго ранку всім. Як справи?',
  vi: 'Chào buổi sáng mọi người. Các bạn khỏe không?',
};

const engine = createEngine({ workers: 1 });
afterAll(() => engine.close());

/** Letters and modifiers of IPA only, as far as eSpeak NG's languages use them. */
const IPA = /^(?:[a-zäæçðøħŋœɐ-ʯʰ-ʴˈˌːˑˠˤβθχᵝᵻ]|\p{M})*$/u;

function expectGapless({ samples, phonemes }: SpeechPart): void {
  let end = 0;
  for (const { start, duration } of phonemes) {
    expect(start).toBeCloseTo(end, 9);
    expect(duration).toBeGreaterThan(0);
    end = start + duration;
  }
  expect(end).toBeCloseTo(samples.length / 44_100, 9);
}

describe('every language', () => {
  it.each(LANGUAGES)('%s is spoken, with phonemes that cover the sound', async (language) => {
    const speech = await speak(engine, { language, text: GREETINGS[language] });
    expect(rms(speech.samples)).toBeGreaterThan(300);
    expect(speech.samples.length / 44_100).toBeGreaterThan(1.2);
    expect(speech.samples.length / 44_100).toBeLessThan(8);
    expectGapless(speech);
    expect(speech.phonemes.length).toBeGreaterThan(12);
    expect(speech.phonemes.at(0)?.symbol).toBe('');
    expect(speech.phonemes.at(-1)?.symbol).toBe('');
    for (const { symbol } of speech.phonemes) expect(symbol).toMatch(IPA);
  });

  it('is spoken by its own rules, whatever was spoken before', async () => {
    const word = { text: 'Paris' };
    const french = symbols(await speak(engine, { ...word, language: 'fr' }));
    await speak(engine, { ...word, language: 'en' });
    expect(symbols(await speak(engine, { ...word, language: 'fr' }))).toBe(french);
    expect(french).not.toContain('s');
  });
});

describe('Korean', () => {
  it('has the IPA of tense and aspirated consonants', async () => {
    expect(symbols(await speak(engine, { language: 'ko', text: '빠 싸' }))).toMatch(/p͈ɐ.*s͈ɐ/u);
    expect(symbols(await speak(engine, { language: 'ko', text: '나가' }))).toBe('nɐɡɐ');
  });

  it('is the same when its syllables come as single letters', async () => {
    const text = '안녕하세요';
    const composed = symbols(await speak(engine, { language: 'ko', text }));
    const parts = symbols(await speak(engine, { language: 'ko', text: text.normalize('NFD') }));
    expect(parts).toBe(composed);
  });
});

describe('Japanese', () => {
  it.each([
    ['日本語', 'ニホンゴ'],
    ['今日は雨です', 'キョオワアメデス'],
    ['三百円', 'サンビャクエン'],
    ['10月3日', 'ジュウガツミッカ'],
  ])('%s is read as %s', async (written, kana) => {
    const read = symbols(await speak(engine, { language: 'ja', text: written }));
    const expected = symbols(await speak(engine, { language: 'ja', text: kana }));
    const plain = (text: string) => text.replaceAll('ɯᵝ', 'o').replaceAll(/(.̞?)\1/gu, '$1');
    expect(plain(read)).toBe(plain(expected));
  });

  it.each([
    ['0', 'ゼロ'],
    ['10', 'ジュウ'],
    ['300', 'サンビャク'],
    ['8,000', 'ハッセン'],
    ['12345', 'イチマンニセンサンビャクヨンジュウゴ'],
    ['100000000', 'イチオク'],
    ['10000000', 'イッセンマン'],
    ['3.14', 'サンテンイチヨン'],
    ['090', 'ゼロキュウゼロ'],
    ['4時', 'ヨジ'],
    ['1日', 'イチニチ'],
    ['5月1日', 'ゴガツツイタチ'],
    ['2人', 'フタリ'],
    ['24人', 'ニジュウヨニン'],
    ['二〇二四年', 'ニセンニジュウヨネン'],
    ['一番', '一番'],
  ])('reads the number %s as %s', (written, read) => {
    expect(readJapaneseNumbers(written)).toBe(read);
  });
});

describe('a text that is no plain sentence', () => {
  it('never acts as markup', async () => {
    const tag = symbols(await speak(engine, { text: 'one <break time="9s"/> two' }));
    expect(tag).toContain('b');
    expect(symbols(await speak(engine, { text: 'a [[h]] b' }))).not.toBe('ɐhbiː');
    expect(symbols(await speak(engine, { text: 'Tom & Jerry' }))).toContain('nd');
    expect(symbols(await speak(engine, { text: 'Tom &lt; Jerry' }))).toContain('lt');
  });

  it('is spoken to the end past controls and broken characters', async () => {
    const whole = symbols(await speak(engine, { text: 'one two' }));
    expect(symbols(await speak(engine, { text: 'one\u0000two' }))).toBe(whole);
    expect(symbols(await speak(engine, { text: 'one \ud800two' }))).toBe(whole);
  });

  it('names emoji', async () => {
    const speech = await speak(engine, { text: '😀' });
    expect(symbols(speech)).toContain('ɡɹɪn');
  });

  it('is silence where there is nothing to say', async () => {
    const speech = await speak(engine, { text: '…' });
    expect(speech.phonemes.map(({ symbol }) => symbol).join('')).toBe('');
    expectGapless(speech);
  });
});
