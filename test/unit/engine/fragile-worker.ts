/** The real thread, which falls over, or asleep, where a text asks for it. */
import { existsSync, writeFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { CONTROL, type Report, type Task, type ThreadData } from '../../../src/engine/protocol.ts';

if (!parentPort) throw new Error('This module is the entry of a worker thread');
const port = parentPort;
const control = new Int32Array((workerData as ThreadData).control);

port.on('message', ({ utterance: { text } }: Task) => {
  const [, once] = /^crash once (\S+)/.exec(text) ?? [];
  if (once && !existsSync(once)) {
    writeFileSync(once, '');
    process.exit(3);
  }
  if (text.startsWith('crash always')) throw new Error('out of order');
  if (text.startsWith('hang')) for (;;);
  if (text.startsWith('crash when heard')) {
    const post = port.postMessage.bind(port);
    port.postMessage = (report: Report) => {
      post(report);
      if (report.type !== 'part') return;
      while (Atomics.load(control, CONTROL.taken) === 0) {
        Atomics.wait(control, CONTROL.turn, Atomics.load(control, CONTROL.turn), 50);
      }
      process.exit(4);
    };
  }
});

await import('../../../src/engine/espeak/worker.ts');
