import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAudioEncoder } from '../../../src/audio/encoder.ts';
import { createLog } from '../../../src/log.ts';
import { type ClipCache, clipKey, openClipCache } from '../../../src/playback/clips.ts';
import { decodeOggOpus } from '../../helpers/ogg.ts';
import { decodePackets } from '../../helpers/packets.ts';
import { inChunks, voice } from '../../helpers/sounds.ts';

const log = createLog('silent');
let dir = '';
let file = new Uint8Array();
const folder = () => mkdtemp(join(dir, 'cache-'));
const key = (name: string) => clipKey({ name });

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'hark-clips-'));
  const encoder = createAudioEncoder();
  const sound = { sampleRate: 48_000, chunks: inChunks(voice(150, 48_000, 48_000), 4_800) };
  const onFile = (made: Uint8Array<ArrayBuffer>) => {
    file = made;
  };
  const packets = encoder.opusPackets(sound, new AbortController().signal, {
    onFile: (made) => onFile(new Uint8Array(made)),
  });
  await Array.fromAsync(packets);
  await encoder.close();
});
afterAll(() => rm(dir, { recursive: true }));

async function kept(cache: ClipCache, names: readonly string[]): Promise<string[]> {
  const found = await Promise.all(names.map((name) => cache.get(key(name))));
  return names.filter((_, i) => found[i]);
}

test('what was said is there again after a restart, packet by packet', async () => {
  const where = await folder();
  const first = await openClipCache({ dir: where, maxBytes: 1e6, log });
  expect(await first.get(key('a'))).toBeUndefined();
  first.put(key('a'), file);
  await first.close();
  const second = await openClipCache({ dir: where, maxBytes: 1e6, log });
  const clip = await second.get(key('a'));
  expect(clip?.seconds).toBe(1);
  const heard = decodePackets(clip?.packets ?? []);
  expect(heard.subarray(120, 48_120)).toEqual(await decodeOggOpus(file));
  expect(await second.get(key('a'))).toBe(clip);
  await second.close();
});

test('what was not heard for longest goes first, also over a restart', async () => {
  const where = await folder();
  const maxBytes = file.length * 3;
  const cache = await openClipCache({ dir: where, maxBytes, log });
  for (const name of ['a', 'b', 'c']) cache.put(key(name), file);
  await cache.close();
  await cache.get(key('a'));
  cache.put(key('d'), file);
  await cache.close();
  expect(await kept(cache, ['a', 'b', 'c', 'd'])).toEqual(['a', 'c', 'd']);
  expect(cache.bytes).toBe(maxBytes);
  await cache.get(key('c'));
  await cache.close();
  const smaller = await openClipCache({ dir: where, maxBytes: file.length, log });
  await smaller.close();
  expect(await readdir(where)).toHaveLength(1);
  expect(smaller.bytes).toBe(file.length);
});

test.each([
  ['cut off', (bytes: Buffer) => bytes.subarray(0, 4_000)],
  ['with a flipped bit', (bytes: Buffer) => Buffer.from(bytes).fill(0x55, 3_000, 3_001)],
  ['empty', () => Buffer.alloc(0)],
  ['of another kind', () => Buffer.from('RIFF this is no Ogg file at all, is it?')],
])('a file that is %s is dropped and made anew', async (_, damage) => {
  const where = await folder();
  const cache = await openClipCache({ dir: where, maxBytes: 1e6, log });
  cache.put(key('a'), file);
  await cache.close();
  const [name] = await readdir(where);
  const path = join(where, name ?? '');
  await writeFile(path, damage(await readFile(path)));
  expect(await cache.get(key('a'))).toBeUndefined();
  await cache.close();
  expect(await readdir(where)).toEqual([]);
  cache.put(key('a'), file);
  await cache.close();
  expect((await cache.get(key('a')))?.seconds).toBe(1);
});

test('what an earlier run left half written is removed', async () => {
  const where = await folder();
  await writeFile(join(where, `${key('a')}.half-written`), file.subarray(0, 100));
  const cache = await openClipCache({ dir: where, maxBytes: 1e6, log });
  expect(await readdir(where)).toEqual([]);
  expect(cache.bytes).toBe(0);
});

test('a file larger than the whole cache is not kept', async () => {
  const cache = await openClipCache({ dir: await folder(), maxBytes: file.length - 1, log });
  cache.put(key('a'), file);
  await cache.close();
  expect(await cache.get(key('a'))).toBeUndefined();
});

test('a full disk or a lost folder costs the clip, not the speech', async () => {
  const where = await folder();
  const cache = await openClipCache({ dir: where, maxBytes: 1e6, log });
  await rm(where, { recursive: true });
  cache.put(key('a'), file);
  await cache.close();
  expect(await cache.get(key('a'))).toBeUndefined();
});

test('the name tells apart what sounds different, and nothing else', () => {
  const speech = { text: '안녕하세요 👋', settings: { speed: 1, pitch_shift: 0 }, gain: 1 };
  const same = { gain: 1, settings: { pitch_shift: 0, speed: 1 }, text: '안녕하세요 👋' };
  expect(clipKey(same)).toBe(clipKey(speech));
  for (const other of [
    { ...speech, text: '안녕하세요' },
    { ...speech, gain: 0.5 },
    { ...speech, settings: { speed: 2, pitch_shift: 0 } },
  ]) {
    expect(clipKey(other)).not.toBe(clipKey(speech));
  }
});
