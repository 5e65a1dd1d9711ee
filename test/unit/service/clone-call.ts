import { request as httpRequest } from 'node:http';
import { encodeWav } from '../../../src/audio/wav.ts';
import { SAMPLE_RATE } from '../../../src/contract/limits.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import { preset, speak } from '../engine/utterances.ts';

export const CLONE = '/v1/custom-voices/cloned-voice';

/** A whole answer, read as JSON where it has a body. */
export interface CloneAnswer {
  status: number;
  headers: Headers;
  body: unknown;
}

/** A few seconds of a preset voice as a WAV file. */
export async function sampleOf(engine: Engine, id: string): Promise<Uint8Array<ArrayBuffer>> {
  const text =
    'Good morning, everybody. The train to the coast leaves in ten minutes. Will you come?';
  const { samples } = await speak(engine, { character: preset(id), text });
  return new Uint8Array(encodeWav({ samples, sampleRate: SAMPLE_RATE }));
}

/** Fields in the order in which they are sent; bytes become a file. */
export type Field = [name: string, value: string | Uint8Array<ArrayBuffer>, type?: string];

export function form(fields: readonly Field[]): FormData {
  const data = new FormData();
  for (const [name, value, type = 'audio/wav'] of fields) {
    if (typeof value === 'string') data.append(name, value);
    else data.append(name, new Blob([value], { type }), 'sample.bin');
  }
  return data;
}

/** Sends a body to the cloning path: a form, or bytes as they stand. */
export async function postClone(
  url: string,
  key: string | undefined,
  body: FormData | Uint8Array<ArrayBuffer> | string,
  headers: Record<string, string> = {},
): Promise<CloneAnswer> {
  const answer = await fetch(url + CLONE, {
    method: 'POST',
    headers: { ...(key !== undefined && { 'x-sup-api-key': key }), ...headers },
    body,
  });
  return { status: answer.status, headers: answer.headers, body: await answer.json() };
}

/**
 * Sends a file without end, until the answer comes.
 *
 * @param head - the first bytes of the file
 * @returns the answer, and how many bytes had been sent by then
 */
export function postEndless(
  url: string,
  key: string,
  head: Uint8Array,
): Promise<{ status: number; body: unknown; sent: number }> {
  const { promise, resolve, reject } = Promise.withResolvers<{
    status: number;
    body: unknown;
    sent: number;
  }>();
  const boundary = 'endless';
  const chunk = new Uint8Array(64 * 1024);
  let sent = 0;
  let answered = false;
  const request = httpRequest(url + CLONE, {
    method: 'POST',
    headers: {
      'x-sup-api-key': key,
      'content-type': `multipart/form-data; boundary=${boundary}`,
    },
  });
  request.on('response', async (response) => {
    answered = true;
    const body = Buffer.concat(await response.toArray()).toString();
    resolve({ status: response.statusCode ?? 0, body: JSON.parse(body), sent });
    request.destroy();
  });
  request.on('error', (error) => answered || reject(error));
  request.write(
    `--${boundary}\r\nContent-Disposition: form-data; name="files"; filename="a.wav"\r\n\r\n`,
  );
  request.write(head);
  const pump = () => {
    if (answered || sent > 256 * 1024 * 1024) return;
    sent += chunk.length;
    if (request.write(chunk)) setImmediate(pump);
    else request.once('drain', pump);
  };
  pump();
  return promise;
}
