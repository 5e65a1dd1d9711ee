import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { fastify } from 'fastify';
import { createAudioEncoder } from '../../src/audio/encoder.ts';
import { API_KEY_HEADER } from '../../src/contract/limits.ts';
import { createEngine } from '../../src/engine/builtin.ts';
import { createLog } from '../../src/log.ts';
import { createAccounts } from '../../src/service/accounts.ts';
import { acceptKey } from '../../src/service/auth.ts';
import { createService } from '../../src/service/service.ts';
import { openStore } from '../../src/service/store/store.ts';
import { type BenchPart, type Measure, percentile } from './measures.ts';
import type { RawLoad } from './raw-client.ts';
import { chatMessage, memoryInParallel, overload } from './service-load.ts';

const KEY = 'bench-key-that-is-long-enough';
const HOST = '127.0.0.1';
const PATH = '/v1/text-to-speech/aria';

function body(spoken: string): string {
  return JSON.stringify({ text: spoken, language: 'en' });
}

/** The voice service over HTTP: what it costs, and how it behaves under load. */
export const service: BenchPart = {
  prefix: 'service',
  async run() {
    return [
      ...(await cached()),
      ...(await firstByte()),
      ...(await memoryInParallel()),
      ...(await overload()),
    ];
  },
};

async function startService() {
  const log = createLog('warn');
  const engine = createEngine({ log });
  const encoder = createAudioEncoder();
  const store = await openStore('sqlite::memory:', log);
  const accounts = createAccounts(store.db);
  const id = await accounts.ensure('bench');
  const authenticate = acceptKey(KEY, (key) => accounts.find(id, key), accounts.authenticate);
  const running = createService({ engine, encoder, store, authenticate, log });
  const url = await running.listen({ host: HOST, port: 0 });
  await engine.ready();
  return {
    url,
    ask: (spoken: string, path = PATH) =>
      fetch(url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', [API_KEY_HEADER]: KEY },
        body: body(spoken),
      }),
    async [Symbol.asyncDispose]() {
      await running.close();
      await engine.close();
      await encoder.close();
      await store.close();
    },
  };
}

const RATIO_ROUNDS = 5;
const RATIO_ROUND_MS = 800;
const CONNECTIONS = 8;

/** Requests a second that were answered before, against a bare Fastify route that sends the same bytes. */
async function cached(): Promise<Measure[]> {
  await using own = await startService();
  const file = Buffer.from(await (await own.ask(chatMessage(0))).arrayBuffer());
  const bare = fastify();
  bare.post('/', (_request, reply) => reply.type('audio/wav').send(file));
  const bareUrl = await bare.listen({ host: HOST, port: 0 });
  // Turn by turn, so that a machine that slows down slows both.
  const rates: { own: number; bare: number }[] = [];
  for (let round = 0; round <= RATIO_ROUNDS; round += 1) {
    rates.push({ own: await perSecond(own.url, PATH), bare: await perSecond(bareUrl, '/') });
  }
  await bare.close();
  const warm = rates.slice(1);
  const median = (values: number[]) => percentile(values, 0.5);
  return [
    {
      name: 'service.cached.ratio',
      value: median(warm.map((rate) => rate.own / rate.bare)),
      unit: 'of a bare route',
    },
    {
      name: 'service.cached.per_second',
      value: median(warm.map((rate) => rate.own)),
      unit: 'requests/s',
    },
  ];
}

async function perSecond(url: string, path: string): Promise<number> {
  const { hostname: host, port } = new URL(url);
  const content = body(chatMessage(0));
  const request = [
    `POST ${path} HTTP/1.1`,
    `Host: ${host}:${port}`,
    `${API_KEY_HEADER}: ${KEY}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(content)}`,
    '',
    content,
  ].join('\r\n');
  const load: RawLoad = {
    host,
    port: Number(port),
    request,
    connections: CONNECTIONS,
    time: RATIO_ROUND_MS,
  };
  const worker = new Worker(new URL('./raw-client.ts', import.meta.url), { workerData: load });
  const [rate] = await once(worker, 'message');
  await worker.terminate();
  return rate as number;
}

const STREAMS = 80;
const WARM_UP = 10;

/** Milliseconds from a request for a stream to the first bytes of its sound, one stream at a time. */
async function firstByte(): Promise<Measure[]> {
  await using own = await startService();
  const milliseconds: number[] = [];
  for (let number = 0; number < WARM_UP + STREAMS; number += 1) {
    const startedAt = performance.now();
    const answer = await own.ask(chatMessage(number), `${PATH}/stream`);
    const reader = answer.body?.getReader();
    await reader?.read();
    if (number >= WARM_UP) milliseconds.push(performance.now() - startedAt);
    while (!(await reader?.read())?.done);
  }
  return [
    { name: 'service.stream.first_byte.p50', value: percentile(milliseconds, 0.5), unit: 'ms' },
    { name: 'service.stream.first_byte.p95', value: percentile(milliseconds, 0.95), unit: 'ms' },
  ];
}
