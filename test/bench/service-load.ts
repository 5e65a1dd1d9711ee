import { setTimeout as sleep } from 'node:timers/promises';
import { type Measure, percentile } from './measures.ts';
import { startServiceProcess } from './service-process.ts';

/** About 75 characters, as a message in a chat has; another one for each number. */
export function chatMessage(number: number): string {
  return `Message ${number}: the review went well, and the release goes out on Friday.`;
}

/** Exactly 300 characters, the longest that a request may have; another text for each number. */
function longText(number: number): string {
  return `${number}. ${'The quick review of the release showed that all is well. '.repeat(6)}`
    .slice(0, 299)
    .padEnd(300, '.');
}

const PARALLEL = 64;
const WARM_UP = 10;

/** Resident memory above rest at its highest, while 64 of the longest speeches are asked for at once and all are made. */
export async function memoryInParallel(): Promise<Measure[]> {
  await using service = await startServiceProcess({ SPEECH_QUEUE: String(PARALLEL) });
  for (let number = 0; number < WARM_UP; number += 1) {
    await (await service.ask(longText(number))).arrayBuffer();
  }
  const rest = await service.memory();
  let highest = rest;
  let done = false;
  const answers = Promise.all(
    Array.from({ length: PARALLEL }, async (_, number) => {
      const answer = await service.ask(longText(1_000 + number));
      if (!answer.ok) throw new Error(`the service answered ${answer.status}`);
      await answer.arrayBuffer();
    }),
  ).finally(() => {
    done = true;
  });
  while (!done) {
    highest = Math.max(highest, await service.memory());
    await sleep(10);
  }
  await answers;
  return [{ name: 'service.memory.64_parallel', value: highest - rest, unit: 'MiB above rest' }];
}

const ROUNDS = 4;
const UNLOADED = 25;
const OVERLOAD_MS = 1_500;

/** Times as many requests as the service can answer. */
const OVERLOAD = 3;

/** How long accepted requests take when far too many come, against one at a time: 95th percentiles. */
export async function overload(): Promise<Measure[]> {
  await using service = await startServiceProcess();
  const unloaded: number[] = [];
  const accepted: number[] = [];
  let number = 0;
  let refused = 0;

  /** Asks for another text, and says whether it was spoken. */
  async function ask(into: number[]): Promise<void> {
    number += 1;
    const askedAt = performance.now();
    const answer = await service.ask(chatMessage(number));
    await answer.arrayBuffer();
    if (answer.ok) into.push(performance.now() - askedAt);
    else if (answer.status === 429 && Number(answer.headers.get('retry-after')) > 0) refused += 1;
    else throw new Error(`the service answered ${answer.status}`);
  }

  for (let round = 0; round < WARM_UP * 3; round += 1) await ask([]);
  // Turn by turn, so that a machine that slows down slows both.
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = unloaded.length;
    for (let asked = 0; asked < UNLOADED; asked += 1) await ask(unloaded);
    const pause = percentile(unloaded.slice(before), 0.5) / OVERLOAD;
    const asked: Promise<void>[] = [];
    const startedAt = performance.now();
    // At a fixed pace, whatever comes back, as many strangers would ask.
    while (performance.now() - startedAt < OVERLOAD_MS) {
      asked.push(ask(accepted));
      await sleep(Math.max(0, startedAt + asked.length * pause - performance.now()));
    }
    await Promise.all(asked);
  }
  return [
    {
      name: 'service.overload.p95',
      value: percentile(accepted, 0.95) / percentile(unloaded, 0.95),
      unit: 'times the unloaded one',
    },
    {
      name: 'service.overload.refused',
      value: (100 * refused) / (refused + accepted.length),
      unit: '% of requests',
    },
  ];
}
