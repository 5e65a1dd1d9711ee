import type { FastifyInstance } from 'fastify';
import { refusal } from '../errors.ts';
import { channelData, guildData, memberData } from '../serialize.ts';
import type { RestContext } from './context.ts';

interface Route {
  Params: { guild: string; id: string };
}

/** Reading guilds, their channels, roles and members, and users. */
export function guildRoutes(app: FastifyInstance, { world }: RestContext): void {
  app.get<Route>('/guilds/:guild', async ({ params }) => guildData(world.guild(params.guild)));
  app.get<Route>('/guilds/:guild/channels', async ({ params }) =>
    [...world.guild(params.guild).channels.values()].map(channelData),
  );
  app.get<Route>('/guilds/:guild/roles', async ({ params }) => [
    ...world.guild(params.guild).roles.values(),
  ]);
  app.get<Route>('/guilds/:guild/roles/:id', async ({ params }) => {
    const role = world.guild(params.guild).roles.get(params.id);
    if (!role) throw refusal(10011);
    return role;
  });
  app.get<Route>('/guilds/:guild/members', async ({ params }) =>
    [...world.guild(params.guild).members.values()].map(memberData),
  );
  app.get<Route>('/guilds/:guild/members/:id', async ({ params }) =>
    memberData(world.member(params.guild, params.id)),
  );
  app.get<Route>('/users/:id', async ({ params }) => {
    const user = world.users.get(params.id);
    if (!user) throw refusal(10013);
    return user;
  });
}
