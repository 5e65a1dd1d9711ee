import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { UserError } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import { migrate } from './migrations.ts';
import { sqliteDialect } from './sqlite.ts';
import type { Tables } from './tables.ts';

export type DatabaseKind = 'sqlite' | 'postgres';

/** What the service remembers. Its owner closes it. */
export interface ServiceStore {
  db: Kysely<Tables>;
  close(): Promise<void>;
}

/** Longest wait for a connection or a statement of PostgreSQL, in milliseconds. */
const POSTGRES_TIMEOUT_MS = 10_000;

/**
 * Opens the service's database and brings its schema up to date.
 *
 * @param url - `sqlite:PATH`, `sqlite::memory:` or `postgres://…`
 * @throws {UserError} when it cannot be opened, or a newer version of the program has used it
 */
export async function openStore(url: string, log: Logger): Promise<ServiceStore> {
  const kind: DatabaseKind = url.startsWith('sqlite:') ? 'sqlite' : 'postgres';
  const db = await connect(kind, url, log);
  try {
    await migrate(db as unknown as Kysely<unknown>, kind);
  } catch (error) {
    await db.destroy();
    throw error;
  }
  return { db, close: () => db.destroy() };
}

async function connect(kind: DatabaseKind, url: string, log: Logger): Promise<Kysely<Tables>> {
  try {
    if (kind === 'sqlite') {
      return new Kysely({ dialect: sqliteDialect(url.replace(/^sqlite:(\/\/)?/, '')) });
    }
    const pool = postgresPool(url, log);
    try {
      await pool.query('select 1');
    } catch (error) {
      await pool.end();
      throw error;
    }
    return new Kysely({ dialect: new PostgresDialect({ pool }) });
  } catch (cause) {
    const { message } = cause as Error;
    throw new UserError(
      `The database cannot be opened; check DATABASE_URL and DATA_DIR (${message}).`,
      { cause },
    );
  }
}

function postgresPool(url: string, log: Logger): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: 8,
    connectionTimeoutMillis: POSTGRES_TIMEOUT_MS,
    statement_timeout: POSTGRES_TIMEOUT_MS,
    types: {
      // Lengths and times are far below 2 ** 53; pg would give them as strings.
      getTypeParser: (type: number, format) =>
        type === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(type, format),
    },
  });
  pool.on('error', (error) => log.warn({ err: error }, 'an idle database connection broke'));
  return pool;
}
