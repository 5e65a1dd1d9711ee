import { AudioFormatError } from '../../audio/errors.ts';
import { decodeMp3 } from '../../audio/mp3-decode.ts';
import type { Pcm } from '../../audio/pcm.ts';
import { decodeWav } from '../../audio/wav.ts';
import { UserError } from '../../errors.ts';
import { SAMPLE_LIMITS } from './profile.ts';

/** Whether bytes begin as a WAV file does (RIFF/WAVE), or as an MP3 file (MPEG audio sync or ID3); undefined for neither. */
export function sampleFormat(bytes: Uint8Array): 'wav' | 'mp3' | undefined {
  const name = (start: number, length: number) =>
    String.fromCharCode(...bytes.subarray(start, start + length));
  if (name(0, 4) === 'RIFF' && name(8, 4) === 'WAVE') return 'wav';
  if (name(0, 3) === 'ID3') return 'mp3';
  const [first = 0, second = 0] = bytes;
  // Eleven ones, then a version and a layer that exist; AAC has the same sync and no layer.
  const sync = first === 0xff && (second & 0xe0) === 0xe0;
  return sync && (second & 0x18) !== 0x08 && (second & 0x06) !== 0 ? 'mp3' : undefined;
}

/**
 * Reads the sound of a sample, WAV or MP3; of a long one no more than is analysed.
 *
 * @throws {UserError} says why it cannot be read
 */
export async function readSample(bytes: Uint8Array): Promise<Pcm> {
  try {
    return sampleFormat(bytes) === 'wav'
      ? decodeWav(bytes)
      : await decodeMp3(bytes, { seconds: SAMPLE_LIMITS.analysed });
  } catch (error) {
    if (!(error instanceof AudioFormatError)) throw error;
    throw new UserError(`The sample cannot be read: ${error.message}.`, { cause: error });
  }
}
