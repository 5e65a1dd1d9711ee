import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { type BenchPart, percentile } from './measures.ts';
import { startProgram } from './program.ts';

const ROUNDS = 5;

/** From `npm start` to a bot that members can use. */
export const start: BenchPart = {
  prefix: 'start',
  async run() {
    const milliseconds: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      await using sandbox = await startSandbox();
      await using program = await startProgram(['npm', 'start'], sandbox);
      milliseconds.push(program.milliseconds);
    }
    return [{ name: 'start.ready', value: percentile(milliseconds, 0.5), unit: 'ms' }];
  },
};
