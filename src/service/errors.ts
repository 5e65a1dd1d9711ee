import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { errorBody } from '../contract/errors.ts';
import { describeFault, type Fault, faultsOf } from '../contract/faults.ts';
import { EngineBusyError } from '../engine/engine.ts';
import type { Logger } from '../log.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What a caller reads when this operation breaks; its cause goes to the log alone. */
    failure?: string;
  }
}

/** An answer that is not a success. Its message is sent as it stands. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly statusCode: number;
  /** Headers that accompany the status, such as Retry-After. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    statusCode: number,
    message: string,
    options: { headers?: Readonly<Record<string, string>>; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.statusCode = statusCode;
    this.headers = options.headers ?? {};
  }
}

/** 400 with one sentence for each thing that is wrong. */
export function badRequest(faults: readonly Fault[]): ApiError {
  return new ApiError(400, faults.map(describeFault).join(' '));
}

/** 429 with the seconds after which it is worth trying again (supplement, "Errors"). */
export function tooMany(retryAfterSeconds: number, cause?: unknown): ApiError {
  return new ApiError(429, `Too many requests: try again in ${retryAfterSeconds} s.`, {
    headers: { 'retry-after': String(retryAfterSeconds) },
    cause,
  });
}

/** Checks the query of a route with its zod schema, so that faults read as those of a body do. */
export function validatorCompiler({ schema }: { schema: z.ZodType }) {
  return (input: unknown) => {
    const parsed = schema.safeParse(input);
    return parsed.success
      ? { value: parsed.data }
      : { error: badRequest(faultsOf(parsed.error, input)) };
  };
}

/** Sentences for what Fastify refuses before a route sees it. */
const REFUSALS: Partial<Record<string, string>> = {
  FST_ERR_CTP_INVALID_JSON_BODY: 'The body is not valid JSON.',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'The body is empty.',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'Content-Type must be application/json.',
  FST_ERR_CTP_BODY_TOO_LARGE: 'The body is too large.',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'The body is not as long as Content-Length says.',
  FST_ERR_BAD_URL: 'The path is not a valid URL path.',
};

/** Any fault as the answer that a caller gets. */
export function toApiError(error: unknown, failure = 'Internal error'): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof EngineBusyError) return tooMany(1, error);
  const { code, statusCode } = error as Partial<FastifyError>;
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    // The tables of the operations that take JSON know one status for a request that cannot be
    // read, whatever Fastify makes of it (spec, "Text-to-speech errors").
    const message = REFUSALS[code ?? ''] ?? 'The request could not be read.';
    return new ApiError(400, message, { cause: error });
  }
  return new ApiError(500, failure, { cause: error });
}

/** The one place that turns a fault into an answer: 4xx is told, 5xx is logged and masked. */
export function createErrorHandler(log: Logger) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const answer = toApiError(error, request.routeOptions.config.failure);
    if (answer.statusCode >= 500) {
      log.error(
        { err: answer.cause ?? answer, method: request.method, path: request.routeOptions.url },
        'a request failed',
      );
    }
    // Fastify closes the connection over a body that it refuses; a client that is still sending would
    // meet a reset instead of the answer. Node reads the rest away and goes on. Removing a header
    // that is not there would keep Node from naming its own.
    if (reply.hasHeader('connection')) reply.removeHeader('connection');
    reply
      .code(answer.statusCode)
      .headers(answer.headers)
      .type('application/json')
      // Bytes, for Fastify adds a charset to the type of anything else.
      .send(Buffer.from(JSON.stringify(errorBody(answer.statusCode, answer.message))));
  };
}
