import type { FastifyInstance } from 'fastify';
import { describeInterface } from '../description/document.ts';
import { describeAsPage, PAGE_POLICY } from '../description/page.ts';

/** The description of the interface, for programs and for people (without a key). */
export function registerDescription(app: FastifyInstance): void {
  let made: { json: Buffer; page: Buffer } | undefined;

  // On the first request, for most processes are never asked.
  function description() {
    if (!made) {
      const document = describeInterface();
      const json = Buffer.from(JSON.stringify(document));
      made = { json, page: Buffer.from(describeAsPage(document)) };
    }
    return made;
  }

  app.get('/openapi.json', (_request, reply) =>
    reply.type('application/json').send(description().json),
  );

  app.get('/docs', (_request, reply) =>
    reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', PAGE_POLICY)
      .header('x-content-type-options', 'nosniff')
      .header('referrer-policy', 'no-referrer')
      .send(description().page),
  );
}
