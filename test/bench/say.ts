import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { startTestBot, type TestBot } from '../helpers/bot.ts';
import { type BenchPart, percentile } from './measures.ts';

const WARM_UP = 5;
const ROUNDS = 60;

/** About 5 s of sound, another text each time so that no cache answers. */
const text = (round: number) =>
  `Message number ${round}: the deployment is done, and the dashboards look healthy again since noon.`;

/** What the bot itself adds to a /say: interaction received to upload begun, less the service's time. */
export const say: BenchPart = {
  prefix: 'say',
  async run() {
    await using bot = await startTestBot();
    const overheads: number[] = [];
    for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
      const overhead = await measure(bot, text(round));
      if (round >= WARM_UP) overheads.push(overhead);
    }
    return [
      { name: 'say.overhead.p50', value: percentile(overheads, 0.5), unit: 'ms' },
      { name: 'say.overhead.p95', value: percentile(overheads, 0.95), unit: 'ms' },
    ];
  },
};

async function measure({ sandbox, app }: TestBot, spoken: string): Promise<number> {
  using service = timeRequests(app.voiceApi.url);
  const already = sandbox.requests.length;
  const receivedAt = performance.now();
  await sandbox.run('/say', { text: spoken, language: 'en' });
  const upload = sandbox.requests.slice(already).find(({ files }) => files.length > 0);
  if (!upload) throw new Error('nothing was uploaded');
  return upload.begunAt - receivedAt - service.milliseconds();
}

/** Adds up the time from the start of each request to `origin` to the end of its answer. */
function timeRequests(origin: string): Disposable & { milliseconds(): number } {
  const startedAt = new Map<object, number>();
  let sum = 0;
  const onCreate = (message: unknown) => {
    const { request } = message as { request: { origin?: string | URL } };
    if (String(request.origin).startsWith(origin)) startedAt.set(request, performance.now());
  };
  const onEnd = (message: unknown) => {
    const { request } = message as { request: object };
    const began = startedAt.get(request);
    if (began !== undefined) sum += performance.now() - began;
  };
  subscribe('undici:request:create', onCreate);
  subscribe('undici:request:trailers', onEnd);
  return {
    milliseconds: () => sum,
    [Symbol.dispose]() {
      unsubscribe('undici:request:create', onCreate);
      unsubscribe('undici:request:trailers', onEnd);
    },
  };
}
