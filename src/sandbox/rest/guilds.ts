import { PermissionFlagsBits as Permission } from 'discord-api-types/v10';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { refusal } from '../errors.ts';
import { hasPermission } from '../permissions.ts';
import { channelData, guildData, memberData } from '../serialize.ts';
import { check } from '../validate.ts';
import type { RestContext } from './context.ts';

interface Route {
  Params: { guild: string; id: string };
}

const OwnVoiceState = z.object({
  channel_id: z.string().optional(),
  suppress: z.boolean().optional(),
  request_to_speak_timestamp: z.string().nullish(),
});

/** Guilds, their channels, roles and members, users, and how the bot is on a stage. */
export function guildRoutes(app: FastifyInstance, { world, voice }: RestContext): void {
  // Documentation, "Modify Current User Voice State". Clients write the "@me" of the path as "%40me",
  // which only a parameter matches.
  app.patch<Route>('/guilds/:guild/voice-states/:id', async ({ params, body }, reply) => {
    if (params.id !== '@me') throw refusal(50013);
    const bot = world.member(params.guild, world.bot.id);
    const present = voice.state(bot);
    if (!present?.channelId) throw refusal(10065);
    const wanted = check(OwnVoiceState, body);
    const permissions = world.permissionsIn(world.channel(present.channelId), bot.user.id);
    const may = (permission: bigint) => hasPermission(permissions, permission);
    if (wanted.suppress === false && !may(Permission.MuteMembers)) throw refusal(50013);
    const asks = wanted.request_to_speak_timestamp;
    if (asks && !may(Permission.RequestToSpeak)) throw refusal(50013);
    voice.change(bot, {
      ...(wanted.suppress !== undefined && { suppress: wanted.suppress }),
      ...(asks !== undefined && { requestToSpeakAt: asks === null ? undefined : new Date(asks) }),
    });
    return reply.status(204).send();
  });
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
