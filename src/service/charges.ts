import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Logger } from '../log.ts';
import { atLeastZero } from './accounts.ts';
import type { Account } from './auth.ts';
import { ApiError } from './errors.ts';
import type { Tables } from './store/tables.ts';
import { createUsageRecorder, type UsageRow } from './usage-recorder.ts';

/** What is remembered of a speech besides its length. */
export interface SpeechRecord {
  voiceId: string;
  voiceName: string;
  style: string;
  language: string;
  model: string;
}

/**
 * What a speech costs its account: one credit a second (supplement, "Accounts"). Left without
 * `settle` it costs nothing and is not remembered.
 */
export interface Charge extends AsyncDisposable {
  /**
   * Takes the predicted seconds off the balance. An unlimited account is not asked, so that its
   * speech need not be predicted.
   *
   * @throws {ApiError} 402 when they are above the balance
   */
  reserve(predictSeconds: () => Promise<number>): Promise<void>;
  /** Sets the cost to the seconds that were made, and remembers the speech. Call it before the last byte is sent. */
  settle(seconds: number): Promise<void>;
}

/** The credits of all accounts. Safe over any number of processes on the same database. */
export interface Charges {
  open(account: Account, speech: SpeechRecord): Charge;
  /** Seconds of speech that an account has left; null when it is unlimited. */
  balance(accountId: string): Promise<number | null>;
  /** Gives back what is still reserved, and ends. */
  close(): Promise<void>;
}

/**
 * How long a reservation outlives the process that made it, in milliseconds. A living process renews
 * its own, so that no speech is too long and no crash holds credits for long.
 */
const LEASE_MS = 10_000;

export function createCharges(
  db: Kysely<Tables>,
  { log, leaseMs = LEASE_MS }: { log: Logger; leaseMs?: number },
): Charges {
  const held = new Set<string>();
  let closed = false;

  const record = createUsageRecorder(db);

  async function reserve(accountId: string, costMs: number): Promise<string | undefined> {
    const id = randomUUID();
    const reserved = await db.transaction().execute(async (transaction) => {
      const taken = await transaction
        .updateTable('accounts')
        .set((set) => ({ balance_ms: set('balance_ms', '-', costMs) }))
        .where('id', '=', accountId)
        .where('balance_ms', '>=', costMs)
        .returning('id')
        .executeTakeFirst();
      if (!taken) return false;
      const expires_at = Date.now() + leaseMs;
      await transaction
        .insertInto('reservations')
        .values({ id, account_id: accountId, cost_ms: costMs, expires_at })
        .execute();
      return true;
    });
    return reserved ? id : undefined;
  }

  /** Ends a reservation, if nobody else has: what it held, less what is owed, goes back. */
  function release(id: string): Promise<void> {
    return db.transaction().execute(async (transaction) => {
      const row = await transaction
        .deleteFrom('reservations')
        .where('id', '=', id)
        .returning(['account_id', 'cost_ms'])
        .executeTakeFirst();
      if (!row) return;
      await transaction
        .updateTable('accounts')
        .set({ balance_ms: atLeastZero(row.cost_ms) })
        .where('id', '=', row.account_id)
        .execute();
    });
  }

  function settle(id: string, row: UsageRow) {
    return db.transaction().execute(async (transaction) => {
      const reserved = await transaction
        .deleteFrom('reservations')
        .where('id', '=', id)
        .returning('cost_ms')
        .executeTakeFirst();
      await transaction
        .updateTable('accounts')
        .set({ balance_ms: atLeastZero((reserved?.cost_ms ?? 0) - row.length_ms) })
        .where('id', '=', row.account_id)
        .execute();
      await transaction.insertInto('usage').values(row).execute();
    });
  }

  /** Gives back what processes that are gone had reserved. */
  async function reap(): Promise<void> {
    const expired = await db
      .selectFrom('reservations')
      .select('id')
      .where('expires_at', '<', Date.now())
      .limit(100)
      .execute();
    for (const { id } of expired) await release(id);
  }

  async function renew(): Promise<void> {
    if (held.size > 0) {
      const expires_at = Date.now() + leaseMs;
      await db
        .updateTable('reservations')
        .set({ expires_at })
        .where('id', 'in', [...held])
        .execute();
    }
    await reap();
  }

  let renewing: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    renewing = renewing.then(renew).catch((error: unknown) => {
      log.error({ err: error }, 'reservations could not be renewed');
    });
  }, leaseMs / 3);
  timer.unref();

  return {
    open(account, speech) {
      let reservation: string | undefined;
      let ended = false;

      async function giveBack(): Promise<void> {
        if (!reservation || !held.delete(reservation)) return;
        await release(reservation);
      }

      return {
        async reserve(predictSeconds) {
          if (account.credits === null) return;
          const costMs = milliseconds(await predictSeconds());
          if (ended) return;
          reservation = await reserve(account.id, costMs);
          if (!reservation) {
            await reap();
            reservation = await reserve(account.id, costMs);
          }
          if (!reservation) throw new ApiError(402, 'Not enough credits');
          held.add(reservation);
          if (ended || closed) await giveBack();
        },
        async settle(seconds) {
          ended = true;
          const row = {
            account_id: account.id,
            made_at: Date.now(),
            key_tail: account.key.tail,
            voice_id: speech.voiceId,
            voice_name: speech.voiceName,
            style: speech.style,
            language: speech.language,
            model: speech.model,
            length_ms: milliseconds(seconds),
          };
          if (!reservation) return record(row);
          held.delete(reservation);
          await settle(reservation, row);
        },
        async [Symbol.asyncDispose]() {
          ended = true;
          await giveBack();
        },
      };
    },
    async balance(accountId) {
      await reap();
      const row = await db
        .selectFrom('accounts')
        .select('balance_ms')
        .where('id', '=', accountId)
        .executeTakeFirstOrThrow();
      return row.balance_ms === null ? null : row.balance_ms / 1000;
    },
    async close() {
      closed = true;
      clearInterval(timer);
      await renewing;
      for (const id of held) await release(id);
      held.clear();
    },
  };
}

/** Seconds as whole milliseconds, rounded up; what floating point adds to a whole one does not count. */
function milliseconds(seconds: number): number {
  return Math.ceil(Math.round(seconds * 1e6) / 1e3);
}
