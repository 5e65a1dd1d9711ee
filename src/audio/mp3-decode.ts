import { MPEGDecoder } from 'mpg123-decoder';
import { AudioFormatError } from './errors.ts';
import { mp3Frames } from './mp3-frames.ts';
import { concatSamples, type Pcm, toInt16 } from './pcm.ts';

/**
 * Reads a whole MPEG audio file of any layer, rate and number of channels; two channels are mixed
 * to one. Delay and padding that the encoder noted in the file are taken off.
 *
 * @throws {AudioFormatError} when there is no MPEG sound in it, or it is damaged
 */
export async function decodeMp3(bytes: Uint8Array): Promise<Pcm> {
  const runs = mp3Frames(bytes);
  if (runs.length === 0) throw new AudioFormatError('The file is not an MP3 file');
  const decoder = new MPEGDecoder();
  await decoder.ready;
  try {
    const parts: Int16Array[] = [];
    let sampleRate = 0;
    for (const run of runs) {
      const decoded = decoder.decode(run);
      const [error] = decoded.errors;
      if (error) throw new AudioFormatError(`The MP3 file is damaged: ${error.message}`);
      sampleRate = decoded.sampleRate;
      const [left = new Float32Array(0), right = left] = decoded.channelData;
      parts.push(toInt16(left.map((sample, i) => (sample + (right[i] ?? 0)) / 2)));
    }
    const samples = concatSamples(parts);
    if (samples.length === 0) throw new AudioFormatError('The MP3 file holds no sound');
    return { samples, sampleRate };
  } finally {
    decoder.free();
  }
}
