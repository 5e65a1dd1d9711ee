import type { Language } from '../contract/languages.ts';
import { textLength } from '../contract/limits.ts';
import { guessLanguage, languageOf } from './language.ts';
import { type Extra, type Phrases, phrasesFor } from './phrases.ts';
import { type MentionNames, speakableText } from './text.ts';

/** What a reader knows of a message. */
export interface Posted {
  /** As Discord stores it; of a forwarded message, what was forwarded. */
  content: string;
  /** Written by a person: no bot, no webhook, no notice of Discord's. */
  byPerson: boolean;
  /** Sent with `@silent`. */
  silent: boolean;
  authorRoleIds: readonly string[];
  forwarded: boolean;
  /** Display name of the author of the message that this one replies to. */
  repliesTo: string | undefined;
  /** Files, by what they are. */
  extras: readonly Extra[];
  stickers: readonly string[];
  /** Question of a poll. */
  poll: string | undefined;
}

/** What a guild wants not to be read. */
export interface ReadingRules {
  ignoreRoleId?: string | undefined;
  skipPrefix: string;
}

export interface Reader {
  names: MentionNames;
  /** The language of whoever has set none and whose letters tell none. */
  locale: string;
  /** The language that the author has set. */
  language?: Language | undefined;
  /** Display name of the author, when it is to be said. */
  speaker?: string | undefined;
  /** Milliseconds since 1970, for relative timestamps. */
  now?: number;
}

/** What is to be said, and in which language. */
export interface Reading {
  text: string;
  language: Language;
}

/** Code points of a message that are read; what is longer would hold everybody up. */
export const MAX_READ_LENGTH = 400;

/** Code points that a list shows of what is said. */
export const LABEL_LENGTH = 60;

/** Code points of a name. */
const MAX_NAME_LENGTH = 40;

/** Whether a message is read at all (issue "Voice channels"). */
export function isRead(posted: Posted, { ignoreRoleId, skipPrefix }: ReadingRules): boolean {
  return (
    posted.byPerson &&
    !posted.silent &&
    !(ignoreRoleId !== undefined && posted.authorRoleIds.includes(ignoreRoleId)) &&
    !posted.content.startsWith(skipPrefix)
  );
}

/** What is said of a message; undefined when nothing in it can be said. */
export function reading(posted: Posted, reader: Reader): Reading | undefined {
  const speak = (content: string) =>
    speakableText(content, reader.names, reader.locale, reader.now);
  const typed = speak(hideBlocks(posted.content)) || (posted.poll ?? '');
  const language = reader.language ?? languageIn(typed, reader.locale);
  const phrases = phrasesFor(language);
  const words = speak(withoutRuns(hideBlocks(posted.content, phrases)));
  const body = [cut(words, MAX_READ_LENGTH, phrases.andMore), ...extrasOf(posted, phrases, speak)]
    .filter((part) => part !== '')
    .join(/[\n.!?。！？]$/u.test(words) ? ' ' : ', ');
  if (body === '') return undefined;
  const text = `${introduction(posted, reader, phrases)}${posted.forwarded ? phrases.forwarded : ''}${body}`;
  return { text, language };
}

/** A picture alone has no letters to go by: it is announced in the guild's language. */
function languageIn(text: string, locale: string): Language {
  return /\p{L}/u.test(text) ? guessLanguage(text, locale) : (languageOf(locale) ?? 'en');
}

/** A name as it is said aloud: fancy letters become plain ones, and what cannot be said goes. */
export function spokenName(name: string, phrases: Phrases): string {
  const plain = name
    .normalize('NFKC')
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{P}\p{Zs}]/gu, ' ')
    .replaceAll(/[_~*|`<>[\]{}#\\/=^]+/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return /[\p{L}\p{N}]/u.test(plain) ? cut(plain, MAX_NAME_LENGTH, '') : phrases.somebody;
}

/**
 * The text within a number of code points: cut between graphemes, where possible between words.
 *
 * @param ending - said in place of the rest
 */
export function cut(text: string, limit: number, ending: string): string {
  if (textLength(text) <= limit) return text;
  let length = 0;
  let kept = '';
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    length += textLength(segment);
    if (length > limit) break;
    kept += segment;
  }
  const word = kept.search(/\s\S*$/u);
  return `${(word > kept.length / 2 ? kept.slice(0, word) : kept).trim()}${ending}`;
}

function introduction({ repliesTo }: Posted, { speaker }: Reader, phrases: Phrases): string {
  const to = repliesTo === undefined ? undefined : spokenName(repliesTo, phrases);
  const who = speaker === undefined ? undefined : spokenName(speaker, phrases);
  if (who !== undefined) return to === undefined ? phrases.says(who) : phrases.repliesTo(who, to);
  return to === undefined ? '' : phrases.replyTo(to);
}

function extrasOf(posted: Posted, phrases: Phrases, speak: (text: string) => string): string[] {
  const counts = new Map<Extra, number>();
  for (const kind of posted.extras) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const say = (text: string) => cut(speak(text), MAX_READ_LENGTH, phrases.andMore);
  return [
    ...Array.from(counts, ([kind, count]) => phrases.extra(kind, count)),
    ...posted.stickers.map((name) => phrases.sticker(say(name))),
    ...(posted.poll === undefined ? [] : [phrases.poll(say(posted.poll))]),
  ];
}

/** Code is nothing to listen to, and a spoiler is hidden for a reason: a word stands for each. */
function hideBlocks(content: string, words = { code: '', spoiler: '' }): string {
  return content
    .replaceAll(/```[\s\S]*?(?:```|$)/g, ` ${words.code} `)
    .replaceAll(/\|\|(?=\S)[\s\S]*?\S?\|\|/g, ` ${words.spoiler} `)
    .replaceAll(/[^\S\n]*\n[^\S\n]*/g, '\n');
}

/** An emoji that is repeated is said once, and a drawn-out letter is held for a moment only. */
function withoutRuns(content: string): string {
  return content
    .replaceAll(/(<a?:\w+:\d+>|\p{RGI_Emoji})(?:\s*\1)+/gv, '$1')
    .replaceAll(/([\p{L}\p{P}\p{S}])\1{4,}/gu, '$1$1$1');
}
