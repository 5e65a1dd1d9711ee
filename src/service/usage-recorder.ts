import type { Insertable, Kysely } from 'kysely';
import type { Tables, UsageTable } from './store/tables.ts';

export type UsageRow = Insertable<UsageTable>;

/** Rows that one statement takes; all databases allow more. */
const BATCH = 100;

/**
 * Writes usage so that the speeches which end together share a commit, which is most of the cost.
 *
 * @returns a function that resolves when its row is kept for good
 */
export function createUsageRecorder(db: Kysely<Tables>): (row: UsageRow) => Promise<void> {
  let waiting: { row: UsageRow; done: PromiseWithResolvers<void> }[] = [];
  let writing = false;

  async function write(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, BATCH);
      waiting = waiting.slice(BATCH);
      try {
        const rows = batch.map(({ row }) => row);
        await db.insertInto('usage').values(rows).execute();
        for (const { done } of batch) done.resolve();
      } catch (error) {
        for (const { done } of batch) done.reject(error);
      }
    }
    writing = false;
  }

  return (row) => {
    const done = Promise.withResolvers<void>();
    waiting.push({ row, done });
    if (!writing) {
      writing = true;
      setImmediate(write);
    }
    return done.promise;
  };
}
