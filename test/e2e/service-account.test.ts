import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createLog } from '../../src/log.ts';
import { createAccounts } from '../../src/service/accounts.ts';
import { openStore } from '../../src/service/store/store.ts';
import { startTestBot } from '../helpers/bot.ts';

test('what the bot has spoken is on record in an account of its own, through restarts', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'hark-account-'));
  try {
    for (const text of ['Before the restart', '다시 시작한 뒤']) {
      await using bot = await startTestBot({ DATA_DIR: dataDir });
      const { messages } = await bot.sandbox.run('/say', { text });
      expect(messages).toHaveLength(1);
    }
    const store = await openStore(`sqlite:${join(dataDir, 'service.db')}`, createLog('silent'));
    const [account, ...others] = await createAccounts(store.db).list();
    const usage = await store.db.selectFrom('usage').selectAll().execute();
    await store.close();
    expect(others).toEqual([]);
    // The key of each start is in nobody's hands: nothing of it is kept.
    expect(account).toMatchObject({ name: 'bot', credits: null, keys: [] });
    expect(usage.length).toBeGreaterThanOrEqual(2);
    for (const row of usage) {
      expect(row).toMatchObject({ account_id: account?.id, voice_id: expect.any(String) });
      expect(row.length_ms).toBeGreaterThan(300);
    }
  } finally {
    await rm(dataDir, { recursive: true });
  }
});
