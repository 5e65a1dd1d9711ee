import fc from 'fast-check';
import { expect, test } from 'vitest';
import { splitText } from '../../../src/client/split.ts';
import { LANGUAGES, type Language } from '../../../src/contract/languages.ts';
import { textLength } from '../../../src/contract/limits.ts';
import { UserError } from '../../../src/errors.ts';

const texts = (text: string, language: Language, limit?: number) =>
  splitText(text, language, limit).map((part) => part.text);

const visible = (text: string) => text.replace(/\s+/gu, '');

const graphemes = (text: string) =>
  Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment);

test('a text that fits is one part, without the blanks around it', () => {
  expect(splitText('  Hello, team!\n', 'en')).toEqual([{ text: 'Hello, team!', end: 'text' }]);
  expect(splitText('가'.repeat(300), 'ko')).toHaveLength(1);
  expect(splitText('👋'.repeat(300), 'en')).toHaveLength(1);
});

test('a blank text has no parts', () => {
  expect(splitText(' \n\t\u3000', 'ja')).toEqual([]);
});

test.each<[Language, string, string]>([
  ['en', 'One day it rained. ', 'Was it 3.14 metres? '],
  ['ko', '오늘은 날씨가 좋습니다. ', '내일도 좋을까요? '],
  ['ja', '今日は天気がいいです。', '明日もいいですか？'],
  ['ar', 'الطقس جميل اليوم. ', 'هل سيكون جميلا غدا؟ '],
  ['hi', 'आज मौसम अच्छा है। ', 'कल भी अच्छा होगा? '],
])('a long text in %s is divided between sentences', (language, first, second) => {
  const parts = splitText((first + second).repeat(40), language);
  const sentences = [first.trim(), second.trim()];
  for (const { text } of parts) {
    expect(sentences).toContain(sentences.find((sentence) => text.startsWith(sentence)));
    expect(sentences).toContain(sentences.find((sentence) => text.endsWith(sentence)));
    expect(textLength(text)).toBeLessThanOrEqual(300);
  }
  expect(parts.slice(0, -1).every(({ end }) => end === 'sentence')).toBe(true);
});

test('parts are as full as their sentences allow', () => {
  const sentence = `${'a'.repeat(99)}. `;
  expect(texts(sentence.repeat(6), 'en').map(textLength)).toEqual([201, 201, 201]);
});

test('a paragraph that fills most of a part is not mixed with the next', () => {
  const first = 'One two three. '.repeat(13).trim();
  const second = 'Four five six. '.repeat(13).trim();
  expect(splitText(`${first}\r\n \r\n${second}`, 'en')).toEqual([
    { text: first, end: 'paragraph' },
    { text: second, end: 'text' },
  ]);
});

test('a line ends a sentence even without a full stop', () => {
  const line = 'x '.repeat(90).trim();
  expect(splitText(`${line}\n   ${line}`, 'en')).toEqual([
    { text: line, end: 'sentence' },
    { text: line, end: 'text' },
  ]);
});

test('a sentence that is too long is divided after a comma, not inside a number', () => {
  const clause = 'and then we counted 10,000,000 sheep on the hill, ';
  const parts = splitText(clause.repeat(12), 'en');
  expect(parts.every(({ text }) => text.endsWith('hill,'))).toBe(true);
  expect(parts[0]?.end).toBe('clause');
  const japanese = splitText('羊が丘の上にいて、'.repeat(50), 'ja');
  expect(japanese.every(({ text }) => text.endsWith('、'))).toBe(true);
});

test('a clause that is too long is divided between words', () => {
  const parts = splitText('well-known words without don’t any marks '.repeat(20), 'en');
  expect(parts.length).toBe(3);
  for (const { text } of parts) {
    expect(text).not.toMatch(/^-|-$/);
    expect('well-known words without don’t any marks'.split(' ')).toContain(text.split(' ')[0]);
  }
  expect(parts[0]?.end).toBe('word');
});

test('a text without spaces is divided between words, where words are known', () => {
  const parts = texts('東京大学の学生が図書館で勉強しています', 'ja', 8);
  expect(parts).not.toContainEqual(expect.stringMatching(/^京|^書館|^強/u));
  const thai = texts('ภาษาไทยเป็นภาษาที่ไม่มีช่องว่างระหว่างคำ'.repeat(20), 'en');
  expect(thai.join('')).toBe('ภาษาไทยเป็นภาษาที่ไม่มีช่องว่างระหว่างคำ'.repeat(20));
});

test('a word that is longer than a part is filled up, its characters whole', () => {
  const family = '👨‍👩‍👧‍👦';
  const parts = texts(family.repeat(100), 'en');
  expect(parts.map(textLength)).toEqual([294, 294, 112]);
  expect(parts.every((part) => graphemes(part).every((one) => one === family))).toBe(true);
});

test('a word that fits a part is not divided for the sake of a fuller one', () => {
  expect(texts(`Hi ${'a'.repeat(299)}`, 'en')).toEqual(['Hi', 'a'.repeat(299)]);
});

test('a single character of more code points than a part is refused in one sentence', () => {
  expect(() => splitText(`Hi ${`e${'\u0301'.repeat(300)}`}!`, 'en')).toThrow(UserError);
});

const alphabets = fc.oneof(
  fc.constantFrom(
    ...['안녕', '하세요. ', '東京', '、', '。', 'สวัสดี', 'ครับ', 'مرحبا', '؟ ', '، ', 'e\u0301'],
    ...['👨‍👩‍👧‍👦', '🇰🇷', '👋🏽', 'नमस्ते', '। ', '\u0600', '\u1112\u1161\u11ab', '3,000.5'],
    ...[' ', '\n', '\r\n', '\n\n', '\u2029', '\u3000', '. ', '! ', ', ', 'Mr. ', 'don’t', '\u200b'],
    ...[' \u0301', '\ufeff', '\ud800'],
  ),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.string({ unit: 'binary', maxLength: 6 }),
);

test('whatever the text: nothing visible is lost, no part is too long, no character is cut', () => {
  fc.assert(
    fc.property(
      fc.array(alphabets, { maxLength: 60 }).map((pieces) => pieces.join('')),
      fc.constantFrom(...LANGUAGES),
      fc.integer({ min: 20, max: 60 }),
      (text, language, limit) => {
        fc.pre(graphemes(text).every((grapheme) => textLength(grapheme) <= limit));
        const parts = texts(text, language, limit);
        expect(visible(parts.join(''))).toBe(visible(text));
        for (const part of parts) {
          expect(textLength(part)).toBeLessThanOrEqual(limit);
          expect(part.trim()).not.toBe('');
        }
        if (parts.length > 1) {
          const cut = parts.flatMap(graphemes).filter((grapheme) => grapheme.trim() !== '');
          expect(cut).toEqual(graphemes(text).filter((grapheme) => grapheme.trim() !== ''));
        }
      },
    ),
    { numRuns: 400 },
  );
});

test('two neighbouring parts would not fit in one, unless a paragraph or a clause ends between', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('안녕하세요.', '東京。', 'Hello.', 'مرحبا؟', '👋🏽!'), {
        maxLength: 60,
      }),
      (sentences) => {
        const parts = texts(sentences.join(' '), 'en', 50);
        for (const [index, part] of parts.slice(1).entries()) {
          const [head = ''] = part.split(' ');
          expect(textLength(`${parts[index]} ${head}`)).toBeGreaterThan(50);
        }
      },
    ),
  );
});
