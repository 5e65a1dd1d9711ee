import { type Kysely, sql } from 'kysely';
import { UserError } from '../../errors.ts';
import type { DatabaseKind } from './store.ts';

/** A step from one schema to the next; it runs once, in a transaction. */
interface Migration {
  name: string;
  // A step meets the schema of its own time, which the types of today do not describe.
  up(db: Kysely<unknown>): Promise<void>;
}

/** Every step there ever was, in order. A step that was released is never changed. */
const MIGRATIONS: readonly Migration[] = [
  { name: '001-accounts', up: createAccounts },
  { name: '002-custom-voices', up: createCustomVoices },
];

async function createAccounts(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('accounts')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull().unique())
    .addColumn('tier', 'text', (column) => column.notNull())
    .addColumn('balance_ms', 'bigint', (column) => column.check(sql`balance_ms >= 0`))
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('disabled_at', 'bigint')
    .execute();
  await db.schema
    .createTable('api_keys')
    .addColumn('hash', 'text', (column) => column.primaryKey())
    .addColumn('lookup', 'text', (column) => column.notNull())
    .addColumn('tail', 'text', (column) => column.notNull())
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('api_keys_lookup').on('api_keys').column('lookup').execute();
  await db.schema.createIndex('api_keys_account').on('api_keys').column('account_id').execute();
  await db.schema
    .createTable('reservations')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
    .addColumn('cost_ms', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('reservations_expiry')
    .on('reservations')
    .column('expires_at')
    .execute();
  await db.schema
    .createTable('usage')
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
    .addColumn('made_at', 'bigint', (column) => column.notNull())
    .addColumn('key_tail', 'text', (column) => column.notNull())
    .addColumn('voice_id', 'text', (column) => column.notNull())
    .addColumn('voice_name', 'text', (column) => column.notNull())
    .addColumn('style', 'text', (column) => column.notNull())
    .addColumn('language', 'text', (column) => column.notNull())
    .addColumn('model', 'text', (column) => column.notNull())
    .addColumn('length_ms', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('usage_account_time')
    .on('usage')
    .columns(['account_id', 'made_at'])
    .execute();
}

async function createCustomVoices(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('custom_voices')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('description', 'text', (column) => column.notNull())
    .addColumn('profile', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('custom_voices_account')
    .on('custom_voices')
    .columns(['account_id', 'created_at'])
    .execute();
}

/** Any fixed number: processes that start at the same time wait for each other's migration on it. */
const MIGRATION_LOCK = 7_264_501;

/**
 * Brings the schema up to date: all missing steps or none.
 *
 * @throws {UserError} when a newer version of the program has used the database
 */
export async function migrate(database: Kysely<unknown>, kind: DatabaseKind): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    const db = transaction as Kysely<{ migrations: { name: string; applied_at: number } }>;
    if (kind === 'postgres') await sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`.execute(db);
    await db.schema
      .createTable('migrations')
      .ifNotExists()
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('applied_at', 'bigint', (column) => column.notNull())
      .execute();
    const rows = await db.selectFrom('migrations').select('name').execute();
    const applied = new Set(rows.map(({ name }) => name));
    const known = new Set(MIGRATIONS.map(({ name }) => name));
    if (rows.some(({ name }) => !known.has(name))) {
      throw new UserError(
        'The database belongs to a newer version of Hark; run that version, or use another database.',
      );
    }
    for (const { name, up } of MIGRATIONS.filter((step) => !applied.has(step.name))) {
      await up(transaction);
      await db.insertInto('migrations').values({ name, applied_at: Date.now() }).execute();
    }
  });
}
