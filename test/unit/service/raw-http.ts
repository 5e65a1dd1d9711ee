import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { ErrorBody } from '../../../src/contract/errors.ts';

/** What a server sent back for bytes that need not be HTTP. */
export interface RawAnswer {
  status: number;
  type: string;
  body: Buffer;
}

/** No answer may take longer than this, in milliseconds. */
const LONGEST = 2_000;

/**
 * Sends bytes and reads until the server ends the connection.
 *
 * @param leaveAfter - milliseconds after which the client says that nothing follows; a server may
 *   wait for the rest until then. Left out for a request that is whole and must be answered.
 * @returns undefined when the connection was closed without an answer
 * @throws when the server holds on to the connection
 */
export async function sendRaw(
  url: string,
  bytes: Buffer,
  leaveAfter?: number,
): Promise<RawAnswer | undefined> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const chunks: Buffer[] = [];
  const closed = new Promise<void>((resolve) => {
    socket.on('data', (chunk) => chunks.push(chunk));
    // A server that refuses a request may reset the rest of it; what it said before counts.
    socket.on('error', () => {});
    socket.on('close', () => resolve());
  });
  socket.write(bytes);
  const leaving = leaveAfter === undefined ? undefined : setTimeout(() => socket.end(), leaveAfter);
  const late = new AbortController();
  try {
    await Promise.race([
      closed,
      sleep(LONGEST, undefined, { signal: late.signal }).then(() => {
        throw new Error(`no end after ${LONGEST} ms: ${Buffer.concat(chunks).subarray(0, 200)}`);
      }),
    ]);
  } finally {
    clearTimeout(leaving);
    late.abort();
    socket.destroy();
  }
  let all = Buffer.concat(chunks);
  while (all.subarray(0, 10).toString() === 'HTTP/1.1 1') {
    all = all.subarray(all.indexOf('\r\n\r\n') + 4);
  }
  if (all.length === 0) return undefined;
  const end = all.indexOf('\r\n\r\n');
  const head = all.subarray(0, end).toString('latin1');
  return {
    status: Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1]),
    type: /^content-type: (.*)$/im.exec(head)?.[1] ?? '',
    body: all.subarray(end + 4),
  };
}

/** Statuses that the two tables of the specification know, and those that the supplement adds. */
const REFUSALS = new Set([400, 401, 402, 403, 404, 405, 408, 413, 415, 429, 431]);

/** @throws when an answer is neither a success nor a refusal in its documented shape */
export function checkShape(answer: { status: number; type: string; body: Buffer }): void {
  const { status, type, body } = answer;
  const said = `${status} ${type}: ${body.subarray(0, 300)}`;
  if (status === 200 || status === 204) return;
  if (!REFUSALS.has(status)) throw new Error(`a status that is not documented: ${said}`);
  if (type !== 'application/json') throw new Error(`a type that is not documented: ${said}`);
  const { message } = ErrorBody.strict().parse(JSON.parse(body.toString()));
  const plain = status === 400 || status === 415;
  if (plain !== (typeof message === 'string')) throw new Error(`another shape: ${said}`);
  if (typeof message !== 'string' && message.status_code !== status) {
    throw new Error(`another status inside: ${said}`);
  }
}
