import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';

/** Milliseconds after which a program that hangs fails the bench, in place of holding it up. */
const START_MS = 30_000;

const ROOT = new URL('../..', import.meta.url).pathname;

/** What `npm start` runs, without npm around it. */
export async function startCommand(): Promise<[string, ...string[]]> {
  const { scripts } = JSON.parse(await readFile(`${ROOT}package.json`, 'utf8'));
  const [, ...args] = String(scripts.start).split(' ');
  return [process.execPath, ...args];
}

/**
 * Starts the whole program in a process of its own against a sandbox, and waits until it is ready.
 *
 * @returns the process, and the milliseconds that it took
 */
export async function startProgram(
  command: readonly [string, ...string[]],
  sandbox: Sandbox,
): Promise<AsyncDisposable & { child: ChildProcess; milliseconds: number }> {
  const [program, ...args] = command;
  const data = await mkdtemp(join(tmpdir(), 'hark-bench-'));
  const startedAt = performance.now();
  const child = spawn(program, args, {
    cwd: ROOT,
    env: {
      ...process.env,
      DISCORD_TOKEN: sandbox.token,
      DISCORD_API_URL: sandbox.apiUrl,
      DATA_DIR: data,
      LOG_LEVEL: 'info',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
    // A group of its own, for npm hands a signal to its shell alone and the program would live on.
    detached: true,
  });
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stdout, signal: AbortSignal.timeout(START_MS) });
  let ready = false;
  for await (const line of lines) {
    ready = line.includes('"msg":"ready"');
    if (ready) break;
  }
  if (!ready) {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
    throw new Error(
      `the program was not ready within ${START_MS} ms (exit code ${child.exitCode})`,
    );
  }
  child.stdout.resume();
  return {
    child,
    milliseconds: performance.now() - startedAt,
    async [Symbol.asyncDispose]() {
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM');
      await exited;
      await rm(data, { recursive: true });
    },
  };
}
