import { describe, expect, it } from 'vitest';
import { speakableText } from '../../../src/discord/text.ts';

const names = {
  user: (id: string) => (id === '1' ? 'Mina' : undefined),
  role: (id: string) => (id === '2' ? 'designers' : undefined),
  channel: (id: string) => (id === '3' ? 'launch' : undefined),
};
const NOW = Date.UTC(2026, 10, 21, 12, 0, 0);
const speak = (text: string, locale = 'en-US') => speakableText(text, names, locale, NOW);

describe('a text becomes speakable', () => {
  it.each([
    [
      'mentions become names',
      'Hi <@1> and <@!1>, ask <@&2> in <#3>',
      'Hi Mina and Mina, ask designers in launch',
    ],
    ['an unknown mention is left out', 'Hi <@9>!', 'Hi !'],
    ['a command mention is its name', 'use </say:123>', 'use say'],
    [
      'custom emoji become their names',
      'nice <:party_parrot:55> <a:wave:6>',
      'nice party parrot wave',
    ],
    ['Unicode emoji stay', 'done 👩‍👩‍👧‍👦 ✅', 'done 👩‍👩‍👧‍👦 ✅'],
    [
      'links become their domain',
      'see https://www.example.com:8443/a/b?q=1#x, or <http://hark.dev>',
      'see example.com or hark.dev',
    ],
    [
      'named links become their name',
      'read [the notes](https://example.com/x) now',
      'read the notes now',
    ],
    [
      'markup goes',
      '**bold** __under__ ~~gone~~ *it* _it_ ||secret|| `code`',
      'bold under gone it it secret code',
    ],
    ['nested markup goes', '**very *much* so**', 'very much so'],
    [
      'quotes, headings and lists lose their marks',
      '# Plan\n> quoted\n- one\n-# small',
      'Plan\nquoted\none\nsmall',
    ],
    ['a code block is read without its fence', '```ts\nlet a = 1\n```', 'let a = 1'],
    [
      'arithmetic and snake_case stay',
      '2 * 3 * 4 and snake_case_name',
      '2 * 3 * 4 and snake_case_name',
    ],
    [
      'Korean, Japanese and Arabic are untouched',
      '안녕하세요 **여러분** こんにちは مرحبا',
      '안녕하세요 여러분 こんにちは مرحبا',
    ],
    ['a relative time is said', 'in <t:1795266000:R>', 'in in 1 hour'],
    ['a full date is said', '<t:1795262400:D>', 'November 21, 2026'],
    ['punctuation alone is nothing to say', '** ** ... !?', ''],
    ['a broken time is left out', 'x <t:9999999999999:R>', 'x'],
  ])('%s', (_, typed, spoken) => {
    expect(speak(typed)).toBe(spoken);
  });

  it('says dates in the language of the member', () => {
    expect(speak('<t:1795262400:D>', 'de')).toBe('21. November 2026');
    expect(speak('<t:1795266000:R>', 'ko')).toBe('1시간 후');
  });
});
