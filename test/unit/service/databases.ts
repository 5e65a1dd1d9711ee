import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';

const POSTGRES = process.env.TEST_POSTGRES_URL ?? 'postgres://postgres@127.0.0.1:5432/test';

export interface TestDatabase extends AsyncDisposable {
  /** For `openStore` and DATABASE_URL. */
  url: string;
}

interface DatabaseKind {
  name: string;
  /** A database of its own, without a table; gone at the end. */
  create(): Promise<TestDatabase>;
}

async function sqlite(): Promise<TestDatabase> {
  const directory = await mkdtemp(join(tmpdir(), 'hark-store-'));
  return {
    url: `sqlite:${join(directory, 'service.db')}`,
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true }),
  };
}

let schemas = 0;

async function postgres(): Promise<TestDatabase> {
  const schema = `hark_${process.pid}_${Date.now()}_${++schemas}`;
  await query(`create schema ${schema}`);
  const url = new URL(POSTGRES);
  url.searchParams.set('options', `-csearch_path=${schema}`);
  return {
    url: url.href,
    async [Symbol.asyncDispose]() {
      await query(`drop schema ${schema} cascade`);
    },
  };
}

async function query(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: POSTGRES, connectionTimeoutMillis: 2_000 });
  try {
    await client.connect();
    await client.query(sql);
  } finally {
    await client.end();
  }
}

/** The databases that the service promises to work on, as far as they can be reached here. */
export async function databases(): Promise<DatabaseKind[]> {
  const kinds: DatabaseKind[] = [{ name: 'SQLite', create: sqlite }];
  try {
    await query('select 1');
    kinds.push({ name: 'PostgreSQL', create: postgres });
  } catch (error) {
    console.warn(`PostgreSQL is left out, for it cannot be reached: ${(error as Error).message}`);
  }
  return kinds;
}
