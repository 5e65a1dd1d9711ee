import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { UserError } from '../../../src/errors.ts';
import { createLog } from '../../../src/log.ts';
import { createAccounts } from '../../../src/service/accounts.ts';
import { openStore } from '../../../src/service/store/store.ts';
import { databases } from './databases.ts';

const log = createLog('silent');

describe.each(await databases())('the database on $name', ({ create }) => {
  test('keeps what it holds when it is opened again', async () => {
    await using database = await create();
    const first = await openStore(database.url, log);
    const made = await createAccounts(first.db).create({ name: '팀', tier: 'free', credits: 1.5 });
    await first.close();

    const second = await openStore(database.url, log);
    try {
      const accounts = createAccounts(second.db);
      expect(await accounts.list()).toMatchObject([{ id: made.id, name: '팀', credits: 1.5 }]);
      expect(await accounts.authenticate(made.key)).toMatchObject({ id: made.id, tier: 'free' });
    } finally {
      await second.close();
    }
  });

  test('is made once by programs that start at the same time', async () => {
    await using database = await create();
    const stores = await Promise.all(Array.from({ length: 4 }, () => openStore(database.url, log)));
    try {
      const ids = await Promise.all(stores.map(({ db }) => createAccounts(db).ensure('bot')));
      expect(new Set(ids).size).toBe(1);
    } finally {
      for (const store of stores) await store.close();
    }
  });

  test('of a newer version is refused with a sentence, and left as it is', async () => {
    await using database = await create();
    const newer = await openStore(database.url, log);
    const before = await newer.db.introspection.getTables();
    await newer.db
      .insertInto('migrations' as never)
      .values({ name: '999-later', applied_at: 1 } as never)
      .execute();
    const refused = openStore(database.url, log);
    await expect(refused).rejects.toThrow(UserError);
    await expect(refused).rejects.toThrow(/newer version/);
    expect(await newer.db.introspection.getTables()).toEqual(before);
    await newer.close();
  });
});

test.each([
  ['a file where the directory should be', `sqlite:${fileURLToPath(import.meta.url)}/service.db`],
  ['a file that is no database', `sqlite:${fileURLToPath(import.meta.url)}`],
  ['a server that is not there', 'postgres://someone:secret-word@127.0.0.1:1/none'],
])('%s is said in one sentence without the password', async (_name, url) => {
  const refused = openStore(url, log);
  await expect(refused).rejects.toThrow(UserError);
  await expect(refused).rejects.toThrow(/^The database cannot be opened; check DATABASE_URL/);
  await expect(refused).rejects.not.toThrow(/secret-word/);
});

test('a directory that is not there yet is made for SQLite', async () => {
  const [sqlite] = await databases();
  await using database = (await sqlite?.create()) ?? expect.unreachable();
  const store = await openStore(database.url.replace('service.db', 'deep/er/service.db'), log);
  expect(await createAccounts(store.db).list()).toEqual([]);
  await store.close();
});
