import type { FastifyInstance } from 'fastify';
import type { RegisteredCommand } from '../commands.ts';
import { refusal } from '../errors.ts';
import type { RestContext } from './context.ts';

interface Params {
  application: string;
  guild?: string;
  command: string;
}

interface Route {
  Params: Params;
  Querystring: { with_localizations?: string };
}

/** In a list, the names in other languages come only when they are asked for. */
function listed(command: RegisteredCommand, withLocalizations: boolean): object {
  if (withLocalizations) return command;
  const strip = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(strip);
    if (typeof node !== 'object' || node === null) return node;
    return Object.fromEntries(
      Object.entries(node)
        .filter(([key]) => !key.endsWith('_localizations'))
        .map(([key, value]) => [key, strip(value)]),
    );
  };
  return strip(command) as object;
}

/** Registering commands, for everywhere and for one guild (documentation, "Application Commands"). */
export function commandRoutes(app: FastifyInstance, context: RestContext): void {
  const { commands, application, world } = context;
  const scope = (params: Params): string | undefined => {
    if (params.application !== application.id) throw refusal(20012);
    return params.guild === undefined ? undefined : world.guild(params.guild).id;
  };
  for (const base of [
    '/applications/:application/commands',
    '/applications/:application/guilds/:guild/commands',
  ]) {
    app.get<Route>(base, async ({ params, query }) =>
      commands
        .list(scope(params))
        .map((command) => listed(command, query.with_localizations === 'true')),
    );
    app.put<Route>(base, async ({ params, body }) => commands.replaceAll(body, scope(params)));
    app.post<Route>(base, async ({ params, body }, reply) => {
      const { command, isNew } = commands.upsert(body, scope(params));
      return reply.status(isNew ? 201 : 200).send(command);
    });
    app.get<Route>(`${base}/:command`, async ({ params }) =>
      commands.get(params.command, scope(params)),
    );
    app.patch<Route>(`${base}/:command`, async ({ params, body }) =>
      commands.edit(params.command, body, scope(params)),
    );
    app.delete<Route>(`${base}/:command`, async ({ params }, reply) => {
      commands.remove(params.command, scope(params));
      return reply.status(204).send();
    });
  }
}
