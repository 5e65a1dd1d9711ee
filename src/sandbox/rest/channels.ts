import { GatewayDispatchEvents, PermissionFlagsBits as Permission } from 'discord-api-types/v10';
import type { FastifyInstance } from 'fastify';
import { refusal } from '../errors.ts';
import type { StoredMessage } from '../messages.ts';
import { hasPermission } from '../permissions.ts';
import { channelData } from '../serialize.ts';
import type { Channel } from '../world.ts';
import type { RestContext } from './context.ts';

interface Route {
  Params: { channel: string; message: string };
}

interface Page {
  limit?: string;
  before?: string;
  after?: string;
}

/** Channels and the messages in them, within what the bot may do there. */
export function channelRoutes(app: FastifyInstance, context: RestContext): void {
  const { world, messages } = context;
  const enter = (id: string, ...needed: bigint[]): Channel => {
    const channel = world.channel(id);
    const permissions = world.permissionsIn(channel, world.bot.id);
    if (!hasPermission(permissions, Permission.ViewChannel)) throw refusal(50001);
    for (const permission of needed) {
      if (!hasPermission(permissions, permission)) throw refusal(50013);
    }
    return channel;
  };
  const find = (channel: Channel, id: string): StoredMessage => {
    const message = channel.messages.get(id);
    if (!message) throw refusal(10008);
    return message;
  };
  const base = '/channels/:channel';

  app.get<Route>(base, async ({ params }) => channelData(enter(params.channel)));
  app.post<Route>(`${base}/typing`, async ({ params }, reply) => {
    const channel = enter(params.channel, Permission.SendMessages);
    const data = {
      channel_id: channel.id,
      guild_id: channel.guildId,
      user_id: world.bot.id,
      timestamp: Math.floor(Date.now() / 1000),
    };
    context.dispatch(GatewayDispatchEvents.TypingStart, data, channel.guildId);
    return reply.status(204).send();
  });
  app.post<Route>(`${base}/messages`, async ({ params, body, uploads }) => {
    const needed = uploads.length > 0 ? [Permission.AttachFiles] : [];
    const channel = enter(params.channel, Permission.SendMessages, ...needed);
    return messages.create({ channel, author: world.bot, payload: body ?? {}, uploads }).data;
  });
  app.get<Route & { Querystring: Page }>(`${base}/messages`, async ({ params, query }) => {
    const channel = enter(params.channel);
    const permissions = world.permissionsIn(channel, world.bot.id);
    if (!hasPermission(permissions, Permission.ReadMessageHistory)) return [];
    const { before, after } = query;
    const limit = Math.min(100, Math.max(1, Number(query.limit ?? 50)));
    const all = [...channel.messages.values()].filter(
      ({ data }) =>
        (before === undefined || BigInt(data.id) < BigInt(before)) &&
        (after === undefined || BigInt(data.id) > BigInt(after)),
    );
    const page = after === undefined ? all.slice(-limit) : all.slice(0, limit);
    return page.map(({ data }) => data).reverse();
  });
  app.get<Route>(`${base}/messages/:message`, async ({ params }) => {
    return find(enter(params.channel, Permission.ReadMessageHistory), params.message).data;
  });
  app.patch<Route>(`${base}/messages/:message`, async ({ params, body, uploads }) => {
    const message = find(enter(params.channel), params.message);
    if (message.data.author.id !== world.bot.id) throw refusal(50005);
    return messages.edit(message, body ?? {}, uploads).data;
  });
  app.delete<Route>(`${base}/messages/:message`, async ({ params }, reply) => {
    const message = find(enter(params.channel), params.message);
    if (message.data.author.id !== world.bot.id) enter(params.channel, Permission.ManageMessages);
    messages.remove(message);
    return reply.status(204).send();
  });
}
