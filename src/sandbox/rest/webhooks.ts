import { MessageFlags } from 'discord-api-types/v10';
import type { FastifyInstance } from 'fastify';
import { refusal } from '../errors.ts';
import type { Interaction } from '../interactions.ts';
import type { StoredMessage } from '../messages.ts';
import type { RestContext } from './context.ts';
import { postAnswer } from './interactions.ts';

interface Params {
  application: string;
  token: string;
  message: string;
}

interface Route {
  Params: Params;
}

/** Follow-ups to an interaction, and its messages later on (documentation, "Followup Messages"). */
export function webhookRoutes(app: FastifyInstance, context: RestContext): void {
  const find = ({ application, token }: Params): Interaction => {
    if (application !== context.application.id) throw refusal(10015);
    return context.interactions.forToken(token);
  };
  const findMessage = (interaction: Interaction, id: string): StoredMessage => {
    const message =
      id === '@original'
        ? interaction.original
        : [...interaction.messages, interaction.original].find((shown) => shown?.data.id === id);
    if (!message || message.deleted) throw refusal(10008);
    return message;
  };
  const finish = (interaction: Interaction, message: StoredMessage): StoredMessage => {
    context.interactions.show(interaction, message);
    interaction.state = 'answered';
    interaction.events.emit('change');
    return message;
  };
  const base = '/webhooks/:application/:token';

  app.post<Route>(base, async ({ params, body, uploads }) => {
    const interaction = find(params);
    const { original } = interaction;
    // The first follow-up takes the place of "is thinking", and keeps its visibility.
    if (interaction.state === 'deferred' && original && !original.deleted) {
      return finish(interaction, context.messages.edit(original, body ?? {}, uploads)).data;
    }
    const flags = Number((body as { flags?: number } | undefined)?.flags ?? 0);
    const ephemeral = flags & MessageFlags.Ephemeral;
    const message = postAnswer(context, interaction, body ?? {}, uploads, ephemeral);
    return finish(interaction, message).data;
  });
  app.get<Route>(`${base}/messages/:message`, async ({ params }) => {
    return findMessage(find(params), params.message).data;
  });
  app.patch<Route>(`${base}/messages/:message`, async ({ params, body, uploads }) => {
    const interaction = find(params);
    const message = findMessage(interaction, params.message);
    return finish(interaction, context.messages.edit(message, body ?? {}, uploads)).data;
  });
  app.delete<Route>(`${base}/messages/:message`, async ({ params }, reply) => {
    const interaction = find(params);
    const message = findMessage(interaction, params.message);
    context.messages.remove(message);
    interaction.events.emit('change');
    return reply.status(204).send();
  });
}
