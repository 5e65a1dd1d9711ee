import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decodeWav } from '../../../src/audio/wav.ts';
import { createEngine } from '../../../src/engine/builtin.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import { createLog } from '../../../src/log.ts';
import { createAccounts } from '../../../src/service/accounts.ts';
import { openStore, type ServiceStore } from '../../../src/service/store/store.ts';
import { medianF0 } from '../../helpers/measure.ts';
import { form, postClone, sampleOf } from './clone-call.ts';
import { databases } from './databases.ts';
import { type Answer, startService, type TestService } from './service.ts';

let engine: Engine;
let sample: Uint8Array<ArrayBuffer>;

beforeAll(async () => {
  engine = createEngine({ workers: 2 });
  sample = await sampleOf(engine, 'dana');
});
afterAll(() => engine?.close());

interface Process {
  service: TestService;
  store: ServiceStore;
  call(path: string, call?: { method?: string; body?: unknown }): Promise<Answer>;
}

/** A service of its own on a database that others use as well, as in another process. */
async function startOn(url: string, key: string, owned: AsyncDisposableStack): Promise<Process> {
  const store = await openStore(url, createLog('silent'));
  owned.defer(() => store.close());
  const { authenticate } = createAccounts(store.db);
  const service = owned.use(await startService(engine, { store, authenticate }));
  return {
    service,
    store,
    call: (path, call) => service.call(path, { ...call, headers: { 'x-sup-api-key': key } }),
  };
}

async function newKey(url: string): Promise<string> {
  const store = await openStore(url, createLog('silent'));
  const account = { name: 'team', tier: 'paid', credits: null } as const;
  const { key } = await createAccounts(store.db).create(account);
  await store.close();
  return key;
}

describe.each(await databases())('on $name', ({ create }) => {
  test('a voice that one process made speaks at once in another, until it is deleted in a third', async () => {
    await using database = await create();
    await using owned = new AsyncDisposableStack();
    const key = await newKey(database.url);
    const one = await startOn(database.url, key, owned);
    const two = await startOn(database.url, key, owned);
    const three = await startOn(database.url, key, owned);

    const fields = form([
      ['files', sample],
      ['name', 'Everywhere 어디서나'],
      ['description', 'ライブ'],
    ]);
    const made = await postClone(one.service.url, key, fields);
    expect(made.status).toBe(200);
    const { voice_id } = made.body as { voice_id: string };

    const body = { text: 'We meet again on a windy day.', language: 'en' };
    const speech = `/v1/text-to-speech/${voice_id}`;
    // All workers of the engine at the same time.
    for (const spoken of await Promise.all([1, 2, 3].map(() => two.call(speech, { body })))) {
      expect(spoken.status).toBe(200);
      const { samples, sampleRate } = decodeWav(spoken.bytes);
      const given = decodeWav(sample);
      const interval = medianF0(samples, sampleRate) / medianF0(given.samples, given.sampleRate);
      expect(Math.abs(12 * Math.log2(interval))).toBeLessThan(1);
    }
    const path = `/v1/custom-voices/${voice_id}`;
    const renamed = await three.call(path, { method: 'PATCH', body: { name: 'Renamed' } });
    expect(renamed.json()).toEqual({ voice_id, name: 'Renamed', description: 'ライブ' });
    expect((await two.call(path)).json()).toEqual(renamed.json());

    expect((await three.call(path, { method: 'DELETE' })).status).toBe(204);
    expect((await two.call(speech, { body })).status).toBe(404);
    expect((await one.call(speech, { body })).status).toBe(404);
  });

  test('a voice is there after a restart, and of its sample only numbers are kept', async () => {
    await using database = await create();
    const key = await newKey(database.url);
    let voiceId: string;
    {
      await using owned = new AsyncDisposableStack();
      const first = await startOn(database.url, key, owned);
      const fields = form([
        ['files', sample],
        ['name', 'Kept'],
      ]);
      const { body } = await postClone(first.service.url, key, fields);
      voiceId = (body as { voice_id: string }).voice_id;
    }
    await using owned = new AsyncDisposableStack();
    const again = await startOn(database.url, key, owned);
    const predicted = await again.call(`/v1/predict-duration/${voiceId}`, {
      body: { text: 'Hello again.', language: 'en' },
    });
    expect(predicted.status).toBe(200);
    const rows = await again.store.db.selectFrom('custom_voices').selectAll().execute();
    expect(JSON.stringify(rows).length).toBeLessThan(2_000);
  });
});
