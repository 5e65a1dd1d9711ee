import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { API_KEY_HEADER } from '../../src/contract/limits.ts';

const MAIN = new URL('../../src/service/main.ts', import.meta.url).pathname;
const KEY = 'bench-key-that-is-long-enough';

/** The voice service in a process of its own, as `npm run service` starts it. */
export interface ServiceProcess extends AsyncDisposable {
  /** Sends a speech request; the answer's body is still to be read. */
  ask(text: string, path?: string): Promise<Response>;
  /** Resident memory in MiB. */
  memory(): Promise<number>;
}

/** @param environment - variables on top of what the bench needs */
export async function startServiceProcess(
  environment: Record<string, string> = {},
): Promise<ServiceProcess> {
  const data = await mkdtemp(join(tmpdir(), 'hark-bench-'));
  const child = spawn(process.execPath, [MAIN], {
    env: {
      PATH: process.env.PATH,
      SERVICE_PORT: '0',
      DATA_DIR: data,
      VOICE_API_KEY: KEY,
      SPEECH_RATE: '100000',
      LOG_LEVEL: 'fatal',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  let url = '';
  for await (const line of createInterface({ input: child.stdout })) {
    url = /listens on (\S+)/.exec(line)?.[1] ?? '';
    if (url) break;
  }
  if (!url) throw new Error('the service did not start');
  child.stdout.resume();
  return {
    ask: (text, path = '/v1/text-to-speech/aria') =>
      fetch(url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', [API_KEY_HEADER]: KEY },
        body: JSON.stringify({ text, language: 'en' }),
      }),
    async memory() {
      const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
      return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1_024;
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await exited;
      await rm(data, { recursive: true });
    },
  };
}
