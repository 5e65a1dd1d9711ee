import { readFile } from 'node:fs/promises';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import type { BenchPart } from './measures.ts';
import { startCommand, startProgram } from './program.ts';

const UTTERANCES = 100;

/** Resident memory of the whole program, service and engine included, after 100 utterances. */
export const memory: BenchPart = {
  prefix: 'memory',
  async run() {
    await using sandbox = await startSandbox();
    await using program = await startProgram(await startCommand(), sandbox);
    for (let round = 0; round < UTTERANCES; round += 1) {
      await sandbox.run('/say', {
        text: `Utterance ${round} of a long working day, said to the team.`,
      });
    }
    const status = await readFile(`/proc/${program.child.pid}/status`, 'utf8');
    const kibibytes = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]);
    return [{ name: 'memory.rest', value: kibibytes / 1_024, unit: 'MiB' }];
  },
};
