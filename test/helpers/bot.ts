import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type App, startApp } from '../../src/app.ts';
import { parseConfig } from '../../src/config.ts';
import { createLog } from '../../src/log.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/sandbox.ts';
import { trustSandbox } from '../../src/sandbox/trust.ts';
import { discordDescription } from './openapi.ts';

export interface TestBot extends AsyncDisposable {
  sandbox: Sandbox;
  readonly app: App;
  /** Stops the program and starts it again, with what it remembers. */
  restart(): Promise<void>;
  /** What the bot logged, a JSON object a line. */
  logged: string[];
  /** Faults of all requests that the bot has made so far, by Discord's own description; undefined without it. */
  requestFaults(): string[] | undefined;
}

/**
 * The real bot with its real voice service in a sandbox of its own.
 *
 * @param environment - variables on top of those that lead the bot to the sandbox
 * @param options - of the sandbox
 */
export async function startTestBot(
  environment: Record<string, string> = {},
  options: SandboxOptions = {},
): Promise<TestBot> {
  const sandbox = await startSandbox(options);
  const endTrust = trustSandbox(sandbox);
  const dataDir = await mkdtemp(join(tmpdir(), 'hark-bot-'));
  const logged: string[] = [];
  const log = createLog('debug', [sandbox.token], { write: (line) => void logged.push(line) });
  const config = parseConfig({
    DISCORD_API_URL: sandbox.apiUrl,
    DATA_DIR: dataDir,
    ...environment,
  });
  let app = await startApp(config, sandbox.token, log).catch(async (error: unknown) => {
    await sandbox.close();
    await rm(dataDir, { recursive: true });
    throw error;
  });
  return {
    sandbox,
    get app() {
      return app;
    },
    async restart() {
      await app.stop();
      app = await startApp(config, sandbox.token, log);
    },
    logged,
    requestFaults() {
      const check = discordDescription();
      return check && sandbox.requests.flatMap((request) => check(request));
    },
    async [Symbol.asyncDispose]() {
      await app.stop();
      await sandbox.close();
      endTrust();
      await rm(dataDir, { recursive: true });
    },
  };
}
