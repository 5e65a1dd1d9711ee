import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { decodeWav } from '../../../src/audio/wav.ts';
import { createEngine } from '../../../src/engine/builtin.ts';
import { PRESETS } from '../../../src/engine/characters.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import { createFileCache } from '../../../src/service/file-cache.ts';
import { rms } from '../../helpers/measure.ts';
import { startService } from './service.ts';

let root: string;
let real: Engine;
let spoken: number;
let engine: Engine;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'hark-samples-'));
  real = createEngine({ workers: 1 });
  engine = {
    ...real,
    speak(utterance, options) {
      spoken += 1;
      return real.speak(utterance, options);
    },
  };
});

beforeEach(() => {
  spoken = 0;
});

afterAll(async () => {
  await real.close();
  await rm(root, { recursive: true });
});

const SAMPLE = '/v1/voices/aria/samples/ko/happy/engine_api_3.wav';

describe('a sample', () => {
  test('is made when it is first asked for, and still there after a restart', async () => {
    const samplesDir = join(root, 'restart');
    const first = await (async () => {
      await using service = await startService(engine, { samplesDir });
      return await service.call(SAMPLE);
    })();
    await using service = await startService(engine, { samplesDir });
    const again = await service.call(SAMPLE);
    expect(spoken).toBe(1);
    expect(again.bytes.equals(first.bytes)).toBe(true);
    const { samples, sampleRate } = decodeWav(again.bytes);
    expect(rms(samples)).toBeGreaterThan(100);
    expect(Number(again.headers['x-audio-length'])).toBeCloseTo(samples.length / sampleRate, 3);
  });

  test('is made once when many ask for it at the same time', async () => {
    await using service = await startService(engine, { samplesDir: join(root, 'together') });
    const answers = await Promise.all(Array.from({ length: 10 }, () => service.call(SAMPLE)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(spoken).toBe(1);
  });

  test('is made for those who still wait when the first one leaves', async () => {
    await using service = await startService(engine, { samplesDir: join(root, 'leaving') });
    const leaving = new AbortController();
    const left = service.call(SAMPLE, { signal: leaving.signal });
    const stays = service.call(SAMPLE);
    leaving.abort();
    await expect(left).rejects.toThrow();
    expect((await stays).status).toBe(200);
  });

  test('of a voice that changed is made anew', async () => {
    const samplesDir = join(root, 'changed');
    const [voice] = PRESETS;
    if (!voice) throw new Error('there are no presets');
    for (const pitch of [voice.pitch, voice.pitch + 1]) {
      const presets = [{ ...voice, pitch }];
      await using service = await startService(engine, { samplesDir, presets });
      await service.call(SAMPLE);
    }
    expect(spoken).toBe(2);
  });

  test('plays even if it cannot be kept', async () => {
    const notADirectory = join(root, 'file');
    await writeFile(notADirectory, '');
    await using service = await startService(engine, { samplesDir: join(notADirectory, 'x') });
    expect((await service.call(SAMPLE)).status).toBe(200);
  });
});

describe('files that can be made again', () => {
  test('stay within their bound, and the oldest goes first', async () => {
    const directory = join(root, 'bound');
    const files = createFileCache(directory, 2_500);
    for (const [age, key] of [
      [30, 'a'],
      [20, 'b'],
      [10, 'c'],
    ] as const) {
      const before = new Set(await readdir(directory).catch(() => []));
      await files.write(key, Buffer.alloc(1_000, key));
      const made = (await readdir(directory)).find((name) => !before.has(name));
      const time = new Date(Date.now() - age * 60_000);
      if (made) await utimes(join(directory, made), time, time);
    }
    expect(await files.read('a')).toBeUndefined();
    expect((await files.read('b'))?.toString()).toBe('b'.repeat(1_000));
    expect((await files.read('c'))?.toString()).toBe('c'.repeat(1_000));
  });

  test('cannot lead out of their directory, whatever the key', async () => {
    const directory = join(root, 'inside');
    const files = createFileCache(directory, 10_000);
    for (const key of ['../../escaped', '/etc/passwd', 'a\0b', '..']) {
      await files.write(key, Buffer.from(key));
      expect((await files.read(key))?.toString()).toBe(key);
    }
    expect((await readdir(directory)).length).toBe(4);
  });

  test('that were never finished are taken away', async () => {
    const directory = join(root, 'unfinished');
    const files = createFileCache(directory, 10_000);
    await files.write('a', Buffer.from('a'));
    const left = join(directory, 'b.part');
    await writeFile(left, 'half');
    const yesterday = new Date(Date.now() - 86_400_000);
    await utimes(left, yesterday, yesterday);
    await files.write('c', Buffer.from('c'));
    expect((await readdir(directory)).length).toBe(2);
  });
});
