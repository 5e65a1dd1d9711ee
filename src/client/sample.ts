import type { OutputFormat } from '../contract/speech.ts';
import { BadAnswerError } from './errors.ts';
import { contentType, type Http, readBody } from './http.ts';

/** A file of playable sound. */
export interface SampleFile {
  file: Uint8Array;
  extension: OutputFormat;
}

const EXTENSIONS: Partial<Record<string, OutputFormat>> = {
  'audio/wav': 'wav',
  'audio/mpeg': 'mp3',
};

/**
 * Fetches a voice's sample (spec, "Sample"), without the key, for its address may be any host's.
 *
 * @throws {BadAnswerError} when the address is none of the web's, or what is there is no sound
 */
export async function downloadSample(
  http: Http,
  url: string,
  signal: AbortSignal,
): Promise<SampleFile> {
  const target = URL.parse(url);
  const request = { method: 'GET' as const, path: target?.pathname ?? url };
  if (target?.protocol !== 'http:' && target?.protocol !== 'https:') {
    throw new BadAnswerError(request, 'the sample has no address on the web');
  }
  return http.call(
    { ...request, target },
    async (answer) => {
      const extension = EXTENSIONS[contentType(answer)];
      if (!extension) {
        throw new BadAnswerError(answer.request, `the sample is ${contentType(answer)}`);
      }
      return { file: await readBody(answer), extension };
    },
    signal,
  );
}
