import {
  type APIOverwrite,
  type APIRole,
  type APIUser,
  type ChannelType,
  GatewayDispatchEvents,
  Locale,
  OverwriteType,
} from 'discord-api-types/v10';
import { refusal } from './errors.ts';
import type { StoredMessage } from './messages.ts';
import { channelPermissions } from './permissions.ts';
import {
  channelData,
  guildCreateData,
  guildData,
  memberData,
  roleData,
  userData,
} from './serialize.ts';

export interface Guild {
  readonly id: string;
  name: string;
  ownerId: string;
  locale: Locale;
  /** Bytes that one attachment may have, 10 MiB where nobody pays. */
  attachmentSizeLimit: number;
  readonly roles: Map<string, APIRole>;
  readonly channels: Map<string, Channel>;
  readonly members: Map<string, Member>;
  /** By user, of those who are in a voice channel. */
  readonly voiceStates: Map<string, VoiceState>;
  readonly createdAt: Date;
}

export interface Channel {
  readonly id: string;
  readonly guildId: string;
  readonly type: ChannelType.GuildText | ChannelType.GuildVoice | ChannelType.GuildStageVoice;
  name: string;
  readonly position: number;
  /** People whom a voice channel takes; 0 for any number. */
  userLimit: number;
  overwrites: APIOverwrite[];
  readonly messages: Map<string, StoredMessage>;
}

export interface Member {
  readonly guildId: string;
  readonly user: APIUser;
  nick: string | null;
  roles: string[];
  readonly joinedAt: Date;
  /** Language of the person's own client. */
  locale: Locale;
}

/** Where somebody is in voice, and how (documentation, "Voice State Object"). */
export interface VoiceState {
  /** Null once somebody has left. */
  channelId: string | null;
  readonly sessionId: string;
  deaf: boolean;
  mute: boolean;
  selfDeaf: boolean;
  selfMute: boolean;
  /** May not speak there. */
  suppress: boolean;
  requestToSpeakAt: Date | undefined;
}

export type Dispatch = (event: GatewayDispatchEvents, data: object, guildId?: string) => void;

export interface WorldOptions {
  nextId: () => string;
  /** Tells the bot of a change. */
  dispatch: Dispatch;
  /** The bot's own user, a member of every guild. */
  bot: APIUser;
  /** What the bot's role in a new guild allows. */
  botPermissions: bigint;
  /** Called before a channel goes, while it is still there. */
  channelGoes: (channel: Channel) => void;
}

/** Who and what there is: guilds with their roles, channels and members. Every change reaches the bot. */
export class World {
  readonly guilds = new Map<string, Guild>();
  readonly users = new Map<string, APIUser>();
  readonly bot: APIUser;
  readonly #options: WorldOptions;

  constructor(options: WorldOptions) {
    this.#options = options;
    this.bot = options.bot;
    this.users.set(this.bot.id, this.bot);
  }

  /**
   * Adds a guild with the bot in it.
   *
   * @param options.everyone - permissions of the role @everyone
   */
  addGuild(options: { name: string; everyone: bigint; locale?: Locale }): Guild {
    const id = this.#options.nextId();
    const guild: Guild = {
      id,
      name: options.name,
      ownerId: this.#options.nextId(),
      locale: options.locale ?? Locale.EnglishUS,
      attachmentSizeLimit: 10 * 1024 * 1024,
      roles: new Map([[id, roleData({ id, name: '@everyone', permissions: options.everyone })]]),
      channels: new Map(),
      members: new Map(),
      voiceStates: new Map(),
      createdAt: new Date(),
    };
    const botRole = roleData({
      id: this.#options.nextId(),
      name: this.bot.username,
      permissions: this.#options.botPermissions,
      position: 1,
      botId: this.bot.id,
    });
    guild.roles.set(botRole.id, botRole);
    guild.members.set(this.bot.id, this.#member(guild, this.bot, [botRole.id]));
    this.guilds.set(id, guild);
    this.#options.dispatch(GatewayDispatchEvents.GuildCreate, guildCreateData(guild), id);
    return guild;
  }

  addRole(guild: Guild, options: { name: string; permissions: bigint }): APIRole {
    const role = roleData({
      id: this.#options.nextId(),
      position: guild.roles.size,
      ...options,
    });
    guild.roles.set(role.id, role);
    const data = { guild_id: guild.id, role };
    this.#options.dispatch(GatewayDispatchEvents.GuildRoleCreate, data, guild.id);
    return role;
  }

  /** Changes what a role allows; the role @everyone has the guild's id. */
  setRolePermissions(guild: Guild, roleId: string, permissions: bigint): void {
    const role = guild.roles.get(roleId);
    if (!role) throw refusal(10011);
    role.permissions = permissions.toString();
    const data = { guild_id: guild.id, role };
    this.#options.dispatch(GatewayDispatchEvents.GuildRoleUpdate, data, guild.id);
  }

  addChannel(guild: Guild, options: { name: string; type: Channel['type'] }): Channel {
    const channel: Channel = {
      id: this.#options.nextId(),
      guildId: guild.id,
      type: options.type,
      name: options.name,
      position: guild.channels.size,
      userLimit: 0,
      overwrites: [],
      messages: new Map(),
    };
    guild.channels.set(channel.id, channel);
    const data = channelData(channel);
    this.#options.dispatch(GatewayDispatchEvents.ChannelCreate, data, guild.id);
    return channel;
  }

  /** Deletes a channel; who is in a voice channel falls out of it. */
  removeChannel(channel: Channel): void {
    this.#options.channelGoes(channel);
    this.guild(channel.guildId).channels.delete(channel.id);
    const data = channelData(channel);
    this.#options.dispatch(GatewayDispatchEvents.ChannelDelete, data, channel.guildId);
  }

  /** @param limit - people whom the voice channel takes; 0 for any number */
  setUserLimit(channel: Channel, limit: number): void {
    channel.userLimit = limit;
    const data = channelData(channel);
    this.#options.dispatch(GatewayDispatchEvents.ChannelUpdate, data, channel.guildId);
  }

  /**
   * Grants or takes permissions in one channel, for a role or a member; replaces what was set for
   * the same role or member before.
   */
  setOverwrite(
    channel: Channel,
    target: APIRole | Member,
    permissions: { allow?: bigint; deny?: bigint },
  ): void {
    const isMember = 'user' in target;
    const id = isMember ? target.user.id : target.id;
    channel.overwrites = [
      ...channel.overwrites.filter((overwrite) => overwrite.id !== id),
      {
        id,
        type: isMember ? OverwriteType.Member : OverwriteType.Role,
        allow: (permissions.allow ?? 0n).toString(),
        deny: (permissions.deny ?? 0n).toString(),
      },
    ];
    const data = channelData(channel);
    this.#options.dispatch(GatewayDispatchEvents.ChannelUpdate, data, channel.guildId);
  }

  /** Adds a person to a guild: a new one, or one that other guilds know already. */
  addMember(
    guild: Guild,
    options: { name: string; roles?: APIRole[]; locale?: Locale; user?: APIUser },
  ): Member {
    const user =
      options.user ?? userData({ id: this.#options.nextId(), name: options.name, bot: false });
    this.users.set(user.id, user);
    const roles = (options.roles ?? []).map((role) => role.id);
    const member = this.#member(guild, user, roles, options.locale);
    guild.members.set(user.id, member);
    const data = { ...memberData(member), guild_id: guild.id };
    this.#options.dispatch(GatewayDispatchEvents.GuildMemberAdd, data, guild.id);
    return member;
  }

  setOwner(guild: Guild, owner: Member): void {
    guild.ownerId = owner.user.id;
    this.#options.dispatch(GatewayDispatchEvents.GuildUpdate, guildData(guild), guild.id);
  }

  guild(id: string): Guild {
    const guild = this.guilds.get(id);
    if (!guild) throw refusal(10004);
    return guild;
  }

  channel(id: string): Channel {
    for (const guild of this.guilds.values()) {
      const channel = guild.channels.get(id);
      if (channel) return channel;
    }
    throw refusal(10003);
  }

  member(guildId: string, userId: string): Member {
    const member = this.guild(guildId).members.get(userId);
    if (!member) throw refusal(10007);
    return member;
  }

  /** What somebody may do in a channel. */
  permissionsIn(channel: Channel, userId: string): bigint {
    const guild = this.guild(channel.guildId);
    return channelPermissions(guild, this.member(guild.id, userId), channel);
  }

  #member(guild: Guild, user: APIUser, roles: string[], locale = Locale.EnglishUS): Member {
    return { guildId: guild.id, user, nick: null, roles, joinedAt: new Date(), locale };
  }
}
