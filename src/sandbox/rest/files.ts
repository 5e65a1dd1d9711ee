import type { FastifyInstance } from 'fastify';
import type { Attachments } from '../attachments.ts';

interface Route {
  Params: { id: string };
}

/** Content delivery: the files of messages, for everybody who knows their address. */
export function fileRoutes(app: FastifyInstance, attachments: Attachments): void {
  for (const folder of ['attachments', 'ephemeral-attachments']) {
    app.get<Route>(`/${folder}/:place/:id/:name`, async ({ params }, reply) => {
      const file = attachments.get(params.id);
      if (!file)
        return reply.status(404).type('text/plain').send('This content is no longer available.');
      return reply.type(file.contentType || 'application/octet-stream').send(file.data);
    });
  }
}
