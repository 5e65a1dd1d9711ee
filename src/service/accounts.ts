import { randomUUID } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { UserError } from '../errors.ts';
import { type Account, type Authenticate, sameHash } from './auth.ts';
import { createBriefMemory } from './brief-memory.ts';
import { createKey, digestKey } from './keys.ts';
import type { AccountRow, Tables } from './store/tables.ts';

/** The account of the bot that the service runs in. */
export const BOT_ACCOUNT = 'bot';

/** The account of who starts a service without any other. */
export const DEFAULT_ACCOUNT = 'default';

export const TIERS = ['free', 'paid'] as const;

export interface NewAccount {
  name: string;
  tier: (typeof TIERS)[number];
  /** Seconds of speech; null means unlimited. */
  credits: number | null;
}

/** What an operator is told of an account. */
export interface AccountSummary extends NewAccount {
  id: string;
  /** The last characters of its keys. */
  keys: string[];
  disabled: boolean;
  /** RFC 3339. */
  created_at: string;
}

/** How late a running service notices that a key was ended or an account disabled, in milliseconds. */
const REMEMBERED_MS = 100;

/** Keys whose accounts are remembered at the same time. */
const REMEMBERED_KEYS = 1_000;

/** Accounts and their keys (supplement, "Accounts"). `account` is an id or a name. */
export interface Accounts {
  authenticate: Authenticate;
  /** The account with an id, as `key` would find it; undefined when there is none or it is disabled. */
  find(id: string, key: Account['key']): Promise<Account | undefined>;
  /** @throws {UserError} when the name is taken or empty */
  create(account: NewAccount): Promise<{ id: string; key: string }>;
  /** The id of the account with a name; a paid, unlimited one without keys is made where there is none. */
  ensure(name: string): Promise<string>;
  list(): Promise<AccountSummary[]>;
  /** Gives the account a new key and ends its old ones. */
  rotate(account: string): Promise<{ id: string; key: string }>;
  /**
   * Adds seconds of speech; a negative number takes them away, down to none.
   *
   * @throws {UserError} when the account is unlimited
   */
  credit(account: string, seconds: number): Promise<{ id: string; balance: number }>;
  disable(account: string, disabled: boolean): Promise<{ id: string; disabled: boolean }>;
}

export function createAccounts(db: Kysely<Tables>): Accounts {
  const columns = [
    'accounts.id',
    'accounts.name',
    'accounts.tier',
    'accounts.balance_ms',
    'accounts.disabled_at',
  ] as const;
  const remember = createBriefMemory<Account>({ ms: REMEMBERED_MS, size: REMEMBERED_KEYS });
  // Asked for every request, so put together once.
  const byKey = db
    .selectFrom('api_keys')
    .innerJoin('accounts', 'accounts.id', 'api_keys.account_id')
    .select([...columns, 'api_keys.hash'])
    .where('api_keys.lookup', '=', '')
    .compile();
  const byId = db.selectFrom('accounts').select(columns).where('id', '=', '').compile();

  async function rowOf(account: string): Promise<AccountRow> {
    const rows = await db
      .selectFrom('accounts')
      .selectAll()
      .where((where) => where.or([where('id', '=', account), where('name', '=', account)]))
      .execute();
    const row = rows.find(({ id }) => id === account) ?? rows[0];
    if (!row) throw new UserError(`There is no account "${account}".`);
    return row;
  }

  async function add(account: NewAccount): Promise<string | undefined> {
    const row = await db
      .insertInto('accounts')
      .values({
        id: randomUUID(),
        name: account.name,
        tier: account.tier,
        balance_ms: account.credits === null ? null : Math.round(account.credits * 1000),
        created_at: Date.now(),
        disabled_at: null,
      })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .returning('id')
      .executeTakeFirst();
    return row?.id;
  }

  async function addKey(db: Kysely<Tables>, id: string): Promise<{ id: string; key: string }> {
    const key = createKey();
    await db
      .insertInto('api_keys')
      .values({ ...digestKey(key), account_id: id, created_at: Date.now() })
      .execute();
    return { id, key };
  }

  return {
    async authenticate(key) {
      if (key === undefined) return undefined;
      const { hash, lookup, tail } = digestKey(key);
      return remember(hash, async () => {
        const { rows } = await db.executeQuery<FoundRow & { hash: string }>({
          ...byKey,
          parameters: [lookup],
        });
        const row = rows.find((candidate) => sameHash(candidate.hash, hash));
        return row && accountOf(row, { id: lookup, tail });
      });
    },
    async find(id, key) {
      return remember(`${id} ${key.id}`, async () => {
        const { rows } = await db.executeQuery<FoundRow>({ ...byId, parameters: [id] });
        return rows[0] && accountOf(rows[0], key);
      });
    },
    async create(account) {
      const name = account.name.trim();
      if (name === '') throw new UserError('An account needs a name.');
      const id = await add({ ...account, name });
      if (!id) throw new UserError(`There is an account "${name}" already.`);
      return addKey(db, id);
    },
    async ensure(name) {
      await add({ name, tier: 'paid', credits: null });
      return (await rowOf(name)).id;
    },
    async list() {
      const rows = await db.selectFrom('accounts').selectAll().orderBy('created_at').execute();
      const keys = await db.selectFrom('api_keys').select(['account_id', 'tail']).execute();
      return rows.map(({ id, name, tier, balance_ms, disabled_at, created_at }) => ({
        id,
        name,
        tier,
        credits: seconds(balance_ms),
        keys: keys.filter((key) => key.account_id === id).map(({ tail }) => tail),
        disabled: disabled_at !== null,
        created_at: new Date(created_at).toISOString(),
      }));
    },
    async rotate(account) {
      const { id } = await rowOf(account);
      return db.transaction().execute(async (transaction) => {
        await transaction.deleteFrom('api_keys').where('account_id', '=', id).execute();
        return addKey(transaction, id);
      });
    },
    async credit(account, added) {
      const { id, name } = await rowOf(account);
      const row = await db
        .updateTable('accounts')
        .set({ balance_ms: atLeastZero(Math.round(added * 1000)) })
        .where('id', '=', id)
        .where('balance_ms', 'is not', null)
        .returning('balance_ms')
        .executeTakeFirst();
      const balance = seconds(row?.balance_ms ?? null);
      if (balance === null) throw new UserError(`The account "${name}" is unlimited.`);
      return { id, balance };
    },
    async disable(account, disabled) {
      const { id } = await rowOf(account);
      const disabled_at = disabled ? Date.now() : null;
      await db.updateTable('accounts').set({ disabled_at }).where('id', '=', id).execute();
      return { id, disabled };
    },
  };
}

/** The balance with `milliseconds` added, never below zero; unlimited stays unlimited. */
export function atLeastZero(milliseconds: number) {
  const sum = sql`balance_ms + ${milliseconds}`;
  return sql<number | null>`case when ${sum} < 0 then 0 else ${sum} end`;
}

function seconds(milliseconds: number | null): number | null {
  return milliseconds === null ? null : milliseconds / 1000;
}

type FoundRow = Pick<AccountRow, 'id' | 'name' | 'tier' | 'balance_ms' | 'disabled_at'>;

function accountOf(row: FoundRow, key: Account['key']): Account | undefined {
  if (row.disabled_at !== null) return undefined;
  return { id: row.id, name: row.name, tier: row.tier, credits: seconds(row.balance_ms), key };
}
