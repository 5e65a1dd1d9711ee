import { MPEGDecoder } from 'mpg123-decoder';
import { AudioFormatError } from './errors.ts';
import { mp3Frames } from './mp3-frames.ts';
import { concatSamples, type Pcm, toInt16 } from './pcm.ts';

/** Bytes that are decoded at a time: some seconds. */
const PIECE = 32_768;

/**
 * Reads a whole MPEG audio file of any layer, rate and number of channels; two channels are mixed
 * to one. Delay and padding that the encoder noted in the file are taken off.
 *
 * @param options.seconds - decodes no more than this much, for a small file can hold an hour
 * @throws {AudioFormatError} when there is no MPEG sound in it, or it is damaged
 */
export async function decodeMp3(
  bytes: Uint8Array,
  { seconds = Number.POSITIVE_INFINITY }: { seconds?: number } = {},
): Promise<Pcm> {
  const runs = mp3Frames(bytes);
  if (runs.length === 0) throw new AudioFormatError('The file is not an MP3 file');
  const decoder = new MPEGDecoder();
  await decoder.ready;
  try {
    const parts: Int16Array[] = [];
    let sampleRate = 0;
    let length = 0;
    for (const piece of runs.flatMap(pieces)) {
      if (length > 0 && length >= seconds * sampleRate) break;
      const decoded = decoder.decode(piece);
      const [error] = decoded.errors;
      if (error) throw new AudioFormatError(`The MP3 file is damaged: ${error.message}`);
      sampleRate = decoded.sampleRate || sampleRate;
      const [left = new Float32Array(0), right = left] = decoded.channelData;
      parts.push(toInt16(left.map((sample, i) => (sample + (right[i] ?? 0)) / 2)));
      length += left.length;
    }
    const samples = concatSamples(parts).subarray(0, seconds * sampleRate);
    if (samples.length === 0) throw new AudioFormatError('The MP3 file holds no sound');
    return { samples, sampleRate };
  } finally {
    decoder.free();
  }
}

/** Cuts a run of frames, anywhere: the decoder keeps what is unfinished. */
function pieces(run: Uint8Array): Uint8Array[] {
  return Array.from({ length: Math.ceil(run.length / PIECE) }, (_, i) =>
    run.subarray(i * PIECE, (i + 1) * PIECE),
  );
}
