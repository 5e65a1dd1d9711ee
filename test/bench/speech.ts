import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'undici';
import { createAudioEncoder } from '../../src/audio/encoder.ts';
import { API_KEY_HEADER } from '../../src/contract/limits.ts';
import { createEngine } from '../../src/engine/builtin.ts';
import { createLog } from '../../src/log.ts';
import { createAccounts } from '../../src/service/accounts.ts';
import { acceptKey } from '../../src/service/auth.ts';
import { createService } from '../../src/service/service.ts';
import { openStore } from '../../src/service/store/store.ts';
import { type BenchPart, leftOut, type Measure, percentile } from './measures.ts';

const KEY = 'bench-key-that-is-long-enough';
const WARM_UP = 5;
const ROUNDS = 40;
const SECONDS_OF_LOAD = 5;

/** Exactly 300 code points, another text each time so that no cache answers. */
function text(round: number): string {
  const sentence =
    'The quick review of the release showed that every service answers in time, that the queue is empty, and that nobody has to stay late. ';
  return `${round}. ${sentence.repeat(3)}`.slice(0, 299).trim().padEnd(300, '.');
}

/** The voice service over HTTP, with texts of 300 characters to WAV. */
export const speech: BenchPart = {
  prefix: 'speech',
  async run() {
    const { p50, perSecond } = await alone();
    await using two = await startService(2);
    return [
      { name: 'speech.300chars.p50', value: p50, unit: 'ms' },
      { name: 'speech.per_second.1', value: perSecond, unit: 'requests/s' },
      { name: 'speech.per_second.2', value: await load(two.speak, 4), unit: 'requests/s' },
      ...(await againstSpawn(p50)),
    ];
  },
};

/** One worker: how long a request takes, and how many a second there can be. */
async function alone(): Promise<{ p50: number; perSecond: number }> {
  await using service = await startService(1);
  const milliseconds: number[] = [];
  for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
    const startedAt = performance.now();
    await service.speak(text(round));
    if (round >= WARM_UP) milliseconds.push(performance.now() - startedAt);
  }
  return { p50: percentile(milliseconds, 0.5), perSecond: await load(service.speak, 2) };
}

async function startService(workers: number) {
  const log = createLog('warn');
  const engine = createEngine({ workers, log });
  const encoder = createAudioEncoder();
  const store = await openStore('sqlite::memory:', log);
  const accounts = createAccounts(store.db);
  const id = await accounts.ensure('bench');
  const authenticate = acceptKey(KEY, (key) => accounts.find(id, key), accounts.authenticate);
  const service = createService({ engine, encoder, store, authenticate, log });
  const url = await service.listen({ host: '127.0.0.1', port: 0 });
  await engine.ready();
  return {
    async speak(spoken: string): Promise<void> {
      const { statusCode, body } = await request(`${url}/v1/text-to-speech/aria`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', [API_KEY_HEADER]: KEY },
        body: JSON.stringify({ text: spoken, language: 'en' }),
      });
      if (statusCode !== 200) throw new Error(`the service answered ${statusCode}`);
      // To its end, without keeping it: the client's memory is not what is measured.
      await body.dump({ limit: Number.POSITIVE_INFINITY });
    },
    async [Symbol.asyncDispose]() {
      await service.close();
      await engine.close();
      await encoder.close();
      await store.close();
    },
  };
}

/** Requests a second with this many clients that each ask for the next as soon as they have one. */
async function load(speak: (spoken: string) => Promise<void>, clients: number): Promise<number> {
  // A new thread speaks slowly until V8 has compiled the synthesizer.
  for (let round = 0; round < WARM_UP; round += 1) {
    await Promise.all(Array.from({ length: clients }, () => speak(text(100_000 + round))));
  }
  let done = 0;
  const startedAt = performance.now();
  const endsAt = startedAt + SECONDS_OF_LOAD * 1_000;
  const client = async (number: number) => {
    for (let round = 0; performance.now() < endsAt; round += 1) {
      await speak(text(number * 10_000 + round));
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, number) => client(number)));
  return done / ((performance.now() - startedAt) / 1_000);
}

/** How many times faster the service is than a process of espeak-ng for each text. */
async function againstSpawn(p50: number): Promise<Measure[]> {
  const name = 'speech.vs_spawn.ratio';
  if (spawnSync('espeak-ng', ['--version']).error) {
    return leftOut(name, 'the program espeak-ng is not installed');
  }
  const milliseconds: number[] = [];
  for (let round = 0; round < 15; round += 1) {
    const startedAt = performance.now();
    const child = spawn('espeak-ng', ['--stdout', '-v', 'en-us', text(round)]);
    child.stdout.resume();
    await once(child, 'close');
    milliseconds.push(performance.now() - startedAt);
  }
  return [{ name, value: percentile(milliseconds, 0.5) / p50, unit: 'times' }];
}
