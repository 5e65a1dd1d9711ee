import { describe, expect, it } from 'vitest';
import {
  cut,
  isRead,
  MAX_READ_LENGTH,
  type Posted,
  type Reader,
  reading,
} from '../../../src/discord/reading.ts';

const NOW = Date.UTC(2026, 10, 21, 12, 0, 0);
const reader: Reader = {
  names: {
    user: (id) => (id === '1' ? 'Mina' : undefined),
    role: (id) => (id === '2' ? 'designers' : undefined),
    channel: (id) => (id === '3' ? 'launch' : undefined),
  },
  locale: 'en-US',
  now: NOW,
};

function posted(content: string, rest: Partial<Posted> = {}): Posted {
  return {
    content,
    byPerson: true,
    silent: false,
    authorRoleIds: [],
    forwarded: false,
    repliesTo: undefined,
    extras: [],
    stickers: [],
    poll: undefined,
    ...rest,
  };
}

function said(content: string, rest: Partial<Posted> = {}, as: Partial<Reader> = {}) {
  return reading(posted(content, rest), { ...reader, ...as })?.text;
}

describe('what is said of a message', () => {
  it.each([
    ['plain words', 'The build is green.', 'The build is green.'],
    ['a link', 'see https://www.example.com/a?b#c', 'see example.com'],
    ['a mention', 'hi <@1> and <@&2> in <#3>', 'hi Mina and designers in launch'],
    ['a code block', 'look:\n```ts\nconst a = 1;\n```\nnice', 'look:\na piece of code\nnice'],
    ['a code block without an end', '```js\nlet a', 'a piece of code'],
    ['a spoiler', 'he ||dies at the end|| !', 'he spoiler !'],
    ['a spoiler over lines', '||a\nb||', 'spoiler'],
    ['custom emoji', 'nice <:party_parrot:55>', 'nice party parrot'],
    ['a wall of custom emoji', '<:ok:5><:ok:5> <:ok:5>', 'ok'],
    ['a wall of emoji', '👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦 yes', '👩‍👩‍👧‍👦 yes'],
    ['flags that differ', '🇰🇷🇯🇵', '🇰🇷🇯🇵'],
    ['a drawn-out word', 'nooooooooooo', 'nooo'],
    ['a timestamp', 'at <t:1795266000:R>', 'at in 1 hour'],
    ['markup', '**so** _what_ ~~no~~ `x`', 'so what no x'],
    ['Korean', '안녕하세요 ㅋㅋㅋㅋㅋㅋㅋㅋ', '안녕하세요 ㅋㅋㅋ'],
    ['Japanese', 'こんにちは！ ||秘密|| です', 'こんにちは！ ネタバレ です'],
    ['Arabic', 'مرحبا بالجميع', 'مرحبا بالجميع'],
    ['a surrogate that stands alone', 'a \ud83d b', 'a \ud83d b'],
  ])('%s', (_, typed, text) => {
    expect(said(typed)).toBe(text);
  });

  it.each([
    ['nothing at all', ''],
    ['markup alone', '** **'],
    ['punctuation alone', '...'],
    ['an unknown mention alone', '<@9>'],
  ])('nothing is said of %s', (_, typed) => {
    expect(said(typed)).toBeUndefined();
  });

  it.each<[string, string, Partial<Posted>, string]>([
    ['an image', '', { extras: ['image'] }, 'an image'],
    [
      'two images and a file',
      'here',
      { extras: ['image', 'image', 'file'] },
      'here, 2 images, a file',
    ],
    ['a voice message', '', { extras: ['voiceMessage'] }, 'a voice message'],
    ['a whole sentence with a video', 'Look!', { extras: ['video'] }, 'Look! a video'],
    ['a sticker', '', { stickers: ['Wave'] }, 'a sticker, Wave'],
    ['a poll', '', { poll: 'Lunch **now**?' }, 'a poll: Lunch now?'],
    ['a Korean poll', '', { poll: '점심 먹을까요?' }, '투표: 점심 먹을까요?'],
    ['a reply', 'yes', { repliesTo: 'Noor' }, 'Reply to Noor: yes'],
    ['a forward', 'the news', { forwarded: true }, 'Forwarded: the news'],
    ['a Korean image', '봐요', { extras: ['image', 'image'] }, '봐요, 사진 2개'],
    ['a Japanese sticker', 'ほら', { stickers: ['猫'] }, 'ほら, スタンプ、猫'],
  ])('%s is announced in a few words', (_, typed, rest, text) => {
    expect(said(typed, rest)).toBe(text);
  });

  it.each<[string, string, Partial<Posted>, string, string]>([
    ['who speaks', 'hello', {}, 'Minjun', 'Minjun says: hello'],
    ['who replies', 'hello', { repliesTo: 'Noor' }, 'Minjun', 'Minjun replies to Noor: hello'],
    ['in Korean', '안녕하세요', {}, '민준', '민준 님: 안녕하세요'],
    ['in Japanese', 'どうも', { repliesTo: 'ヌール' }, '民俊', '民俊さんからヌールさんへ: どうも'],
    ['in Arabic letters', 'مرحبا', {}, 'نور', 'نور says: مرحبا'],
    ['a name in fancy letters', 'hi', {}, '𝓜𝓲𝓷𝓳𝓾𝓷 ✨', 'Minjun says: hi'],
    ['a name with markup', 'hi', {}, 'xX_Min_Xx|afk', 'xX Min Xx afk says: hi'],
    ['a name that cannot be said', 'hi', {}, '✨✨', 'somebody says: hi'],
  ])('says %s', (_, typed, rest, speaker, text) => {
    expect(said(typed, rest, { speaker })).toBe(text);
  });

  it('takes the language that the author has set, else that of the letters, else the guild’s', () => {
    const language = (content: string, as: Partial<Reader> = {}) =>
      reading(posted(content), { ...reader, ...as })?.language;
    expect(language('Guten Morgen')).toBe('en');
    expect(language('Guten Morgen', { locale: 'de' })).toBe('de');
    expect(language('Guten Morgen', { language: 'fr' })).toBe('fr');
    expect(language('좋은 아침')).toBe('ko');
    expect(language('||秘密||', { locale: 'ko' })).toBe('ko');
  });

  it('cuts a long message between words, and says that there is more', () => {
    const text = said('word '.repeat(300)) ?? '';
    expect(text).toMatch(/word, and more$/);
    expect([...text].length).toBeLessThanOrEqual(MAX_READ_LENGTH + 10);
  });
});

describe('a cut', () => {
  it.each([
    ['emoji of many code points', '👩‍👩‍👧‍👦'.repeat(9), 20, '👩‍👩‍👧‍👦👩‍👩‍👧‍👦…'],
    [
      'Korean in single letters',
      '한국어'.normalize('NFD').repeat(9),
      7,
      '한국'.normalize('NFD').concat('…'),
    ],
    ['Arabic with vowel marks', 'مَرحَبا'.repeat(9), 4, 'مَر…'],
    ['a text that fits', '日本語', 3, '日本語'],
  ])('never falls into %s', (_, text, limit, expected) => {
    const short = cut(text, limit, '…');
    expect(short.normalize('NFC')).toBe(expected.normalize('NFC'));
  });
});

describe('what is not read', () => {
  const rules = { ignoreRoleId: '7', skipPrefix: '!' };
  it.each<[string, Posted]>([
    ['a bot, a webhook or a notice', posted('hi', { byPerson: false })],
    ['a silent message', posted('hi', { silent: true })],
    ['a member with the ignore role', posted('hi', { authorRoleIds: ['6', '7'] })],
    ['the skip prefix', posted('!hi')],
  ])('%s', (_, message) => {
    expect(isRead(message, rules)).toBe(false);
  });

  it('everything else is', () => {
    expect(isRead(posted('hi !'), rules)).toBe(true);
    expect(isRead(posted('', { extras: ['image'] }), rules)).toBe(true);
    expect(isRead(posted('hi', { authorRoleIds: ['6'] }), { skipPrefix: '!' })).toBe(true);
  });
});
