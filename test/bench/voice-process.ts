import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { writeCertificate } from '../../src/sandbox/trust.ts';
import type { Place, Work, WorkDone } from './voice-speaker.ts';

const SPEAKER = new URL('./voice-speaker.ts', import.meta.url);

/** A bot that does nothing but speak, in a process of its own, so that its costs can be told apart. */
export interface SpeakerProcess extends AsyncDisposable {
  join(places: readonly Place[]): Promise<WorkDone>;
  /** Says the same sound at all places at once; resolves at its end with what it cost. */
  play(how: 'live' | 'cached' | 'stock', seconds: number): Promise<WorkDone>;
  leave(): Promise<WorkDone>;
}

export async function startSpeaker(sandbox: Sandbox): Promise<SpeakerProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'hark-bench-'));
  const child: ChildProcess = fork(SPEAKER, {
    env: {
      ...process.env,
      NODE_EXTRA_CA_CERTS: await writeCertificate(sandbox, folder),
      DISCORD_TOKEN: sandbox.token,
      DISCORD_API_URL: sandbox.apiUrl,
      DATA_DIR: folder,
    },
  });
  const exited = once(child, 'exit');
  await once(child, 'message');

  async function run(work: Work): Promise<WorkDone> {
    child.send(work);
    const [done] = await Promise.race([once(child, 'message'), exited.then(() => [undefined])]);
    if (!done) throw new Error('the speaking process ended');
    return done as WorkDone;
  }

  return {
    join: (places) => run({ work: 'join', places }),
    play: (how, seconds) => run({ work: 'play', how, seconds }),
    leave: () => run({ work: 'leave' }),
    async [Symbol.asyncDispose]() {
      child.disconnect();
      await exited;
      await rm(folder, { recursive: true });
    },
  };
}
