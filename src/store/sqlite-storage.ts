import { EventEmitter } from 'node:events';
import type { DatabaseSync } from 'node:sqlite';
import {
  type KeyvStorageAdapter,
  type KeyvStorageCapability,
  type KeyvStorageEntry,
  type KeyvStorageGetResult,
  keyvStorageCapability,
} from 'keyv';

/** Keyv types an emitter more narrowly than Node does. */
type Storage = Omit<KeyvStorageAdapter, keyof EventEmitter>;

/** Prepares the table that all namespaces share, and drops what has expired since. */
export function prepareSqliteStorage(database: DatabaseSync): void {
  database.exec(`
    create table if not exists keyv (
      namespace text not null,
      key text not null,
      value text not null,
      expires integer,
      primary key (namespace, key)
    ) strict, without rowid`);
  database.prepare('delete from keyv where expires <= ?').run(Date.now());
}

/**
 * Keyv's storage on Node's own SQLite: one namespace of a table that several adapters share, whose
 * owner prepares and closes the database. Every write is on disk before it is answered.
 *
 * `clear` and `iterator` of an adapter without a namespace cover the whole table, as those of Keyv's
 * own adapters do.
 */
export class SqliteStorage extends EventEmitter implements Storage {
  namespace: string | undefined;
  readonly #database: DatabaseSync;
  readonly #statements;

  constructor(database: DatabaseSync, namespace?: string) {
    super();
    this.namespace = namespace;
    this.#database = database;
    const live = '(expires is null or expires > ?)';
    this.#statements = {
      get: database.prepare(`select value from keyv where namespace = ? and key = ? and ${live}`),
      set: database.prepare('insert or replace into keyv values (?, ?, ?, ?)'),
      delete: database.prepare(
        `delete from keyv where namespace = ? and key = ? returning ${live}`,
      ),
      clear: database.prepare('delete from keyv where namespace = ?'),
      clearAll: database.prepare('delete from keyv'),
      page: database.prepare(
        `select namespace, key, value from keyv
         where (namespace, key) > (?, ?) and (? or namespace = ?) and ${live}
         order by namespace, key limit 100`,
      ),
    };
  }

  get capabilities(): KeyvStorageCapability {
    return keyvStorageCapability(this);
  }

  async get<Value>(key: string): Promise<KeyvStorageGetResult<Value>> {
    const row = this.#statements.get.get(this.#space, key, Date.now());
    return row?.value as KeyvStorageGetResult<Value>;
  }

  async getMany<Value>(keys: string[]): Promise<KeyvStorageGetResult<Value | undefined>[]> {
    return Promise.all(keys.map((key) => this.get<Value>(key)));
  }

  async set(key: string, value: unknown, expires?: number): Promise<boolean> {
    this.#statements.set.run(this.#space, key, String(value), expires ?? null);
    return true;
  }

  async setMany<Value>(entries: KeyvStorageEntry<Value>[]): Promise<boolean[]> {
    return this.#atOnce(() =>
      entries.map(({ key, value, expires }) => {
        this.#statements.set.run(this.#space, key, String(value), expires ?? null);
        return true;
      }),
    );
  }

  async delete(key: string): Promise<boolean> {
    return this.#remove(key);
  }

  async deleteMany(keys: string[]): Promise<boolean[]> {
    return this.#atOnce(() => keys.map((key) => this.#remove(key)));
  }

  async has(key: string): Promise<boolean> {
    return (await this.get(key)) !== undefined;
  }

  async hasMany(keys: string[]): Promise<boolean[]> {
    return Promise.all(keys.map((key) => this.has(key)));
  }

  async clear(): Promise<void> {
    if (this.namespace === undefined) this.#statements.clearAll.run();
    else this.#statements.clear.run(this.namespace);
  }

  /** Reads by pages, so that what is written meanwhile neither waits nor breaks the iteration. */
  async *iterator<Value>(): AsyncGenerator<Array<string | Awaited<Value> | undefined>, void> {
    const whole = this.namespace === undefined ? 1 : 0;
    let space = this.#space;
    let after = '';
    for (;;) {
      const page = this.#statements.page.all(space, after, whole, this.#space, Date.now());
      for (const { key, value } of page) yield [String(key), value as Awaited<Value>];
      const last = page.at(-1);
      if (!last) return;
      space = String(last.namespace);
      after = String(last.key);
    }
  }

  get #space(): string {
    return this.namespace ?? '';
  }

  /** @returns whether it was there; an entry past its time was not */
  #remove(key: string): boolean {
    const row = this.#statements.delete.get(this.#space, key, Date.now());
    return row !== undefined && Object.values(row)[0] === 1;
  }

  #atOnce<Result>(work: () => Result): Result {
    this.#database.exec('begin immediate');
    try {
      const result = work();
      this.#database.exec('commit');
      return result;
    } catch (error) {
      this.#database.exec('rollback');
      throw error;
    }
  }
}
