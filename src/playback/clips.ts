import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AudioFormatError } from '../audio/errors.ts';
import { type OpusClip, readOggOpus } from '../audio/ogg-packets.ts';
import type { Logger } from '../log.ts';

/** Speech that was made before, as Ogg Opus files on disk: the least recently heard ones go first. */
export interface ClipCache {
  /** Never rejects: what cannot be read is forgotten. */
  get(key: string): Promise<OpusClip | undefined>;
  /** Keeps a file. Written behind the caller; when the disk is too slow, it is not kept. */
  put(key: string, file: Uint8Array): void;
  /** Bytes of all files. */
  readonly bytes: number;
  /** Waits for what is being written. */
  close(): Promise<void>;
}

export interface ClipCacheOptions {
  /** Folder of the files, made when it is not there. Nothing else may lie in it. */
  dir: string;
  /** Bytes of all files together. */
  maxBytes: number;
  log: Logger;
}

/** Changes when older files would sound otherwise than new ones. */
const FORMAT = 'opus-48000-mono-64k-1';

const SUFFIX = '.ogg';

/** Bytes of packets that are kept in memory too: eight minutes. */
const HOT_BYTES = 4 * 1024 * 1024;

/** Files that may wait to be written. */
const MAX_WRITES = 16;

/** The name under which a speech is kept; fields that are undefined or in another order make no difference. */
export function clipKey(parts: Readonly<Record<string, unknown>>): string {
  const sorted = (_: string, value: unknown) =>
    value && typeof value === 'object' && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value;
  return createHash('sha256').update(FORMAT).update(JSON.stringify(parts, sorted)).digest('hex');
}

/** Opens the cache; what an earlier run left unfinished is removed. */
export async function openClipCache({ dir, maxBytes, log }: ClipCacheOptions): Promise<ClipCache> {
  await mkdir(dir, { recursive: true });
  /** Sizes of the files by key, the least recently heard first. */
  const sizes = await findFiles(dir);
  const hot = new Map<string, { clip: OpusClip; bytes: number }>();
  let bytes = sizes.values().reduce((sum, size) => sum + size, 0);
  let hotBytes = 0;
  let writes = 0;
  /** File operations, one after the other, so that a file is never written and removed at once. */
  let work: Promise<void> = Promise.resolve();
  const path = (key: string) => join(dir, key + SUFFIX);

  function later(what: string, operation: () => Promise<void>): void {
    work = work.then(operation).catch((err: unknown) => {
      log.warn({ err }, `a clip was not ${what}`);
    });
  }

  function heat(key: string, clip: OpusClip, size: number): void {
    cool(key);
    if (size > HOT_BYTES / 4) return;
    hot.set(key, { clip, bytes: size });
    hotBytes += size;
    for (const [coldest] of hot) {
      if (hotBytes <= HOT_BYTES) break;
      cool(coldest);
    }
  }

  function cool(key: string): void {
    hotBytes -= hot.get(key)?.bytes ?? 0;
    hot.delete(key);
  }

  function forget(key: string): void {
    bytes -= sizes.get(key) ?? 0;
    sizes.delete(key);
    cool(key);
    later('removed', () => rm(path(key), { force: true }));
  }

  function note(key: string, size: number): void {
    bytes += size - (sizes.get(key) ?? 0);
    sizes.delete(key);
    sizes.set(key, size);
    trim();
  }

  function trim(): void {
    for (const [oldest] of sizes) {
      if (bytes <= maxBytes) break;
      forget(oldest);
    }
  }

  async function read(key: string, size: number): Promise<OpusClip | undefined> {
    try {
      const clip = await readOggOpus(await readFile(path(key)));
      heat(key, clip, size);
      return clip;
    } catch (err) {
      const damaged = err instanceof AudioFormatError;
      const removed = (err as NodeJS.ErrnoException).code === 'ENOENT';
      if (!removed)
        log.warn({ err }, damaged ? 'a damaged clip was removed' : 'a clip was not read');
      if (damaged || removed) forget(key);
      return undefined;
    }
  }

  async function write(key: string, file: Uint8Array): Promise<void> {
    const unfinished = join(dir, `${key}.${randomUUID()}`);
    try {
      await writeFile(unfinished, file, { flag: 'wx' });
      await rename(unfinished, path(key));
    } catch (error) {
      await rm(unfinished, { force: true });
      throw error;
    }
    cool(key);
    note(key, file.length);
  }

  trim();

  return {
    async get(key) {
      const size = sizes.get(key);
      if (size === undefined) return undefined;
      note(key, size);
      const now = new Date();
      later('marked as heard', () => utimes(path(key), now, now));
      const ready = hot.get(key);
      if (!ready) return read(key, size);
      heat(key, ready.clip, ready.bytes);
      return ready.clip;
    },
    put(key, file) {
      if (writes >= MAX_WRITES || file.length > maxBytes) return;
      writes += 1;
      later('kept', async () => {
        try {
          await write(key, file);
        } finally {
          writes -= 1;
        }
      });
    },
    get bytes() {
      return bytes;
    },
    close: () => work,
  };
}

/** The finished files, the least recently heard first. */
async function findFiles(dir: string): Promise<Map<string, number>> {
  const found: { key: string; size: number; heard: number }[] = [];
  for (const name of await readdir(dir)) {
    const path = join(dir, name);
    if (!/^[0-9a-f]{64}\.ogg$/.test(name)) {
      await rm(path, { force: true, recursive: true });
      continue;
    }
    const { size, mtimeMs } = await stat(path);
    found.push({ key: name.slice(0, -SUFFIX.length), size, heard: mtimeMs });
  }
  found.sort((a, b) => a.heard - b.heard);
  return new Map(found.map(({ key, size }) => [key, size]));
}
