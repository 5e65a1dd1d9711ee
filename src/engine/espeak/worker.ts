import { parentPort, workerData } from 'node:worker_threads';
import { CONTROL, type Report, type Task, type ThreadData, WINDOW } from '../protocol.ts';
import { measure, render } from '../render.ts';
import { Stopped } from '../synthesis.ts';
import { loadEspeak } from './espeak.ts';

if (!parentPort) throw new Error('This module is the entry of a worker thread');
const port = parentPort;
const control = new Int32Array((workerData as ThreadData).control);
const espeak = await loadEspeak();

port.on('message', (task: Task) => {
  run(task).then(post, (error: unknown) => {
    post(
      error instanceof Stopped
        ? { type: 'stopped', job: task.job }
        : // Emscripten's errors may carry the whole source of their module.
          { type: 'failed', job: task.job, reason: String(error).slice(0, 300) },
    );
  });
});
post({ type: 'ready' });

async function run({ job, kind, utterance }: Task): Promise<Report> {
  let sent = 0;
  const stopped = () => Atomics.load(control, CONTROL.stopped) === job;
  const naturalSeconds =
    kind === 'measure'
      ? measure(espeak, utterance, stopped)
      : await render(espeak, utterance, {
          stopped,
          part(part) {
            sent += part.samples.length;
            post({ type: 'part', job, part }, [part.samples.buffer as ArrayBuffer]);
            waitForReader(sent, stopped);
          },
        });
  return { type: 'done', job, naturalSeconds };
}

/** eSpeak NG calls back synchronously, so a reader that is behind is waited for in place. */
function waitForReader(sent: number, stopped: () => boolean): void {
  for (;;) {
    const turn = Atomics.load(control, CONTROL.turn);
    if (stopped() || sent - Atomics.load(control, CONTROL.taken) <= WINDOW) return;
    Atomics.wait(control, CONTROL.turn, turn);
  }
}

function post(report: Report, transfer: ArrayBuffer[] = []): void {
  port.postMessage(report, transfer);
}
