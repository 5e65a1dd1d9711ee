import { createHash } from 'node:crypto';
import type { OutputFormat, PhonemeData } from '../contract/speech.ts';
import type { Character } from '../engine/characters.ts';
import type { Utterance } from '../engine/engine.ts';

/** Finished speech: what a request for it is answered with. */
export interface Recording {
  /** The whole audio file. */
  file: Buffer;
  /** Length of the sound, to the millisecond. */
  seconds: number;
  phonemes: PhonemeData;
}

/** Recordings that were made a short while ago, within a bound in bytes; the least used goes first. */
export interface SpeechCache {
  get(key: string): Recording | undefined;
  /** Keeps a recording, unless it would take more than its share of the bound. */
  put(key: string, recording: Recording): void;
  /** Bytes that one recording may have. */
  readonly largest: number;
}

/** One recording takes at most this share of the bound, so that a long one does not push out all others. */
const SHARE = 1 / 4;

/** What a phoneme takes in memory, roughly. */
const PHONEME_BYTES = 40;

/** @param maxBytes - bound on what is kept; 0 keeps nothing */
export function createSpeechCache(maxBytes: number): SpeechCache {
  const kept = new Map<string, Recording>();
  const largest = maxBytes * SHARE;
  let bytes = 0;

  function drop(key: string): void {
    const recording = kept.get(key);
    if (recording && kept.delete(key)) bytes -= size(key, recording);
  }

  return {
    largest,
    get(key) {
      const recording = kept.get(key);
      if (recording) {
        // A map keeps the order of insertion: the first key is the one that was used longest ago.
        kept.delete(key);
        kept.set(key, recording);
      }
      return recording;
    },
    put(key, recording) {
      drop(key);
      if (size(key, recording) > largest) return;
      kept.set(key, recording);
      bytes += size(key, recording);
      for (const oldest of kept.keys()) {
        if (bytes <= maxBytes) break;
        drop(oldest);
      }
    },
  };
}

function size(key: string, { file, phonemes }: Recording): number {
  return file.byteLength + phonemes.symbols.length * PHONEME_BYTES + key.length * 2;
}

/** Characters are never changed in place, so that each is digested once. */
const digests = new WeakMap<Character, string>();

function digestOf(character: Character): string {
  let digest = digests.get(character);
  if (digest === undefined) {
    digest = createHash('sha256').update(JSON.stringify(character)).digest('base64url');
    digests.set(character, digest);
  }
  return digest;
}

/** Names everything that decides the bytes of a speech; other requests for the same have the same key. */
export function speechKey(
  { text, language, character, style, settings }: Utterance,
  format: OutputFormat,
): string {
  return JSON.stringify([digestOf(character), language, style, format, settings, text]);
}
