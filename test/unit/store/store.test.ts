import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createLog } from '../../../src/log.ts';
import { createGuildSettings, guildsWithSession } from '../../../src/store/guild-settings.ts';
import { createMemberSettings, memberKey } from '../../../src/store/member-settings.ts';
import { openStore, type Store } from '../../../src/store/store.ts';

async function storeInFolder(): Promise<{ store: Store; dataDir: string; reopen(): Store }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'hark-store-'));
  const open: Store[] = [];
  const reopen = () => {
    const store = openStore(undefined, { dataDir });
    open.push(store);
    return store;
  };
  onTestFinished(async () => {
    for (const store of open) await store.close();
    await rm(dataDir, { recursive: true });
  });
  return { store: reopen(), dataDir, reopen };
}

function logOf(lines: string[] = []) {
  return createLog('debug', [], { write: (line) => void lines.push(line) });
}

describe('what is remembered', () => {
  it('is there again for the next process, also when this one was killed', async () => {
    const { dataDir, reopen } = await storeInFolder();
    const url = (path: string) => JSON.stringify(new URL(`../../../src/${path}`, import.meta.url));
    const script = `
      import { openStore } from ${url('store/store.ts')};
      import { createGuildSettings } from ${url('store/guild-settings.ts')};
      import { createLog } from ${url('log.ts')};
      const settings = createGuildSettings(openStore(undefined, { dataDir: process.argv[1] }), createLog('silent'));
      for (let volume = 1; ; volume = (volume % 200) + 1) {
        await settings.update('1', { volume, skipPrefix: String(volume) });
        process.stdout.write(volume + '\\n');
      }`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script, dataDir], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let told = '';
    for await (const chunk of child.stdout) {
      told += chunk;
      if (told.split('\n').length > 50) break;
    }
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    const settings = await createGuildSettings(reopen(), logOf()).get('1');
    expect(settings.skipPrefix).toBe(String(settings.volume));
    // What was told was kept; the process may have gone on before it heard the signal.
    expect(settings.volume).toBeGreaterThanOrEqual(50);
  });

  it('keeps one guild and one kind of record apart from the other', async () => {
    const { store } = await storeInFolder();
    const guilds = createGuildSettings(store, logOf());
    const members = createMemberSettings(store, logOf());
    await guilds.update('1', { volume: 50 });
    await members.update(memberKey('1', '1'), { spokenName: '민준' });
    expect((await guilds.get('2')).volume).toBe(100);
    expect((await members.get(memberKey('1', '1'))).spokenName).toBe('민준');
    expect((await members.get(memberKey('2', '1'))).spokenName).toBeUndefined();
    await store.space('member').clear();
    expect((await guilds.get('1')).volume).toBe(50);
  });

  it('forgets what has a time to live when that is over', async () => {
    const { store } = await storeInFolder();
    const space = store.space('short');
    await space.set('a', 1, 1);
    await space.set('b', 2, 60_000);
    await expect.poll(() => space.getMany(['a', 'b'])).toEqual([undefined, 2]);
    expect(await Array.fromAsync(space.iterator())).toEqual([['b', 2]]);
    expect(await space.deleteMany(['a', 'b', 'c'])).toEqual([false, true, false]);
  });

  it('walks through more entries than a page, each once, while others are written', async () => {
    const { store } = await storeInFolder();
    const space = store.space('many');
    await space.setMany(Array.from({ length: 250 }, (_, i) => ({ key: `ключ-${i}`, value: i })));
    const seen: unknown[] = [];
    for await (const [key] of space.iterator()) {
      seen.push(key);
      await store.space('other').set(String(key), 1);
    }
    expect(new Set(seen).size).toBe(250);
    expect(seen).toHaveLength(250);
  });
});

describe('settings of a guild', () => {
  it('lose none of many changes made at once', async () => {
    const { store } = await storeInFolder();
    const settings = createGuildSettings(store, logOf());
    await Promise.all([
      ...Array.from({ length: 40 }, (_, i) =>
        settings.update('1', ({ readChannelIds }) => ({
          readChannelIds: [...readChannelIds, String(i)],
        })),
      ),
      settings.update('1', { volume: 20 }),
      settings.update('2', { volume: 30 }),
    ]);
    expect((await settings.get('1')).readChannelIds).toHaveLength(40);
    expect((await settings.get('1')).volume).toBe(20);
    expect((await settings.get('2')).volume).toBe(30);
  });

  it('go on after a change that could not be made', async () => {
    const { store } = await storeInFolder();
    const settings = createGuildSettings(store, logOf());
    const [bad, good] = await Promise.allSettled([
      settings.update('1', { volume: 900 }),
      settings.update('1', { volume: 90 }),
    ]);
    expect(bad.status).toBe('rejected');
    expect(good.status).toBe('fulfilled');
    expect((await settings.get('1')).volume).toBe(90);
  });

  it.each([
    ['no JSON', '{'],
    ['another shape', JSON.stringify({ value: { version: 1, volume: 'loud' } })],
    ['a later version', JSON.stringify({ value: { version: 9 } })],
  ])('are the defaults when the record is %s, and the log says so', async (_, value) => {
    const { store, dataDir } = await storeInFolder();
    const lines: string[] = [];
    const settings = createGuildSettings(store, logOf(lines));
    const database = new DatabaseSync(join(dataDir, 'store.db'));
    database.prepare('insert into keyv values (?, ?, ?, null)').run('guild', '1', value);
    database.close();
    expect((await settings.get('1')).volume).toBe(100);
    expect(lines.join()).toContain('broken record');
    await settings.update('1', { volume: 70 });
    expect((await settings.get('1')).volume).toBe(70);
  });

  it('drop fields that they do not know', async () => {
    const { store } = await storeInFolder();
    await store.space('guild').set('1', { version: 1, volume: 60, colour: 'red' });
    const settings = await createGuildSettings(store, logOf()).get('1');
    expect(settings.volume).toBe(60);
    expect(settings).not.toHaveProperty('colour');
  });

  it('tell where Hark was speaking', async () => {
    const { store } = await storeInFolder();
    const settings = createGuildSettings(store, logOf());
    await settings.update('1', { session: { channelId: '5', textChannelId: '6' } });
    await settings.update('2', { volume: 10 });
    await settings.update('3', { session: { channelId: '7', textChannelId: '8' } });
    await settings.update('3', { session: undefined });
    expect(await Array.fromAsync(guildsWithSession(store))).toEqual([
      { guildId: '1', channelId: '5', textChannelId: '6' },
    ]);
  });

  it('cannot be taken for unset when the database fails', async () => {
    const { store } = await storeInFolder();
    const settings = createGuildSettings(store, logOf());
    await store.close();
    await expect(settings.get('1')).rejects.toThrow();
  });
});
