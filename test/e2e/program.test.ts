import { type ChildProcess, spawn } from 'node:child_process';
import { on, once } from 'node:events';
import { glob, mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { ApplicationCommandOptionType } from 'discord.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';
import { discordDescription } from '../helpers/openapi.ts';

const ROOT = new URL('../..', import.meta.url).pathname;

let dataDir: string;
let sandbox: Sandbox;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'hark-program-'));
  // Three seconds are Discord's limit; a program that has just started on a busy machine gets more.
  sandbox = await startSandbox({ answerWithin: 15_000 });
});
afterAll(async () => {
  await sandbox.close();
  await rm(dataDir, { recursive: true });
});

/** Starts one of Hark's programs with nothing in its environment but what is given. */
function run(
  script: string,
  args: string[],
  environment: Record<string, string>,
  cwd = ROOT,
): ChildProcess {
  const child = spawn(process.execPath, [script, ...args], {
    cwd,
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return child;
}

async function ended(child: ChildProcess) {
  if (!child.stdout || !child.stderr) throw new Error('no output');
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ]);
  return { stdout, stderr, code };
}

const start = () =>
  run('src/main.ts', [], {
    DISCORD_TOKEN: sandbox.token,
    DISCORD_API_URL: sandbox.apiUrl,
    DATA_DIR: dataDir,
  });

/** Waits until the program has written a line with this in it. */
async function logged(child: ChildProcess, part: string): Promise<void> {
  let written = '';
  for await (const [chunk] of on(child.stdout ?? child, 'data')) {
    written += chunk;
    if (written.includes(part)) return;
  }
}

/** Commands sent to Discord so far. */
const registrations = () => sandbox.requests.filter(({ method }) => method === 'PUT').length;

describe('npm start', () => {
  it('says in one sentence what to set when there is no token', async () => {
    const { stdout, stderr, code } = await ended(run('src/main.ts', [], {}));
    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(stderr.trim()).toMatch(/^Set DISCORD_TOKEN .*"npm run demo".*\.$/);
  });

  it('names every variable at fault', async () => {
    const { stderr, code } = await ended(
      run('src/main.ts', [], { SERVICE_PORT: 'x', LOG_LEVEL: 'loud' }),
    );
    expect(code).toBe(1);
    expect(stderr).toMatch(/SERVICE_PORT/);
    expect(stderr).toMatch(/LOG_LEVEL/);
  });

  it('says so when Discord does not accept the token', async () => {
    const child = run('src/main.ts', [], {
      DISCORD_TOKEN: 'MTIzNDU2Nzg5MDEyMzQ1Njc4.GaBcDe.wrong-wrong-wrong-wrong-wrong-wrong',
      DISCORD_API_URL: sandbox.apiUrl,
      DATA_DIR: dataDir,
    });
    const { stderr, code } = await ended(child);
    expect(code).toBe(1);
    expect(stderr).toMatch(/DISCORD_TOKEN/);
    expect(stderr).not.toContain('wrong-wrong');
  });

  it('says in one sentence that Discord cannot be reached', async () => {
    const nobody = createServer().listen(0, '127.0.0.1');
    await once(nobody, 'listening');
    const { port } = nobody.address() as AddressInfo;
    nobody.close();
    await once(nobody, 'close');
    const { stderr, code } = await ended(
      run('src/main.ts', [], {
        DISCORD_TOKEN: sandbox.token,
        DISCORD_API_URL: `http://127.0.0.1:${port}/api`,
        DATA_DIR: dataDir,
      }),
    );
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^Discord cannot be reached \(.*ECONNREFUSED.*\): .*DISCORD_API_URL.*\.\n$/,
    );
  });

  it('registers its commands at the first start, and not again while they are the same', async () => {
    for (const sent of [1, 1]) {
      const child = start();
      const output = ended(child);
      await sandbox.ready();
      await sandbox.run('/voices');
      child.kill('SIGTERM');
      expect((await output).code).toBe(0);
      expect(registrations()).toBe(sent);
    }
  });

  it('finishes what is being said when it is asked to stop', async () => {
    const child = start();
    const output = ended(child);
    await logged(child, '"msg":"ready"');
    const answer = sandbox.run('/say', { text: 'One sentence of many. '.repeat(20) });
    await once(sandbox.events, 'request');
    child.kill('SIGTERM');
    expect((await answer).messages[0]?.voiceMessage).toBe(true);
    const { code, stdout, stderr } = await output;
    expect(code).toBe(0);
    expect(stdout + stderr).not.toContain(sandbox.token);
  });
});

describe('npm run demo', () => {
  const demo = async (text: string, environment: Record<string, string> = {}) => {
    const folder = await mkdtemp(join(tmpdir(), 'hark-demo-'));
    const { stdout, stderr, code } = await ended(
      run(join(ROOT, 'src/demo.ts'), [text], environment, folder),
    );
    const sounds = await Array.fromAsync(glob('demo/*', { cwd: folder }));
    await rm(folder, { recursive: true });
    return { stdout, stderr, code, sounds };
  };

  it('says the text, and where its sound is and how long it lasts', async () => {
    const { stdout, code, sounds } = await demo('Hello **team** <@1> 🎉 안녕하세요');
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /\[voice message\]\n {2}saved as demo\/say-1\.ogg: \d+\.\d\d s of sound/,
    );
    expect(sounds).toEqual([join('demo', 'say-1.ogg')]);
  });

  it('shows what a member is told of a text that cannot be said, and ends with 1', async () => {
    const { stdout, stderr, code, sounds } = await demo('** **');
    expect(code).toBe(1);
    expect(stdout).toContain('nothing in that text that can be spoken');
    // What was cut off because the program stopped is no fault that a log should tell of.
    expect(stdout).not.toContain('"level"');
    expect(stderr).toBe('Nothing was said, so there is no sound to save.\n');
    expect(sounds).toEqual([]);
  });

  it('says in one sentence what Discord would not send, and what is wrong with a variable', async () => {
    const [long, loud] = await Promise.all([
      demo('x'.repeat(6_001)),
      demo('Hi', { LOG_LEVEL: 'loud' }),
    ]);
    expect(long.code).toBe(1);
    expect(long.stderr).toMatch(
      /^Discord would not let a member send that: .*6001 characters.*\.\n$/,
    );
    expect(loud.code).toBe(1);
    expect(loud.stderr).toMatch(/^LOG_LEVEL must be one of .*\n$/);
  });
});

describe('npm run register -- --print', () => {
  it('prints what Discord gets, which its published description allows', async ({ skip }) => {
    const { stdout, code } = await ended(run('src/register.ts', ['--print'], {}));
    expect(code).toBe(0);
    const commands = JSON.parse(stdout);
    expect(commands.map(({ name }: { name: string }) => name)).toEqual(
      expect.arrayContaining(['say', 'voices']),
    );
    const [text] = commands[0].options;
    expect(text).toMatchObject({ type: ApplicationCommandOptionType.String, required: true });
    const check = discordDescription();
    skip(!check, "Discord's description is not beside the checkout (../shared/data)");
    expect(check?.({ method: 'PUT', path: '/applications/1/commands', body: commands })).toEqual(
      [],
    );
  });
});
