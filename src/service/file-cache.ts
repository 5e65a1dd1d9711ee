import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Files that can be made again, kept in a directory within a bound in bytes; the oldest goes first. */
export interface FileCache {
  read(key: string): Promise<Buffer | undefined>;
  /** Keeps a file. A reader finds it whole or not at all, also in another process. */
  write(key: string, bytes: Uint8Array): Promise<void>;
}

/** What is not finished has this suffix; a process that was killed may leave one behind. */
const UNFINISHED = '.part';

/** A file cache in `directory`, which is made when the first file is kept. */
export function createFileCache(directory: string, maxBytes: number): FileCache {
  let trimming: Promise<void> | undefined;

  // A digest, so that no key can name a path.
  function pathOf(key: string): string {
    return join(directory, createHash('sha256').update(key).digest('hex'));
  }

  async function trim(): Promise<void> {
    const names = await readdir(directory);
    const found = await Promise.all(
      names.map(async (name) => {
        const path = join(directory, name);
        const { size, mtimeMs } = await unlessGone(stat(path), { size: 0, mtimeMs: 0 });
        return { path, size, mtimeMs, unfinished: name.endsWith(UNFINISHED) };
      }),
    );
    const anHourAgo = Date.now() - 3_600_000;
    let bytes = found.reduce((sum, { size }) => sum + size, 0);
    for (const file of found.toSorted((a, b) => a.mtimeMs - b.mtimeMs)) {
      const left = file.unfinished && file.mtimeMs < anHourAgo;
      if (!left && bytes <= maxBytes) continue;
      await rm(file.path, { force: true });
      bytes -= file.size;
    }
  }

  return {
    read: (key) => unlessGone(readFile(pathOf(key)), undefined),
    async write(key, bytes) {
      await mkdir(directory, { recursive: true });
      const path = pathOf(key);
      const part = `${path}.${randomBytes(6).toString('hex')}${UNFINISHED}`;
      try {
        await writeFile(part, bytes);
        await rename(part, path);
      } catch (error) {
        await rm(part, { force: true });
        throw error;
      }
      trimming ??= trim().finally(() => {
        trimming = undefined;
      });
      await trimming;
    },
  };
}

/** The outcome, or `otherwise` when there is no such file. */
async function unlessGone<T, U>(found: Promise<T>, otherwise: U): Promise<T | U> {
  try {
    return await found;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return otherwise;
    throw error;
  }
}
