import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { encodeWav, pcmBytes, wavHeader } from '../../../src/audio/wav.ts';
import { createVoiceClient, type VoiceClientOptions } from '../../../src/client/client.ts';
import { errorBody } from '../../../src/contract/errors.ts';

export const KEY = 'key-that-nobody-may-see';

export const RATE = 44_100;

export interface Received {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  /** The JSON body; undefined when there is none. */
  body: { text: string; [field: string]: unknown } | undefined;
}

export type Reply = (response: ServerResponse, received: Received) => void | Promise<void>;

function isJson({ headers }: IncomingMessage): boolean {
  return headers['content-type'] === 'application/json';
}

/** A voice service that answers what the test says, on loopback until the test ends. */
export async function startService(reply: Reply) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    const entry: Received = {
      method: request.method ?? '',
      url: request.url ?? '',
      headers: request.headers,
      body: isJson(request) && body.length > 0 ? JSON.parse(body.toString()) : undefined,
    };
    received.push(entry);
    await reply(response, entry);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}

/** A client of that service which waits only a moment between tries. */
export function clientOf(url: string, options: Partial<VoiceClientOptions> = {}) {
  const client = createVoiceClient({
    url,
    key: KEY,
    retry: { attempts: 4, baseDelayMs: 2, maxDelayMs: 8 },
    ...options,
  });
  onTestFinished(() => client.close());
  return client;
}

/** The replies one after the other; the last one again for every further request. */
export function inTurn(...replies: [Reply, ...Reply[]]): Reply {
  let next = 0;
  return (response, received) => {
    const reply = replies[Math.min(next, replies.length - 1)] as Reply;
    next += 1;
    return reply(response, received);
  };
}

export function json(value: unknown, status = 200, headers: Record<string, string> = {}): Reply {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(value));
  };
}

export function refuse(status: number, message: string, headers?: Record<string, string>): Reply {
  return json(errorBody(status, message), status, headers);
}

/** A whole WAV file, as create speech answers it. */
export function sound(samples: Int16Array, sampleRate = RATE): Reply {
  return (response) => {
    response.writeHead(200, {
      'content-type': 'audio/wav',
      'x-audio-length': (samples.length / sampleRate).toFixed(3),
    });
    response.end(encodeWav({ samples, sampleRate }));
  };
}

/** A streamed WAV file, chunk by chunk, with the trailer of stream speech. */
export function streamed(chunks: Iterable<Int16Array> | AsyncIterable<Int16Array>): Reply {
  return async (response) => {
    beginStream(response);
    let length = 0;
    for await (const chunk of chunks) {
      length += chunk.length;
      response.write(pcmBytes(chunk));
    }
    response.addTrailers({ 'x-audio-length': (length / RATE).toFixed(3) });
    response.end();
  };
}

export function beginStream(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'audio/wav', trailer: 'x-audio-length' });
  response.write(wavHeader({ sampleRate: RATE }));
}

/** Samples that are told apart from every other sound and from silence. */
export function tone(length: number, level: number): Int16Array {
  return new Int16Array(length).fill(level);
}
