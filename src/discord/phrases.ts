import type { Language } from '../contract/languages.ts';

/** What a message holds beside its words. */
export type Extra = 'image' | 'video' | 'audio' | 'voiceMessage' | 'file';

/** The few words that Hark adds when it reads a message aloud. */
export interface Phrases {
  /** Before the words of a message: who wrote it, and to whom it replies. */
  says(name: string): string;
  repliesTo(name: string, to: string): string;
  replyTo(to: string): string;
  forwarded: string;
  code: string;
  spoiler: string;
  andMore: string;
  somebody: string;
  sticker(name: string): string;
  poll(question: string): string;
  extra(kind: Extra, count: number): string;
  joined(name: string): string;
  left(name: string): string;
}

const ENGLISH_EXTRAS: Record<Extra, [one: string, many: string]> = {
  image: ['an image', 'images'],
  video: ['a video', 'videos'],
  audio: ['an audio file', 'audio files'],
  voiceMessage: ['a voice message', 'voice messages'],
  file: ['a file', 'files'],
};

const KOREAN_EXTRAS: Record<Extra, string> = {
  image: '사진',
  video: '동영상',
  audio: '오디오 파일',
  voiceMessage: '음성 메시지',
  file: '파일',
};

const JAPANESE_EXTRAS: Record<Extra, string> = {
  image: '画像',
  video: '動画',
  audio: '音声ファイル',
  voiceMessage: 'ボイスメッセージ',
  file: 'ファイル',
};

const ENGLISH: Phrases = {
  says: (name) => `${name} says: `,
  repliesTo: (name, to) => `${name} replies to ${to}: `,
  replyTo: (to) => `Reply to ${to}: `,
  forwarded: 'Forwarded: ',
  code: 'a piece of code',
  spoiler: 'spoiler',
  andMore: ', and more',
  somebody: 'somebody',
  sticker: (name) => `a sticker, ${name}`,
  poll: (question) => `a poll: ${question}`,
  extra: (kind, count) =>
    count === 1 ? ENGLISH_EXTRAS[kind][0] : `${count} ${ENGLISH_EXTRAS[kind][1]}`,
  joined: (name) => `${name} joined`,
  left: (name) => `${name} left`,
};

const KOREAN: Phrases = {
  says: (name) => `${name} 님: `,
  repliesTo: (name, to) => `${name} 님이 ${to} 님에게: `,
  replyTo: (to) => `${to} 님에게: `,
  forwarded: '전달된 메시지: ',
  code: '코드',
  spoiler: '스포일러',
  andMore: ', 이하 생략',
  somebody: '누군가',
  sticker: (name) => `스티커, ${name}`,
  poll: (question) => `투표: ${question}`,
  extra: (kind, count) => (count === 1 ? KOREAN_EXTRAS[kind] : `${KOREAN_EXTRAS[kind]} ${count}개`),
  joined: (name) => `${name} 님이 들어왔습니다`,
  left: (name) => `${name} 님이 나갔습니다`,
};

const JAPANESE: Phrases = {
  says: (name) => `${name}さん: `,
  repliesTo: (name, to) => `${name}さんから${to}さんへ: `,
  replyTo: (to) => `${to}さんへ: `,
  forwarded: '転送されたメッセージ: ',
  code: 'コード',
  spoiler: 'ネタバレ',
  andMore: '、以下省略',
  somebody: '誰か',
  sticker: (name) => `スタンプ、${name}`,
  poll: (question) => `投票: ${question}`,
  extra: (kind, count) =>
    count === 1 ? JAPANESE_EXTRAS[kind] : `${JAPANESE_EXTRAS[kind]}${count}件`,
  joined: (name) => `${name}さんが参加しました`,
  left: (name) => `${name}さんが退出しました`,
};

/** The words in the language of what is read; English where there are none. */
export function phrasesFor(language: Language): Phrases {
  if (language === 'ko') return KOREAN;
  if (language === 'ja') return JAPANESE;
  return ENGLISH;
}
