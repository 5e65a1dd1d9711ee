import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Keyv } from 'keyv';
import { UserError } from '../errors.ts';
import { prepareSqliteStorage, SqliteStorage } from './sqlite-storage.ts';

/** How long a write waits while another process writes, in milliseconds. */
const BUSY_TIMEOUT_MS = 2_000;

/** What the bot remembers. Its owner closes it. */
export interface Store {
  /** Values of one kind, by key. What the database cannot do is thrown. */
  space(namespace: string): Keyv;
  close(): Promise<void>;
}

/**
 * Opens what the bot remembers.
 *
 * @param url - `sqlite:PATH` or `sqlite::memory:`; undefined means a file in `dataDir`
 * @throws {UserError} for a kind of database that is not there
 */
export function openStore(url: string | undefined, { dataDir }: { dataDir: string }): Store {
  const location = url ?? `sqlite:${join(dataDir, 'store.db')}`;
  if (!location.startsWith('sqlite:')) {
    throw new UserError('STORE_URL must be a sqlite: URL.');
  }
  const path = location.replace(/^sqlite:(\/\/)?/, '');
  if (path !== ':memory:') mkdirSync(dirname(path), { recursive: true });
  const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    // A commit survives the end of the process, and the database a power cut.
    database.exec('pragma journal_mode = wal; pragma synchronous = normal');
    prepareSqliteStorage(database);
  } catch (error) {
    database.close();
    throw error;
  }
  return {
    // Keyv throws what goes wrong as long as nobody listens to its "error" event: what cannot be
    // read must not be taken for what was never set.
    space: (namespace) => new Keyv({ namespace, store: new SqliteStorage(database, namespace) }),
    async close() {
      if (database.isOpen) database.close();
    },
  };
}
