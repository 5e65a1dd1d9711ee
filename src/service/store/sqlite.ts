import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import {
  CompiledQuery,
  type DatabaseConnection,
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

/** Kysely's dialect over Node's own SQLite. `path` may be `:memory:`. */
export function sqliteDialect(path: string): SqliteDialect {
  const config = {
    database: async () => {
      if (path !== ':memory:') mkdirSync(dirname(path), { recursive: true });
      const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
      // With a write-ahead log this order of writing keeps every commit through the end of the
      // process, and a whole database through a power cut.
      database.exec('pragma journal_mode = wal; pragma synchronous = normal');
      // From here on waiting is the driver's, for SQLite's own blocks the whole process.
      database.exec('pragma busy_timeout = 0');
      const statements = new Map<string, SqliteStatement>();
      return {
        close: () => database.close(),
        prepare(sql: string): SqliteStatement {
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
    },
  };
  return new (class extends SqliteDialect {
    override createDriver() {
      return new ImmediateDriver(config);
    }
  })(config);
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
