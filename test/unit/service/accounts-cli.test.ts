import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createEngine } from '../../../src/engine/builtin.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import { createLog } from '../../../src/log.ts';
import { createAccounts } from '../../../src/service/accounts.ts';
import { openStore, type ServiceStore } from '../../../src/service/store/store.ts';
import { databases, type TestDatabase } from './databases.ts';
import { startService, type TestService } from './service.ts';

const CLI = fileURLToPath(new URL('../../../src/service/accounts-cli.ts', import.meta.url));

const kinds = await databases();

/** What the command prints, or its message on standard error after exit code 1. */
async function run(
  database: { url: string },
  ...args: string[]
): Promise<{ output: string } | { fault: string }> {
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [CLI, ...args], {
      env: { DATABASE_URL: database.url },
    });
    return { output: stdout };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    return { fault: stderr.trim() };
  }
}

describe.each(kinds)('npm run accounts beside a service on $name', ({ create }) => {
  let database: TestDatabase;
  let store: ServiceStore;
  let engine: Engine;
  let service: TestService;

  beforeAll(async () => {
    database = await create();
    store = await openStore(database.url, createLog('silent'));
    engine = createEngine({ workers: 1 });
    const { authenticate } = createAccounts(store.db);
    service = await startService(engine, { store, authenticate });
  });

  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await engine.close();
    await store.close();
    await database[Symbol.asyncDispose]();
  });

  async function json(...args: string[]) {
    const result = await run(database, ...args, '--json');
    if ('fault' in result) throw new Error(result.fault);
    expect(result.output).toMatch(/^.+\n$/);
    return JSON.parse(result.output);
  }

  async function status(key: string): Promise<number> {
    return (await service.call('/v1/credits', { headers: { 'x-sup-api-key': key } })).status;
  }

  test('an account that is made works at once, and can be given credits, a new key, and an end', async () => {
    const made = await json(
      'create',
      '--name',
      '목소리 팀 🎙',
      '--tier',
      'free',
      '--credits',
      '1.5',
    );
    expect(Object.keys(made)).toEqual(['id', 'key']);
    const balance = await service.call('/v1/credits', { headers: { 'x-sup-api-key': made.key } });
    expect(balance.json()).toEqual({ balance: 1.5 });

    expect(await json('credit', made.id, '10')).toEqual({ id: made.id, balance: 11.5 });
    expect(await json('credit', '--name', '목소리 팀 🎙', '--credits=-100')).toEqual({
      id: made.id,
      balance: 0,
    });
    const rotated = await json('rotate', '목소리 팀 🎙');
    expect(rotated.id).toBe(made.id);
    await vi.waitFor(async () => expect(await status(made.key)).toBe(401), 2_000);
    expect(await status(rotated.key)).toBe(200);
    expect(await json('disable', made.id)).toEqual({ id: made.id, disabled: true });
    await vi.waitFor(async () => expect(await status(rotated.key)).toBe(401), 2_000);

    expect(await json('list')).toEqual([
      {
        id: made.id,
        name: '목소리 팀 🎙',
        tier: 'free',
        credits: 0,
        keys: [rotated.key.slice(-4)],
        disabled: true,
        created_at: expect.stringMatching(/^\d{4}-.*Z$/),
      },
    ]);
    const list = await run(database, 'list');
    expect(list).toMatchObject({ output: expect.stringContaining('목소리 팀 🎙') });
    expect(JSON.stringify(list)).not.toContain(rotated.key);
  });

  test('a mistake is one sentence and nothing is changed', async () => {
    await json('create', '--name', 'unlimited', '--tier', 'paid');
    const before = await json('list');
    for (const [args, fault] of [
      [['create', '--name', 'unlimited', '--tier', 'paid'], /"unlimited" already/],
      [['credit', 'unlimited', '5'], /is unlimited/],
      [['rotate', 'nobody'], /no account "nobody"/],
    ] as const) {
      expect(await run(database, ...args)).toMatchObject({ fault: expect.stringMatching(fault) });
    }
    expect(await json('list')).toEqual(before);
  });
});

test('a mistake in the arguments is one sentence on any database, and nothing is changed', async () => {
  const [any = expect.unreachable()] = kinds;
  await using database = await any.create();
  for (const [args, fault] of [
    [['create', '--name', ' ', '--tier', 'paid'], /needs a name/],
    [['create', '--name', 'x', '--tier', 'gold'], /free, paid/],
    [['create', '--name', 'x', '--tier', 'paid', '--credits', 'lots'], /seconds of speech/],
    [['create', '--name', 'x', '--tier', 'paid', '--credits=-1'], /not be negative/],
    [['credit', 'unlimited'], /seconds of speech/],
    [['disable'], /Name the account/],
    [['dance'], /Usage/],
  ] as const) {
    expect(await run(database, ...args)).toMatchObject({ fault: expect.stringMatching(fault) });
  }
  expect(await run(database, 'list', '--json')).toEqual({ output: '[]\n' });
});
