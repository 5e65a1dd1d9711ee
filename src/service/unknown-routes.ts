import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from './errors.ts';

/**
 * Answers 404 for an unknown path and 405 with `Allow` for a known path and another method
 * (supplement, "Errors"), before a body is read. Register it before the routes.
 */
export function refuseUnknownRoutes(app: FastifyInstance): void {
  const routes: { path: RegExp; methods: string[] }[] = [];
  app.addHook('onRoute', ({ url, method }) => {
    const path = new RegExp(`^${url.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+')}$`);
    routes.push({ path, methods: [method].flat() });
  });
  app.addHook('onRequest', async (request: FastifyRequest) => {
    if (!request.is404) return;
    const path = request.url.replace(/[?#].*$/s, '');
    const methods = routes.filter((route) => route.path.test(path)).flatMap((r) => r.methods);
    if (methods.length === 0) throw new ApiError(404, 'There is nothing at this path.');
    const allow = [...new Set(methods)].sort().join(', ');
    throw new ApiError(405, `This path takes ${allow}.`, { headers: { allow } });
  });
}
