import type { Language } from '../contract/languages.ts';
import { MAX_TEXT_LENGTH, textLength } from '../contract/limits.ts';
import { UserError } from '../errors.ts';

/** Where a text may be divided, from the best place to the worst. */
export const BREAKS = ['paragraph', 'sentence', 'clause', 'word', 'inWord'] as const;

export type Break = (typeof BREAKS)[number];

export interface TextPart {
  text: string;
  /** What ends the part; the last part ends the text. */
  end: Break | 'text';
}

/** A grapheme, with the best break that stands right before it. */
interface Piece {
  text: string;
  length: number;
  blank: boolean;
  before: Break;
}

/**
 * A paragraph or a clause that leaves most of a part empty is no good place to break: the text
 * would come in more parts than it needs. As a share of the limit.
 */
const LEAST_FILLED = { paragraph: 0.5, sentence: 0, clause: 0.25, word: 0, inWord: 0 } as const;

const EMPTY_LINE = /\u2029|(?:\r\n?|[\n\u2028])[^\S\r\n\u2028]*[\r\n\u2028]/u;

/** Marks after which people pause; those of East Asian scripts and Arabic stand without a space too. */
const CLAUSE_END = /[,;:،؛–—]$/u;
const CLAUSE_END_WITHOUT_SPACE = /[、，；：،؛—…]$/u;

/**
 * Divides a text into parts that one speech request takes each (spec, "Limits"): at the end of a
 * paragraph or a sentence where there is one, else of a clause, else between words; within a word
 * only where it is longer than a part. A grapheme is never cut. Blanks around the parts are
 * dropped; nothing else is. A blank text has no parts.
 *
 * @param language - decides what a sentence and a word is
 * @param limit - code points of a part
 * @throws {UserError} when a single grapheme is longer than a part: no writing has such
 */
export function splitText(
  text: string,
  language: Language,
  limit: number = MAX_TEXT_LENGTH,
): TextPart[] {
  const short = text.trim();
  if (short === '') return [];
  if (textLength(short) <= limit) return [{ text: short, end: 'text' }];

  const all = piecesOf(text, language);
  const pieces = all.slice(
    all.findIndex(({ blank }) => !blank),
    all.findLastIndex(({ blank }) => !blank) + 1,
  );
  const parts: TextPart[] = [];
  let start = 0;
  while (start < pieces.length) {
    const next = endOfPart(pieces, start, limit);
    let end = next;
    while (pieces[end - 1]?.blank) end -= 1;
    const part = pieces.slice(start, end).map((piece) => piece.text);
    parts.push({ text: part.join(''), end: pieces[next]?.before ?? 'text' });
    start = next;
  }
  return parts;
}

/** Index of the piece that begins the part after the one that begins at `start`. */
function endOfPart(pieces: readonly Piece[], start: number, limit: number): number {
  const best = new Map<Break, number>();
  let length = 0;
  /** Without the blanks at the end, which are dropped. */
  let visible = 0;
  for (let index = start; index < pieces.length; index += 1) {
    const piece = pieces[index] as Piece;
    if (index > start && !piece.blank) {
      const filled = visible / limit;
      if (filled >= LEAST_FILLED[piece.before]) best.set(piece.before, index);
      else if (piece.before === 'paragraph') best.set('sentence', index);
    }
    length += piece.length;
    if (piece.blank) continue;
    visible = length;
    if (visible <= limit) continue;
    for (const kind of BREAKS) {
      const found = best.get(kind);
      if (found !== undefined) return found;
    }
    throw new UserError(
      `The text has a character made of ${piece.length} code points; at most ${limit} can be spoken.`,
    );
  }
  return pieces.length;
}

function piecesOf(text: string, language: Language): Piece[] {
  const sentences = sentenceStarts(text, language);
  const words = wordStarts(text, language);
  const pieces: Piece[] = [];
  /** The blanks since the last visible grapheme, that grapheme, and whether a sentence began since. */
  let gap = '';
  let last = '';
  let opens = false;
  for (const { segment, index } of new Intl.Segmenter(language).segment(text)) {
    const blank = segment.trim() === '';
    opens ||= sentences.has(index);
    const before = blank ? 'inWord' : breakBefore(gap, last, opens, words.has(index));
    pieces.push({ text: segment, length: textLength(segment), blank, before });
    if (blank) {
      gap += segment;
    } else {
      gap = '';
      last = segment;
      opens = false;
    }
  }
  return pieces;
}

function breakBefore(gap: string, last: string, sentence: boolean, word: boolean): Break {
  if (EMPTY_LINE.test(gap)) return 'paragraph';
  if (sentence) return 'sentence';
  if ((gap === '' ? CLAUSE_END_WITHOUT_SPACE : CLAUSE_END).test(last)) return 'clause';
  return gap !== '' || word ? 'word' : 'inWord';
}

function sentenceStarts(text: string, language: Language): Set<number> {
  const segmenter = new Intl.Segmenter(language, { granularity: 'sentence' });
  return new Set(Array.from(segmenter.segment(text), ({ index }) => index));
}

/** Where a word follows another without a space, as in Japanese. Marks stay with what they follow. */
function wordStarts(text: string, language: Language): Set<number> {
  const segmenter = new Intl.Segmenter(language, { granularity: 'word' });
  const found = new Set<number>();
  let afterWord = false;
  for (const { index, isWordLike } of segmenter.segment(text)) {
    if (isWordLike && afterWord) found.add(index);
    afterWord = isWordLike ?? false;
  }
  return found;
}
