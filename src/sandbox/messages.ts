import {
  type APIMessage,
  type APIUser,
  GatewayDispatchEvents,
  MessageFlags,
  MessageType,
  PermissionFlagsBits,
} from 'discord-api-types/v10';
import type { Attachments, Upload } from './attachments.ts';
import { refusal } from './errors.ts';
import { pingsOf } from './mentions.ts';
import { attach } from './message-attachments.ts';
import { type MessagePayload, messageSchema } from './message-schema.ts';
import { hasPermission } from './permissions.ts';
import { check } from './validate.ts';
import { checkVoiceMessage, isVoiceMessage } from './voice-message.ts';
import type { Channel, Dispatch, World } from './world.ts';

/** A message as it is kept: what the API gives of it, and what only the sandbox knows. */
export interface StoredMessage {
  data: APIMessage;
  channel: Channel;
  /** The only person who sees it, for an ephemeral message. */
  onlyFor: string | undefined;
  deleted: boolean;
}

export interface Draft {
  channel: Channel;
  author: APIUser;
  /** The body as it came. */
  payload: unknown;
  uploads: readonly Upload[];
  /** The only person who sees it. */
  onlyFor?: string | undefined;
  /** Flags that the sandbox adds: ephemeral, loading. */
  flags?: number;
  /** What an answer to an interaction carries beside. */
  extra?: Partial<APIMessage>;
}

/** Flags that a sender may set (documentation, "Create Message"). */
const SENDABLE_FLAGS =
  MessageFlags.SuppressEmbeds |
  MessageFlags.SuppressNotifications |
  MessageFlags.IsVoiceMessage |
  MessageFlags.IsComponentsV2;

const MAX_KEPT_MESSAGES = 1000;

function flagsOf(payload: unknown): number {
  const flags = (payload as { flags?: unknown } | null)?.flags;
  return typeof flags === 'number' && Number.isInteger(flags) ? flags : 0;
}

/** Makes, changes and removes messages, and tells the bot and the page of each. */
export class Messages {
  readonly #world: World;
  readonly #attachments: Attachments;
  readonly #nextId: () => string;
  readonly #dispatch: Dispatch;
  readonly #byId = new Map<string, StoredMessage>();
  readonly #changed: (message: StoredMessage) => void;

  constructor(options: {
    world: World;
    attachments: Attachments;
    nextId: () => string;
    dispatch: Dispatch;
    /** Called after a message was made, edited or deleted. */
    changed: (message: StoredMessage) => void;
  }) {
    this.#world = options.world;
    this.#attachments = options.attachments;
    this.#nextId = options.nextId;
    this.#dispatch = options.dispatch;
    this.#changed = options.changed;
  }

  /** A message by its id, ephemeral and deleted ones too while they are kept. */
  find(id: string): StoredMessage | undefined {
    return this.#byId.get(id);
  }

  /** @throws ApiRefusal for everything that Discord does not take */
  create(draft: Draft): StoredMessage {
    const flags = (flagsOf(draft.payload) & SENDABLE_FLAGS) | (draft.flags ?? 0);
    const payload = this.#checked(draft.payload, draft.uploads, flags, draft.channel, draft.author);
    const message: StoredMessage = {
      data: {
        id: this.#nextId(),
        channel_id: draft.channel.id,
        author: draft.author,
        type: MessageType.Default,
        content: '',
        timestamp: new Date().toISOString(),
        edited_timestamp: null,
        tts: payload.tts ?? false,
        mention_everyone: false,
        mentions: [],
        mention_roles: [],
        attachments: [],
        embeds: [],
        components: [],
        pinned: false,
        flags,
        ...(payload.nonce != null && { nonce: payload.nonce }),
        ...draft.extra,
      },
      channel: draft.channel,
      onlyFor: draft.onlyFor,
      deleted: false,
    };
    this.#write(message, payload, draft.uploads);
    const loading = (flags & MessageFlags.Loading) !== 0;
    if (!loading && this.#isEmpty(message)) throw refusal(50006);
    this.#keep(message);
    this.#announce(GatewayDispatchEvents.MessageCreate, message);
    return message;
  }

  /** Changes what the body names and leaves the rest; ends "is thinking". */
  edit(message: StoredMessage, given: unknown, uploads: readonly Upload[]): StoredMessage {
    const loading = ((message.data.flags ?? 0) & MessageFlags.Loading) !== 0;
    if (!loading && isVoiceMessage(message.data.flags ?? 0)) throw refusal(50162);
    const settable = loading
      ? SENDABLE_FLAGS
      : MessageFlags.SuppressEmbeds | MessageFlags.IsComponentsV2;
    const flags = ((message.data.flags ?? 0) & ~MessageFlags.Loading) | (flagsOf(given) & settable);
    const payload = this.#checked(given, uploads, flags, message.channel, message.data.author);
    const before = message.data;
    message.data = { ...before, flags };
    if (!loading) message.data.edited_timestamp = new Date().toISOString();
    try {
      this.#write(message, payload, uploads);
      if (this.#isEmpty(message)) throw refusal(50006);
    } catch (error) {
      message.data = before;
      throw error;
    }
    this.#announce(GatewayDispatchEvents.MessageUpdate, message);
    return message;
  }

  remove(message: StoredMessage): void {
    message.deleted = true;
    message.channel.messages.delete(message.data.id);
    this.#announce(GatewayDispatchEvents.MessageDelete, message);
  }

  #checked(
    given: unknown,
    uploads: readonly Upload[],
    flags: number,
    channel: Channel,
    author: APIUser,
  ): MessagePayload {
    const payload = check(messageSchema(flags), given);
    const guild = this.#world.guild(channel.guildId);
    if (!guild.channels.has(channel.id)) throw refusal(10003);
    const tooLarge = uploads.some((upload) => upload.data.length > guild.attachmentSizeLimit);
    if (tooLarge) throw refusal(40005);
    if (isVoiceMessage(flags)) {
      checkVoiceMessage(payload, uploads);
      const permissions = this.#world.permissionsIn(channel, author.id);
      if (!hasPermission(permissions, PermissionFlagsBits.SendVoiceMessages)) throw refusal(50173);
    }
    return payload;
  }

  #write(message: StoredMessage, payload: MessagePayload, uploads: readonly Upload[]): void {
    const { data } = message;
    if (payload.content !== undefined) data.content = payload.content ?? '';
    if (payload.embeds !== undefined) {
      data.embeds = (payload.embeds ?? []).map((embed) => ({
        type: 'rich',
        ...embed,
      })) as APIMessage['embeds'];
    }
    if (payload.components !== undefined) {
      data.components = (payload.components ?? []) as APIMessage['components'];
    }
    const place = message.onlyFor === undefined ? { channelId: message.channel.id } : 'ephemeral';
    data.attachments = attach(this.#attachments, data.attachments, payload, uploads, place);

    const guild = this.#world.guild(message.channel.guildId);
    const pings = pingsOf(guild, data.content, payload.allowed_mentions);
    data.mentions = pings.users.map((id) => this.#world.member(guild.id, id).user);
    data.mention_roles = pings.roles;
    data.mention_everyone = pings.everyone;
  }

  #isEmpty({ data }: StoredMessage): boolean {
    const { content, embeds, attachments, components, sticker_items, message_snapshots } = data;
    const parts = [content, embeds, attachments, components, sticker_items, message_snapshots];
    return data.poll === undefined && !parts.some((part) => (part?.length ?? 0) > 0);
  }

  #keep(message: StoredMessage): void {
    keepBounded(this.#byId, message);
    if (message.onlyFor === undefined) keepBounded(message.channel.messages, message);
  }

  #announce(event: GatewayDispatchEvents, message: StoredMessage): void {
    this.#changed(message);
    const permissions = this.#world.permissionsIn(message.channel, this.#world.bot.id);
    const reachesBot = hasPermission(permissions, PermissionFlagsBits.ViewChannel);
    if (message.onlyFor !== undefined || !reachesBot) return;
    const guildId = message.channel.guildId;
    const { id, channel_id: channelId } = message.data;
    if (event === GatewayDispatchEvents.MessageDelete) {
      this.#dispatch(event, { id, channel_id: channelId, guild_id: guildId }, guildId);
      return;
    }
    const author = this.#world.guild(guildId).members.get(message.data.author.id);
    const member = author && {
      roles: author.roles,
      nick: author.nick,
      joined_at: author.joinedAt.toISOString(),
      deaf: false,
      mute: false,
      flags: 0,
    };
    this.#dispatch(event, { ...message.data, guild_id: guildId, member }, guildId);
  }
}

function keepBounded(messages: Map<string, StoredMessage>, message: StoredMessage): void {
  messages.set(message.data.id, message);
  const oldest = messages.keys().next().value;
  if (messages.size > MAX_KEPT_MESSAGES && oldest !== undefined) messages.delete(oldest);
}
