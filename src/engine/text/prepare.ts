import type { Language } from '../../contract/languages.ts';
import { readJapanese } from './japanese.ts';

/** Letters that only look different: mathematical alphabets and full-width ASCII. */
const LOOK_ALIKES = /[\u{1d400}-\u{1d7ff}\uff01-\uff5e]/gu;

/** What a synthesizer takes for the end of the text, or cannot say: controls, halves of pairs, blanks of no width. */
const UNSPEAKABLE = /[\p{Cc}\p{Cs}\u00ad\u200b\ufeff]/gu;

/**
 * A person's text as eSpeak NG is to get it. Signs that eSpeak NG takes for markup (SSML,
 * `[[phonemes]]`) are defused, for a text is never a program.
 *
 * @returns may be blank: there was nothing that can be said
 */
export function prepareText(text: string, language: Language): string {
  const plain = text
    .normalize('NFC')
    .replace(LOOK_ALIKES, (letter) => letter.normalize('NFKC'))
    .replace(UNSPEAKABLE, ' ');
  const readable = language === 'ja' ? readJapanese(plain) : plain;
  return readable
    .replace(/[<>]/g, ' ')
    .replaceAll('&', '&amp;')
    .replace(/\[(?=\[)/g, '[ ')
    .trim();
}
