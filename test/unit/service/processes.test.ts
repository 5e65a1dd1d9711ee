import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createLog } from '../../../src/log.ts';
import { type Accounts, createAccounts } from '../../../src/service/accounts.ts';
import { createCharges } from '../../../src/service/charges.ts';
import { openStore, type ServiceStore } from '../../../src/service/store/store.ts';
import { databases, type TestDatabase } from './databases.ts';

const PROGRAM = fileURLToPath(new URL('metered-program.ts', import.meta.url));
/** For what is left behind to come back soon; so short that a busy machine is late to renew it. */
const SHORT_LEASE_MS = 1_000;
const LEASE_MS = 10_000;
const log = createLog('silent');

interface Program extends AsyncDisposable {
  url: string;
  child: ChildProcess;
}

/** A process of the service of its own, ready to speak. */
async function startProgram(databaseUrl: string, leaseMs: number): Promise<Program> {
  const child = spawn(process.execPath, [PROGRAM, databaseUrl, String(leaseMs)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const [line] = await Promise.race([
    once(child.stdout.setEncoding('utf8'), 'data'),
    ended.then(() => Promise.reject(new Error('the program ended before it listened'))),
  ]);
  return {
    url: String(line).trim(),
    child,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

describe.each(await databases())('two processes of the service on $name', ({ create }) => {
  let database: TestDatabase;
  let store: ServiceStore;
  let accounts: Accounts;

  beforeAll(async () => {
    database = await create();
    store = await openStore(database.url, log);
    accounts = createAccounts(store.db);
  });

  afterAll(async () => {
    await store.close();
    await database[Symbol.asyncDispose]();
  });

  async function recorded(id: string): Promise<number[]> {
    const rows = await store.db
      .selectFrom('usage')
      .select('length_ms')
      .where('account_id', '=', id)
      .execute();
    return rows.map(({ length_ms }) => length_ms);
  }

  /** The status and the milliseconds of one speech, when all of it has come. */
  async function speak(url: string, key: string, text: string, fields: object = {}) {
    const answer = await fetch(`${url}/v1/text-to-speech/aria`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-sup-api-key': key },
      body: JSON.stringify({ text, language: 'en', ...fields }),
    });
    await answer.arrayBuffer();
    const milliseconds = Math.round(Number(answer.headers.get('x-audio-length')) * 1000);
    return { status: answer.status, milliseconds };
  }

  test('100 speeches at the same time each: no balance is overdrawn, no record lost', async () => {
    await using one = await startProgram(database.url, LEASE_MS);
    await using two = await startProgram(database.url, LEASE_MS);
    const unlimited = await accounts.create({ name: 'warm', tier: 'paid', credits: null });
    const paying = await accounts.create({ name: 'rush', tier: 'paid', credits: 60.5 });
    const second = { voice_settings: { duration: 1 } };
    // Made once, so that what follows is a rush on the balance and not on the engine.
    for (const { url } of [one, two]) {
      expect((await speak(url, unlimited.key, 'Hello', second)).status).toBe(200);
    }
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => [
        speak(one.url, paying.key, 'Hello', second),
        speak(two.url, paying.key, 'Hello', second),
        speak(one.url, unlimited.key, 'Hello', second),
        speak(two.url, unlimited.key, 'Hello', second),
      ]).flat(),
    );
    const paid = answers.filter((_, index) => index % 4 < 2);
    expect(paid.filter(({ status }) => status === 200)).toHaveLength(60);
    expect(paid.filter(({ status }) => status === 402)).toHaveLength(140);
    expect(await recorded(paying.id)).toEqual(Array(60).fill(1000));
    expect(await recorded(unlimited.id)).toEqual(Array(202).fill(1000));
    const charges = createCharges(store.db, { log });
    expect(await charges.balance(paying.id)).toBe(0.5);
    await charges.close();
  }, 60_000);

  test('kill -9 amid speeches: balance and usage add up, and every answered speech is on record', async () => {
    const credits = 500;
    const paying = await accounts.create({ name: 'killed', tier: 'paid', credits });
    await using survivor = await startProgram(database.url, SHORT_LEASE_MS);
    const answered: number[] = [];
    for (const afterAnswers of [0, 1, 7]) {
      await using victim = await startProgram(database.url, SHORT_LEASE_MS);
      let left = afterAnswers;
      const requests = Array.from({ length: 24 }, async (_, index) => {
        const { url } = index % 3 === 0 ? survivor : victim;
        const { status, milliseconds } = await speak(url, paying.key, `Text ${left}.${index}`);
        expect(status).toBe(200);
        answered.push(milliseconds);
        left -= 1;
        if (left === 0) victim.child.kill('SIGKILL');
      });
      if (afterAnswers === 0) victim.child.kill('SIGKILL');
      await Promise.allSettled(requests);
    }
    expect(answered.length).toBeGreaterThanOrEqual(24);

    // Whatever the victims held comes back once their leases are over; the survivor sees to it.
    await vi.waitFor(
      async () =>
        expect(await store.db.selectFrom('reservations').selectAll().execute()).toEqual([]),
      { timeout: 10_000, interval: 100 },
    );
    const records = await recorded(paying.id);
    for (const milliseconds of answered) {
      const found = records.indexOf(milliseconds);
      expect(found, `a speech of ${milliseconds} ms is on record`).toBeGreaterThanOrEqual(0);
      records.splice(found, 1);
    }
    const spent = (await recorded(paying.id)).reduce((sum, length) => sum + length, 0);
    const { credits: balance } =
      (await accounts.list()).find(({ id }) => id === paying.id) ?? expect.unreachable();
    expect(balance).toBe((credits * 1000 - spent) / 1000);
  }, 60_000);
});
