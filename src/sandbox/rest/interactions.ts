import {
  type APIInteractionResponseCallbackData,
  type APIMessage,
  type APIModalInteractionResponseCallbackData,
  ApplicationCommandType,
  InteractionResponseType,
  InteractionType,
  MessageFlags,
  MessageType,
} from 'discord-api-types/v10';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Upload } from '../attachments.ts';
import { ModalData } from '../component-schema.ts';
import { ApiRefusal, fieldRefusal } from '../errors.ts';
import type { Interaction } from '../interactions.ts';
import { addFieldError, check, list, text } from '../validate.ts';
import type { RestContext } from './context.ts';

const Callback = z.object({ type: z.enum(InteractionResponseType), data: z.unknown().optional() });

const Choices = z.object({
  choices: list(
    z.object({
      name: text(1, 100),
      value: z.union([z.string(), z.number()]).superRefine((value, context) => {
        const length = [...String(value)].length;
        if (typeof value === 'number' || (length >= 1 && length <= 100)) return;
        addFieldError(context, 'BASE_TYPE_BAD_LENGTH', 'Must be between 1 and 100 in length.');
      }),
    }),
    0,
    25,
  ),
});

const { ApplicationCommand, ApplicationCommandAutocomplete, MessageComponent, ModalSubmit } =
  InteractionType;

/** Which answers an interaction takes (documentation, "Interaction Callback Type"). */
const TAKES: Partial<Record<InteractionResponseType, InteractionType[]>> = {
  [InteractionResponseType.ChannelMessageWithSource]: [
    ApplicationCommand,
    MessageComponent,
    ModalSubmit,
  ],
  [InteractionResponseType.DeferredChannelMessageWithSource]: [
    ApplicationCommand,
    MessageComponent,
    ModalSubmit,
  ],
  [InteractionResponseType.DeferredMessageUpdate]: [MessageComponent, ModalSubmit],
  [InteractionResponseType.UpdateMessage]: [MessageComponent, ModalSubmit],
  [InteractionResponseType.ApplicationCommandAutocompleteResult]: [ApplicationCommandAutocomplete],
  [InteractionResponseType.Modal]: [ApplicationCommand, MessageComponent],
};

/** Where an answer comes from (documentation, "Message Interaction Metadata"). */
function metadata({ id, type, member, channel, source, name, opener }: Interaction): object {
  return {
    id,
    type,
    user: member.user,
    authorizing_integration_owners: { 0: channel.guildId },
    ...(type === ApplicationCommand && { name, command_type: ApplicationCommandType.ChatInput }),
    ...(type === MessageComponent && { interacted_message_id: source?.data.id }),
    ...(opener && { triggering_interaction_metadata: metadata(opener) }),
  };
}

/** What a message that answers an interaction carries beside its content. */
export function answerExtra(context: RestContext, interaction: Interaction): Partial<APIMessage> {
  return {
    type:
      interaction.type === ApplicationCommand ? MessageType.ChatInputCommand : MessageType.Reply,
    application_id: context.application.id,
    webhook_id: context.application.id,
    interaction_metadata: metadata(interaction) as NonNullable<APIMessage['interaction_metadata']>,
  };
}

function flagsOf(data: unknown): number {
  const flags = (data as APIInteractionResponseCallbackData | undefined)?.flags;
  return typeof flags === 'number' ? flags : 0;
}

/** Posts a message that answers an interaction, only for the person when the flags say so. */
export function postAnswer(
  context: RestContext,
  interaction: Interaction,
  payload: unknown,
  uploads: readonly Upload[],
  flags: number,
) {
  const ephemeral = (flags & MessageFlags.Ephemeral) !== 0;
  const message = context.messages.create({
    channel: interaction.channel,
    author: context.world.bot,
    payload,
    uploads,
    onlyFor: ephemeral ? interaction.member.user.id : undefined,
    flags: flags & (MessageFlags.Ephemeral | MessageFlags.Loading),
    extra: answerExtra(context, interaction),
  });
  context.interactions.show(interaction, message);
  return message;
}

function respond(
  context: RestContext,
  interaction: Interaction,
  { type, data }: z.output<typeof Callback>,
  uploads: readonly Upload[],
): void {
  switch (type) {
    case InteractionResponseType.ChannelMessageWithSource:
      interaction.original = postAnswer(context, interaction, data ?? {}, uploads, flagsOf(data));
      interaction.state = 'answered';
      return;
    case InteractionResponseType.DeferredChannelMessageWithSource: {
      const flags = (flagsOf(data) & MessageFlags.Ephemeral) | MessageFlags.Loading;
      interaction.original = postAnswer(context, interaction, {}, [], flags);
      interaction.state = 'deferred';
      return;
    }
    case InteractionResponseType.DeferredMessageUpdate:
      interaction.original = interaction.source;
      interaction.state = 'deferredUpdate';
      return;
    case InteractionResponseType.UpdateMessage:
      interaction.original = interaction.source;
      if (interaction.source) {
        context.messages.edit(interaction.source, data ?? {}, uploads);
        context.interactions.show(interaction, interaction.source);
      }
      interaction.state = 'answered';
      return;
    case InteractionResponseType.ApplicationCommandAutocompleteResult:
      interaction.choices = check(Choices, data).choices;
      interaction.state = 'answered';
      return;
    default:
      interaction.modal = check(ModalData, data) as APIModalInteractionResponseCallbackData;
      interaction.state = 'answered';
  }
}

/** Faults of a message stand below `data`, where the body has it. */
function belowData(error: unknown): unknown {
  if (!(error instanceof ApiRefusal) || error.errors === undefined) return error;
  const { status, code, message, errors } = error;
  return new ApiRefusal(status, code, message, { data: errors });
}

/** POST /interactions/{id}/{token}/callback: the first answer. */
export function interactionRoutes(app: FastifyInstance, context: RestContext): void {
  app.post<{ Params: { id: string; token: string }; Querystring: { with_response?: string } }>(
    '/interactions/:id/:token/callback',
    async ({ params, query, body, uploads }, reply) => {
      const interaction = context.interactions.forAnswer(params.id, params.token);
      const callback = check(Callback, body);
      if (!TAKES[callback.type]?.includes(interaction.type)) {
        const message = 'This interaction does not take an answer of this type';
        throw fieldRefusal(['type'], 'INTERACTION_CALLBACK_TYPE_INVALID', message);
      }
      try {
        respond(context, interaction, callback, uploads);
      } catch (error) {
        throw belowData(error);
      }
      interaction.events.emit('change');
      if (query.with_response !== 'true') return reply.status(204).send();

      const message = interaction.original?.data;
      const flags = message?.flags ?? 0;
      return reply.status(200).send({
        interaction: {
          id: interaction.id,
          type: interaction.type,
          channel_id: interaction.channel.id,
          guild_id: interaction.channel.guildId,
          ...(message && {
            response_message_id: message.id,
            response_message_loading: (flags & MessageFlags.Loading) !== 0,
            response_message_ephemeral: (flags & MessageFlags.Ephemeral) !== 0,
          }),
        },
        resource: { type: callback.type, ...(message && { message }) },
      });
    },
  );
}
