import type { FastifyInstance } from 'fastify';
import { applicationRoutes } from './application.ts';
import { channelRoutes } from './channels.ts';
import { commandRoutes } from './commands.ts';
import type { RestContext } from './context.ts';
import { fileRoutes } from './files.ts';
import { guildRoutes } from './guilds.ts';
import { interactionRoutes } from './interactions.ts';
import { API_PREFIX } from './server.ts';
import { webhookRoutes } from './webhooks.ts';

const API_ROUTES = [
  applicationRoutes,
  commandRoutes,
  interactionRoutes,
  webhookRoutes,
  channelRoutes,
  guildRoutes,
];

/** All routes: the API under its version, files beside it. */
export function addRoutes(app: FastifyInstance, context: RestContext): void {
  app.register(
    async (api) => {
      for (const add of API_ROUTES) add(api, context);
    },
    { prefix: API_PREFIX },
  );
  fileRoutes(app, context.attachments);
}
