import multipart from '@fastify/multipart';
import { type FastifyError, type FastifyInstance, type FastifyRequest, fastify } from 'fastify';
import type { Upload } from '../attachments.ts';
import { ApiRefusal, refusal } from '../errors.ts';
import type { Failures } from './failures.ts';
import { parseJson, readForm } from './multipart.ts';
import type { RateLimits } from './rate-limits.ts';
import type { RequestLog, RequestRecord } from './requests.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Files of a form. */
    uploads: Upload[];
    /** The record of a request to the API; null for other routes. */
    record: RequestRecord | null;
  }
}

export const API_PREFIX = '/api/v10';

/** Whole request with all its files. */
const MAX_BODY = 100 * 1024 * 1024;

const UNAUTHORIZED = new ApiRefusal(401, 0, '401: Unauthorized');
const NOT_FOUND = new ApiRefusal(404, 0, '404: Not Found');
const BAD_GATEWAY = new ApiRefusal(502, 0, '502: Bad Gateway');

/** Routes that a token in the path opens instead of the bot's (documentation, "Webhook Resource"). */
function needsBotToken(path: string): boolean {
  return !/^\/(?:webhooks\/\d+\/[^/]+|interactions\/|gateway$)/u.test(path);
}

/** What splits a rate limit's bucket (documentation, "Rate Limits"). */
function majorParameter(path: string): string {
  return /^\/(?:channels|guilds|webhooks)\/(\d+(?:\/[^/]+)?)/u.exec(path)?.[1] ?? 'global';
}

function asRefusal(error: FastifyError | ApiRefusal): ApiRefusal {
  if (error instanceof ApiRefusal) return error;
  if (error.statusCode === 413) return refusal(40005);
  if (error.statusCode === 415) return refusal(50035);
  if (error.statusCode && error.statusCode < 500) return refusal(50046);
  return new ApiRefusal(500, 0, '500: Internal Server Error');
}

function pathOf(request: FastifyRequest): string {
  const [path = ''] = request.url.split('?');
  return path.slice(API_PREFIX.length);
}

/** The HTTP server without routes: who may ask, how bodies are read, limits, errors, and the record of it all. */
export async function createServer(options: {
  token: string;
  limits: RateLimits;
  log: RequestLog;
  failures: Failures;
}): Promise<FastifyInstance> {
  const app = fastify({
    bodyLimit: MAX_BODY,
    forceCloseConnections: true,
    routerOptions: { maxParamLength: 1000 },
  });
  await app.register(multipart, { limits: { fileSize: MAX_BODY, files: 100, fieldSize: 1 << 20 } });
  app.decorateRequest('record', null);
  app.decorateRequest('uploads');
  app.removeContentTypeParser(['application/json', 'text/plain']);
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'string' },
    async (_request: FastifyRequest, body: string) => (body === '' ? undefined : parseJson(body)),
  );

  app.addHook('onRequest', async (request, reply) => {
    request.uploads = [];
    if (!request.url.startsWith(`${API_PREFIX}/`)) return;
    const path = pathOf(request);
    const query = request.query as Record<string, unknown>;
    request.record = options.log.begin({ method: request.method, path, query });
    if (needsBotToken(path) && request.headers.authorization !== `Bot ${options.token}`) {
      throw UNAUTHORIZED;
    }
    if (options.failures.take(request.record, false)) throw BAD_GATEWAY;
    if (path.startsWith('/interactions/')) return;
    const route = `${request.method} ${request.routeOptions.url ?? path}`;
    const answer = options.limits.take(route, majorParameter(path), path);
    reply.headers(answer.headers);
    if (answer.refused) await reply.status(429).send(answer.refused);
  });
  app.addHook('preValidation', async (request) => {
    if (request.isMultipart()) {
      const { payload, uploads } = await readForm(request);
      request.body = payload;
      request.uploads = uploads;
    }
    if (!request.record) return;
    request.record.body = request.body;
    request.record.files = request.uploads.map(({ data, ...upload }) => ({
      ...upload,
      size: data.length,
    }));
  });
  app.addHook('onSend', async ({ record }, reply, payload) => {
    if (!record || !options.failures.take(record, true)) return payload;
    reply.status(502);
    return JSON.stringify(BAD_GATEWAY);
  });
  app.addHook('onResponse', async (request, reply) => {
    if (request.record) options.log.end(request.record, reply.statusCode);
  });
  app.setErrorHandler<FastifyError | ApiRefusal>(async (error, request, reply) => {
    const refused = asRefusal(error);
    if (refused.status >= 500 && request.record) request.record.fault = error;
    return reply.status(refused.status).send(refused.toJSON());
  });
  app.setNotFoundHandler(async (_request, reply) => reply.status(404).send(NOT_FOUND.toJSON()));
  return app;
}
