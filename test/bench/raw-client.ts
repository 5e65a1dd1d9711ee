import { connect } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';

/** What the thread of raw clients is to send, again and again. */
export interface RawLoad {
  host: string;
  port: number;
  /** A whole request of HTTP/1.1 with a kept connection. */
  request: string;
  connections: number;
  /** Milliseconds. */
  time: number;
}

// A thread of its own that does next to nothing with an answer: what is measured is the server.

const READ_BYTES = 256 * 1024;

const HEAD_END = Buffer.from('\r\n\r\n');

/** Sends the request over one connection until time is up; resolves to the answers that came. */
function client({ host, port, request, time }: RawLoad): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const endsAt = performance.now() + time;
  let answers = 0;
  /** Bytes of the answer that are still to come; undefined while its head is not read. */
  let left: number | undefined;

  const buffer = Buffer.allocUnsafe(READ_BYTES);
  const callback = (bytes: number) => {
    const chunk = buffer.subarray(0, bytes);
    if (left === undefined) {
      const end = chunk.indexOf(HEAD_END);
      const head = chunk.subarray(0, end).toString('latin1');
      if (!head.startsWith('HTTP/1.1 200')) {
        reject(new Error(`the server answered ${head.split('\r\n')[0]}`));
        return false;
      }
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1]);
      left = length - (chunk.length - end - HEAD_END.length);
    } else left -= chunk.length;
    if (left > 0) return true;
    answers += 1;
    left = undefined;
    if (performance.now() < endsAt) socket.write(request);
    else socket.end(() => resolve(answers));
    return true;
  };
  // One buffer for all that comes, so that the thread is never busy with memory.
  const socket = connect({ port, host, noDelay: true, onread: { buffer, callback } });
  socket.on('connect', () => socket.write(request));
  socket.on('error', reject);
  return promise;
}

const load = workerData as RawLoad;
const startedAt = performance.now();
const counts = await Promise.all(Array.from({ length: load.connections }, () => client(load)));
const seconds = (performance.now() - startedAt) / 1_000;
parentPort?.postMessage(counts.reduce((sum, count) => sum + count, 0) / seconds);
