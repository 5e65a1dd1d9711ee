import { parseArgs } from 'node:util';
import { ConfigError, parseConfig } from '../config.ts';
import { UserError } from '../errors.ts';
import { createLog } from '../log.ts';
import { type AccountSummary, type Accounts, createAccounts, TIERS } from './accounts.ts';
import { openStore } from './store/store.ts';

const USAGE = `Usage: npm run -s accounts -- COMMAND [--json]

  create --name NAME --tier free|paid [--credits SECONDS]   without --credits: unlimited
  list
  rotate ACCOUNT             a new key; the old ones end
  credit ACCOUNT SECONDS     adds seconds of speech
  disable ACCOUNT
  enable ACCOUNT

ACCOUNT is an id or a name. A key is shown once, when it is made.`;

/** Seconds of speech that one command may give: over thirty years. */
const MAX_CREDITS = 1e9;

type Given = ReturnType<typeof readArguments>;

function readArguments(args: string[]) {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        id: { type: 'string' },
        name: { type: 'string' },
        tier: { type: 'string' },
        credits: { type: 'string' },
        json: { type: 'boolean' },
        help: { type: 'boolean' },
      },
    });
    const [command, first, second] = positionals;
    return {
      ...values,
      command,
      account: values.id ?? values.name ?? first,
      // An account that is named by an option leaves its place to the number.
      credits: values.credits ?? (values.id || values.name ? first : second),
    };
  } catch (cause) {
    throw new UserError(`${(cause as Error).message}\n\n${USAGE}`, { cause });
  }
}

function accountIn({ account }: Given): string {
  if (!account) throw new UserError('Name the account by its id or its name.');
  return account;
}

function secondsIn(credits: string | undefined): number {
  const seconds = Number(credits?.trim() || Number.NaN);
  if (!(Math.abs(seconds) <= MAX_CREDITS)) {
    throw new UserError(`Credits are seconds of speech, at most ${MAX_CREDITS}.`);
  }
  return seconds;
}

async function run(accounts: Accounts, given: Given): Promise<object> {
  switch (given.command) {
    case 'create': {
      const tier = TIERS.find((name) => name === given.tier);
      if (!tier) throw new UserError(`--tier must be one of: ${TIERS.join(', ')}.`);
      const credits = given.credits === undefined ? null : secondsIn(given.credits);
      if (credits !== null && credits < 0) throw new UserError('--credits must not be negative.');
      return accounts.create({ name: given.name ?? '', tier, credits });
    }
    case 'list':
      return accounts.list();
    case 'rotate':
      return accounts.rotate(accountIn(given));
    case 'credit':
      return accounts.credit(accountIn(given), secondsIn(given.credits));
    case 'disable':
    case 'enable':
      return accounts.disable(accountIn(given), given.command === 'disable');
    default:
      throw new UserError(USAGE);
  }
}

/** An answer for a person: an account a line, or a field a line. */
function shown(answer: object): string {
  if (!Array.isArray(answer)) {
    return Object.entries(answer)
      .map(([name, value]) => `${name}  ${value}`)
      .join('\n');
  }
  const rows = answer.map((account: AccountSummary) => [
    account.id,
    account.tier,
    account.credits === null ? 'unlimited' : `${account.credits} s`,
    account.disabled ? 'disabled' : 'active',
    account.keys.map((tail) => `****${tail}`).join(' '),
    account.name,
  ]);
  const table = [['ID', 'TIER', 'CREDITS', 'STATE', 'KEYS', 'NAME'], ...rows];
  const widths = table[0]?.map((_, column) =>
    Math.max(...table.map((row) => row[column]?.length ?? 0)),
  );
  return table
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths?.[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

try {
  const given = readArguments(process.argv.slice(2));
  if (given.help) console.log(USAGE);
  else {
    const config = parseConfig(process.env);
    const store = await openStore(config.databaseUrl, createLog('silent'));
    try {
      const answer = await run(createAccounts(store.db), given);
      console.log(given.json ? JSON.stringify(answer) : shown(answer));
    } finally {
      await store.close();
    }
  }
} catch (error) {
  const told = error instanceof ConfigError || error instanceof UserError;
  console.error(told ? error.message : error);
  process.exitCode = 1;
}
