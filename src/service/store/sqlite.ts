import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import {
  CompiledQuery,
  type DatabaseConnection,
  type SqliteDatabase,
  SqliteDialect,
  SqliteDriver,
  type SqliteStatement,
} from 'kysely';

/** How long a statement waits while another process writes, in milliseconds. */
const BUSY_TIMEOUT_MS = 5_000;

/** SQLite's result code for a lock that somebody else holds. */
const SQLITE_BUSY = 5;

/** Statements that stay prepared; the service has fewer. */
const KEPT_STATEMENTS = 128;

type Parameters = SQLInputValue[];

/**
 * Kysely's dialect over Node's own SQLite.
 *
 * @param path - may be `:memory:`; its directory is made where there is none
 * @throws what keeps the file from being opened
 */
export function sqliteDialect(path: string): SqliteDialect {
  if (path !== ':memory:') mkdirSync(dirname(path), { recursive: true });
  const config = { database: keepStatements(openFile(path)) };
  return new (class extends SqliteDialect {
    override createDriver() {
      return new ImmediateDriver(config);
    }
  })(config);
}

function openFile(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    // With a write-ahead log this order of writing keeps every commit through the end of the
    // process, and a whole database through a power cut.
    database.exec('pragma journal_mode = wal; pragma synchronous = normal');
    // From here on waiting is the driver's, for SQLite's own blocks the whole process.
    database.exec('pragma busy_timeout = 0');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** The database as Kysely wants it: a statement is prepared once. */
function keepStatements(database: DatabaseSync): SqliteDatabase {
  const statements = new Map<string, SqliteStatement>();
  return {
    close: () => database.close(),
    prepare(sql) {
      let statement = statements.get(sql);
      if (!statement) {
        const oldest = statements.keys().next();
        if (statements.size >= KEPT_STATEMENTS && !oldest.done) statements.delete(oldest.value);
        statement = asStatement(database.prepare(sql));
        statements.set(sql, statement);
      }
      return statement;
    },
  };
}

/** A transaction that takes the write lock only when it first writes fails if another process wrote meanwhile. */
class ImmediateDriver extends SqliteDriver {
  override async acquireConnection(): Promise<DatabaseConnection> {
    return patient(await super.acquireConnection());
  }

  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
  }
}

/** Tries a statement again while the database is locked; one that met a lock has done nothing. */
function patient(connection: DatabaseConnection): DatabaseConnection {
  return {
    async executeQuery(query, options) {
      const deadline = performance.now() + BUSY_TIMEOUT_MS;
      for (;;) {
        try {
          return await connection.executeQuery(query, options);
        } catch (error) {
          const code = (error as { errcode?: number }).errcode ?? 0;
          // The low byte; the rest says more on the kind of lock.
          if ((code & 0xff) !== SQLITE_BUSY || performance.now() > deadline) throw error;
          await setTimeout(1 + Math.random() * 4);
        }
      }
    },
    streamQuery: (query, chunkSize, options) => connection.streamQuery(query, chunkSize, options),
  };
}

function asStatement(statement: StatementSync): SqliteStatement {
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => statement.all(...(parameters as Parameters)),
    run: (parameters) => statement.run(...(parameters as Parameters)),
    iterate: (parameters) => statement.iterate(...(parameters as Parameters)),
  };
}
