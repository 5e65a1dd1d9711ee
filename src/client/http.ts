import { STATUS_CODES } from 'node:http';
import { Agent, type FormData } from 'undici';
import { ErrorBody, errorMessage } from '../contract/errors.ts';
import { API_KEY_HEADER } from '../contract/limits.ts';
import type { Logger } from '../log.ts';
import {
  BadAnswerError,
  type RequestName,
  refusedError,
  ServiceTimeoutError,
  ServiceUnreachableError,
  VoiceServiceError,
} from './errors.ts';
import { parseRetryAfter, type RetryRules, withRetries } from './retry.ts';

export interface HttpRules {
  /** Milliseconds that one try may take: to its end, or to the first sound of a stream. */
  timeoutMs: number;
  /** Milliseconds for all tries of a call and the waits between them. */
  deadlineMs: number;
  /** Milliseconds that an answer may pause. */
  stallMs: number;
  retry: RetryRules;
}

/** The service gives up on a speech after 30 s and says so (supplement, "Limits"): wait a little longer. */
const DEFAULT_RULES: HttpRules = {
  timeoutMs: 35_000,
  deadlineMs: 60_000,
  stallMs: 10_000,
  retry: { attempts: 4, baseDelayMs: 250, maxDelayMs: 4_000 },
};

/** A minute of speech is 5 MB; nothing that the interface answers comes near this. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;

const MAX_ERROR_BYTES = 16 * 1024;

export interface Call extends RequestName {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** The voice that the path names: it is what a 404 is about. */
  voiceId?: string;
  query?: Readonly<Record<string, string | undefined>>;
  /** Sent as JSON. */
  body?: unknown;
  /** Sent as multipart/form-data, instead of a body. */
  form?: FormData;
  /** Whether a second try might do a second time what the first one did. */
  once?: boolean;
  /** An address outside the interface, which the service gave out. It does not get the key. */
  target?: URL;
}

/** An answer with status 200 or 204. */
export interface Answer {
  request: RequestName;
  /** A header, or, once the body has ended, a trailer. */
  header(name: string): string | undefined;
  /**
   * The bytes as they arrive. Leaving early ends the connection. A pause that is too long, a
   * broken connection and too large a body are errors.
   */
  body: AsyncIterable<Uint8Array>;
}

export interface Http {
  /**
   * Asks, and reads the answer. A failure of `read` counts as the try's: it may be repeated. What
   * `read` leaves unread of the body stays readable.
   *
   * @throws {VoiceServiceError} of the class that fits
   * @throws the signal's reason when it was aborted
   */
  call<T>(call: Call, read: (answer: Answer) => Promise<T>, signal: AbortSignal): Promise<T>;
  close(): Promise<void>;
}

export interface HttpOptions extends Partial<HttpRules> {
  url: string;
  key: string;
  log?: Logger;
}

export function createHttp({ url, key, log, ...given }: HttpOptions): Http {
  const rules = { ...DEFAULT_RULES, ...given };
  const base = new URL(url);
  const prefix = base.pathname.replace(/\/+$/, '');
  // Deadlines are kept here, in one place and to the millisecond: undici's own are off.
  const agent = new Agent({ headersTimeout: 0, bodyTimeout: 0, connect: { timeout: 10_000 } });
  const closing = new AbortController();

  async function attempt<T>(
    call: Call,
    read: (answer: Answer) => Promise<T>,
    outer: AbortSignal,
    timeoutMs: number,
  ): Promise<T> {
    const request = { method: call.method, path: call.path };
    const ending = new AbortController();
    const signal = AbortSignal.any([outer, ending.signal]);
    const timeOut = (ms: number, what: string) =>
      setTimeout(() => {
        ending.abort(new ServiceTimeoutError(request, `${what} within ${Math.round(ms)} ms`));
      }, ms);
    const failure = (cause: unknown): unknown => {
      if (signal.aborted) return signal.reason;
      if (cause instanceof VoiceServiceError) return cause;
      const reason = cause instanceof Error ? cause.message : String(cause);
      return new ServiceUnreachableError(request, `no connection: ${reason}`, { cause });
    };

    const timer = timeOut(timeoutMs, 'no answer');
    try {
      const { statusCode, headers, trailers, body } = await agent
        .request({
          ...(call.target
            ? { origin: call.target.origin, path: call.target.pathname + call.target.search }
            : { origin: base.origin, path: prefix + call.path + queryString(call.query) }),
          method: call.method,
          headers: {
            ...(!call.target && { [API_KEY_HEADER]: key }),
            ...(call.body !== undefined && { 'content-type': 'application/json' }),
          },
          body: call.form ?? (call.body === undefined ? null : JSON.stringify(call.body)),
          signal,
        })
        .catch((error: unknown) => {
          throw failure(error);
        });
      // A body that is left early reports that as an error when nobody listens any more.
      body.on('error', () => undefined);
      const header = (name: string): string | undefined => {
        const value = headers[name] ?? (trailers as Record<string, string | undefined>)[name];
        return Array.isArray(value) ? value[0] : value;
      };

      async function* chunks(limit: number): AsyncGenerator<Uint8Array> {
        let bytes = 0;
        const iterator: AsyncIterator<Buffer> = body[Symbol.asyncIterator]();
        try {
          for (;;) {
            const stall = timeOut(rules.stallMs, 'nothing more came');
            const next = await iterator.next().finally(() => clearTimeout(stall));
            // A chunk that was waiting must not pass after an abort.
            if (signal.aborted) throw signal.reason;
            if (next.done) return;
            bytes += next.value.length;
            if (bytes > limit) {
              throw new BadAnswerError(request, `the answer is larger than ${limit} bytes`);
            }
            yield next.value;
          }
        } catch (error) {
          throw failure(error);
        } finally {
          body.destroy();
        }
      }

      if (statusCode === 200 || statusCode === 204) {
        const answer = { request, header, body: chunks(MAX_BODY_BYTES) };
        try {
          return await read(answer);
        } catch (error) {
          body.destroy();
          throw error;
        }
      }
      const text = await readText(chunks(MAX_ERROR_BYTES));
      const message = refusalMessage(statusCode, text);
      if (statusCode < 400 || (statusCode === 404 && call.voiceId === undefined)) {
        throw new BadAnswerError(
          request,
          `${statusCode}: is there a voice service at its address?`,
        );
      }
      throw refusedError(request, {
        status: statusCode,
        message: key === '' ? message : message.replaceAll(key, '[key]'),
        retryAfterMs: parseRetryAfter(header('retry-after')),
        requestId: header('x-request-id'),
      });
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    call(call, read, signal) {
      const either = AbortSignal.any([signal, closing.signal]);
      return withRetries(
        (leftMs) => attempt(call, read, either, Math.min(rules.timeoutMs, leftMs)),
        {
          rules: call.once ? { ...rules.retry, attempts: 1 } : rules.retry,
          deadlineMs: rules.deadlineMs,
          signal: either,
          onRetry: (err, waitMs) => log?.warn({ err, waitMs }, 'voice service: trying again'),
        },
      );
    },
    async close() {
      closing.abort(new Error('The client of the voice service was closed.'));
      await agent.destroy();
    },
  };
}

/** The whole body. */
export async function readBody({ body }: Pick<Answer, 'body'>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(body));
}

/** @throws {BadAnswerError} when the answer has another content type */
export function expectType(answer: Answer, type: string): void {
  const given = contentType(answer);
  if (given !== type) {
    throw new BadAnswerError(answer.request, `expected ${type}, the answer is ${given}`);
  }
}

/** The content type without its parameters. */
export function contentType({ header }: Pick<Answer, 'header'>): string {
  return header('content-type')?.split(';')[0]?.trim().toLowerCase() ?? 'untyped';
}

function queryString(query: Call['query'] = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.set(name, value);
  }
  return parameters.size > 0 ? `?${parameters}` : '';
}

/** What can be read of an error's body: the status alone says enough when it breaks off or is too long. */
async function readText(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  try {
    for await (const chunk of chunks) parts.push(chunk);
  } catch (error) {
    if (!(error instanceof VoiceServiceError)) throw error;
  }
  return Buffer.concat(parts).toString('utf8');
}

/** The service's sentence; the reason of the status where something else answered, such as a proxy. */
function refusalMessage(status: number, text: string): string {
  try {
    return errorMessage(ErrorBody.parse(JSON.parse(text)));
  } catch {
    return STATUS_CODES[status] ?? 'unknown status';
  }
}
