import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';

const MAIN = fileURLToPath(new URL('../../../src/service/main.ts', import.meta.url));

const directories: string[] = [];

afterAll(() => {
  for (const directory of directories) rmSync(directory, { recursive: true });
});

function newDataDir(): string {
  const directory = mkdtempSync(join(tmpdir(), 'hark-main-'));
  directories.push(directory);
  return directory;
}

/** The program as `npm run service` starts it, with nothing in its environment but what is given. */
function start(environment: Record<string, string>) {
  const child = spawn(process.execPath, [MAIN], {
    env: { SERVICE_PORT: '0', DATA_DIR: newDataDir(), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const ended = once(child, 'close');
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  return {
    child,
    output: () => output,
    /** Waits for something to be printed. */
    async printed(pattern: RegExp): Promise<RegExpExecArray> {
      for (;;) {
        const found = pattern.exec(output);
        if (found) return found;
        await Promise.race([
          once(child.stdout, 'data'),
          ended.then(() => Promise.reject(new Error(`it ended and printed only: ${output}`))),
        ]);
      }
    },
    /** Resolves to the exit code, when all output is there. */
    async exitCode(): Promise<number | null> {
      const [code] = await ended;
      return code;
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

test('the service prints its address and a key that works, and ends in order when asked', async () => {
  await using program = start({});
  const [, url, key] = await program.printed(/listens on (\S+)\n.*: (\S+)\n/);
  const answer = await fetch(`${url}/v1/voices`, { headers: { 'x-sup-api-key': key ?? '' } });
  expect(answer.status).toBe(200);
  await answer.arrayBuffer();
  program.child.kill('SIGTERM');
  expect(await program.exitCode()).toBe(0);
});

test('the key of the first start opens every later one, which prints none', async () => {
  const DATA_DIR = newDataDir();
  await using first = start({ DATA_DIR });
  const [, key = ''] = await first.printed(/API key.*: (\S+)\n/);
  first.child.kill('SIGTERM');
  expect(await first.exitCode()).toBe(0);

  await using second = start({ DATA_DIR });
  const [, url] = await second.printed(/listens on (\S+)\n/);
  const answer = await fetch(`${url}/v1/credits`, { headers: { 'x-sup-api-key': key } });
  expect(await answer.json()).toEqual({ balance: null });
  second.child.kill('SIGTERM');
  expect(await second.exitCode()).toBe(0);
  expect(second.output()).not.toMatch(/key/i);
});

test("120 speeches a minute are a key's limit, unless another one is set", async () => {
  const VOICE_API_KEY = 'the-key-of-the-team';
  const speech = { text: 'Hi', language: 'en', model: 'sona_speech_1' };
  for (const [environment, limit] of [
    [{}, 120],
    [{ SPEECH_RATE: '2' }, 2],
  ] as const) {
    await using program = start({ VOICE_API_KEY, ...environment });
    const [, url] = await program.printed(/listens on (\S+)\n/);
    const statuses: number[] = [];
    for (let index = 0; index <= limit; index += 1) {
      const answer = await fetch(`${url}/v1/text-to-speech/aria`, {
        method: 'POST',
        headers: { 'x-sup-api-key': VOICE_API_KEY, 'content-type': 'application/json' },
        body: JSON.stringify(speech),
      });
      await answer.arrayBuffer();
      statuses.push(answer.status);
    }
    expect(statuses).toEqual([...Array(limit).fill(200), 429]);
  }
});

test('a key that is set is used and never printed', async () => {
  const VOICE_API_KEY = 'the-key-of-the-team';
  await using program = start({ VOICE_API_KEY, LOG_LEVEL: 'trace' });
  const [, url] = await program.printed(/listens on (\S+)\n/);
  const headers = { 'x-sup-api-key': VOICE_API_KEY };
  const answer = await fetch(`${url}/v1/voices?page_size=${VOICE_API_KEY}`, { headers });
  expect(answer.status).toBe(400);
  await answer.arrayBuffer();
  program.child.kill('SIGINT');
  expect(await program.exitCode()).toBe(0);
  expect(program.output()).not.toContain(VOICE_API_KEY);
});

test('every fault of the configuration is told at once', async () => {
  await using program = start({ SERVICE_PORT: 'loud', LOG_LEVEL: 'shout' });
  expect(await program.exitCode()).toBe(1);
  expect(program.output()).toMatch(/SERVICE_PORT.*\n.*LOG_LEVEL/);
});

test('a port that is taken is an error that says so, and nothing stays behind', async () => {
  await using first = start({});
  const [, port] = await first.printed(/listens on http:\/\/127\.0\.0\.1:(\d+)\n/);
  await using second = start({ SERVICE_PORT: port ?? '' });
  expect(await second.exitCode()).toBe(1);
  expect(second.output()).toContain('EADDRINUSE');
});
