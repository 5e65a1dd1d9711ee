import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createLog } from '../../../src/log.ts';
import { type Accounts, createAccounts } from '../../../src/service/accounts.ts';
import { type Charges, createCharges } from '../../../src/service/charges.ts';
import { openStore, type ServiceStore } from '../../../src/service/store/store.ts';
import { databases, type TestDatabase } from './databases.ts';

const log = createLog('silent');

const SPEECH = {
  voiceId: 'aria',
  voiceName: 'Aria',
  style: 'neutral',
  language: 'en',
  model: 'sona_speech_1',
};

describe.each(await databases())('credits on $name', ({ create }) => {
  let database: TestDatabase;
  let store: ServiceStore;
  let accounts: Accounts;
  let charges: Charges;

  beforeAll(async () => {
    database = await create();
    store = await openStore(database.url, log);
    accounts = createAccounts(store.db);
    charges = createCharges(store.db, { log });
  });

  afterAll(async () => {
    await charges.close();
    await store.close();
    await database[Symbol.asyncDispose]();
  });

  let made = 0;

  async function account(credits: number | null) {
    const { key } = await accounts.create({ name: `account ${++made}`, tier: 'paid', credits });
    return (await accounts.authenticate(key)) ?? expect.unreachable();
  }

  /** Milliseconds of every speech that is on record. */
  async function recorded(id: string): Promise<number[]> {
    const rows = await store.db
      .selectFrom('usage')
      .select('length_ms')
      .where('account_id', '=', id)
      .execute();
    return rows.map(({ length_ms }) => length_ms);
  }

  test('a speech costs its seconds, rounded up to the millisecond, whatever was predicted', async () => {
    const paying = await account(10);
    for (const [predicted, real] of [
      [2, 1.5],
      [1, 1.2501],
      [1.001, 1.001],
    ] as const) {
      await using charge = charges.open(paying, SPEECH);
      await charge.reserve(async () => predicted);
      await charge.settle(real);
    }
    expect(await recorded(paying.id)).toEqual([1500, 1251, 1001]);
    expect(await charges.balance(paying.id)).toBe(6.248);
  });

  test('a speech that is predicted above the balance is refused with 402, one that takes all of it is not', async () => {
    const paying = await account(1);
    await using dear = charges.open(paying, SPEECH);
    await expect(dear.reserve(async () => 1.0011)).rejects.toMatchObject({ statusCode: 402 });
    await using exact = charges.open(paying, SPEECH);
    await exact.reserve(async () => 1);
    expect(await charges.balance(paying.id)).toBe(0);
    await exact.settle(1);
    expect(await charges.balance(paying.id)).toBe(0);
  });

  test('a speech that gets longer than predicted takes what is left, and no more', async () => {
    const paying = await account(1);
    await using charge = charges.open(paying, SPEECH);
    await charge.reserve(async () => 0.9);
    await charge.settle(1.2);
    expect(await charges.balance(paying.id)).toBe(0);
    expect(await recorded(paying.id)).toEqual([1200]);
  });

  test('a speech that comes to nothing costs nothing and is not on record', async () => {
    const paying = await account(3);
    await expect(
      (async () => {
        await using charge = charges.open(paying, SPEECH);
        await charge.reserve(async () => 2);
        throw new Error('the engine broke');
      })(),
    ).rejects.toThrow('the engine broke');
    expect(await charges.balance(paying.id)).toBe(3);
    expect(await recorded(paying.id)).toEqual([]);
  });

  test('a speech that is given up while it is predicted costs nothing', async () => {
    const paying = await account(3);
    const prediction = Promise.withResolvers<number>();
    let reserving: Promise<void>;
    {
      await using charge = charges.open(paying, SPEECH);
      reserving = charge.reserve(() => prediction.promise);
    }
    prediction.resolve(2);
    await reserving;
    expect(await charges.balance(paying.id)).toBe(3);
  });

  test('speeches at the same time never take more than there is', async () => {
    const paying = await account(10);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 100 }, async () => {
        await using charge = charges.open(paying, SPEECH);
        await charge.reserve(async () => 0.7);
        await charge.settle(0.7);
      }),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(14);
    expect(await recorded(paying.id)).toEqual(Array(14).fill(700));
    expect(await charges.balance(paying.id)).toBe(0.2);
  });

  test('an unlimited account is never asked what a speech will cost, and all of it is on record', async () => {
    const unlimited = await account(null);
    const predict = vi.fn(async () => 1);
    await Promise.all(
      Array.from({ length: 250 }, async () => {
        await using charge = charges.open(unlimited, SPEECH);
        await charge.reserve(predict);
        await charge.settle(0.5);
      }),
    );
    expect(predict).not.toHaveBeenCalled();
    expect(await recorded(unlimited.id)).toHaveLength(250);
    expect(await charges.balance(unlimited.id)).toBeNull();
  });

  test('credits that were given while a speech was made are kept', async () => {
    const paying = await account(1);
    await using charge = charges.open(paying, SPEECH);
    await charge.reserve(async () => 1);
    expect(await accounts.credit(paying.id, 5)).toEqual({ id: paying.id, balance: 5 });
    await charge.settle(1);
    expect(await charges.balance(paying.id)).toBe(5);
  });

  describe('held by a process', () => {
    /** Reserves without ever settling or renewing, as a process that was killed. */
    async function dieHolding(id: string, milliseconds: number) {
      await store.db
        .updateTable('accounts')
        .set((set) => ({ balance_ms: set('balance_ms', '-', milliseconds) }))
        .where('id', '=', id)
        .execute();
      const expires_at = Date.now() - 1;
      const row = { id: `dead ${id}`, account_id: id, cost_ms: milliseconds, expires_at };
      await store.db.insertInto('reservations').values(row).execute();
    }

    test('that died are there again when its lease is over', async () => {
      const paying = await account(5);
      await dieHolding(paying.id, 4_000);
      expect(await charges.balance(paying.id)).toBe(5);
    });

    test('that died are there for the speech that needs them', async () => {
      const paying = await account(5);
      await dieHolding(paying.id, 4_000);
      await using charge = charges.open(paying, SPEECH);
      await charge.reserve(async () => 5);
      await charge.settle(5);
      expect(await charges.balance(paying.id)).toBe(0);
    });

    test('that lives stay reserved for as long as the speech takes', async () => {
      const paying = await account(5);
      const brief = createCharges(store.db, { log, leaseMs: 300 });
      await using charge = brief.open(paying, SPEECH);
      await charge.reserve(async () => 4);
      const expiry = async () => {
        const rows = store.db.selectFrom('reservations').selectAll();
        const [row] = await rows.where('account_id', '=', paying.id).execute();
        return row?.expires_at ?? 0;
      };
      const first = await expiry();
      await vi.waitFor(async () => expect(await expiry()).toBeGreaterThan(first + 300), 5_000);
      expect(await brief.balance(paying.id)).toBe(1);
      await charge.settle(4);
      await brief.close();
      expect(await charges.balance(paying.id)).toBe(1);
    });

    test('that ends in order are given back at once', async () => {
      const paying = await account(5);
      const ending = createCharges(store.db, { log });
      await using charge = ending.open(paying, SPEECH);
      await charge.reserve(async () => 4);
      await ending.close();
      expect(await charges.balance(paying.id)).toBe(5);
    });

    test('are charged even when their lease ran out meanwhile', async () => {
      const paying = await account(5);
      await using charge = charges.open(paying, SPEECH);
      await charge.reserve(async () => 4);
      await store.db
        .updateTable('reservations')
        .set({ expires_at: 0 })
        .where('account_id', '=', paying.id)
        .execute();
      expect(await charges.balance(paying.id)).toBe(5);
      await charge.settle(4);
      expect(await charges.balance(paying.id)).toBe(1);
      expect(await recorded(paying.id)).toEqual([4000]);
    });
  });
});
