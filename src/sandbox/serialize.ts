import {
  type APIChannel,
  type APIGuild,
  type APIGuildMember,
  type APIGuildStageVoiceChannel,
  type APIGuildVoiceChannel,
  type APIRole,
  type APITextChannel,
  type APIUser,
  type APIVoiceState,
  ChannelType,
  GuildDefaultMessageNotifications,
  GuildExplicitContentFilter,
  type GuildMemberFlags,
  GuildMFALevel,
  GuildNSFWLevel,
  GuildPremiumTier,
  GuildVerificationLevel,
  type RoleFlags,
  type UserFlags,
} from 'discord-api-types/v10';
import type { Channel, Guild, Member, VoiceState } from './world.ts';

export function userData(user: { id: string; name: string; bot: boolean }): APIUser {
  const data: APIUser = {
    id: user.id,
    username: user.bot ? user.name : user.name.toLowerCase(),
    global_name: user.bot ? null : user.name,
    discriminator: user.bot ? '0001' : '0',
    avatar: null,
    public_flags: 0 as UserFlags,
    flags: 0 as UserFlags,
    primary_guild: null,
  };
  return user.bot ? { ...data, bot: true } : data;
}

export function roleData(role: {
  id: string;
  name: string;
  permissions: bigint;
  position?: number;
  /** The bot that the role belongs to, for the role that comes with an installation. */
  botId?: string;
}): APIRole {
  const data: APIRole = {
    id: role.id,
    name: role.name,
    permissions: role.permissions.toString(),
    position: role.position ?? 0,
    color: 0,
    colors: { primary_color: 0, secondary_color: null, tertiary_color: null },
    hoist: false,
    managed: role.botId !== undefined,
    mentionable: false,
    icon: null,
    unicode_emoji: null,
    flags: 0 as RoleFlags,
  };
  return role.botId === undefined ? data : { ...data, tags: { bot_id: role.botId } };
}

export function channelData(
  channel: Channel,
): APITextChannel | APIGuildVoiceChannel | APIGuildStageVoiceChannel {
  const common = {
    id: channel.id,
    guild_id: channel.guildId,
    name: channel.name,
    position: channel.position,
    permission_overwrites: channel.overwrites,
    parent_id: null,
    nsfw: false,
    rate_limit_per_user: 0,
    last_message_id: [...channel.messages.keys()].at(-1) ?? null,
    flags: 0 as APIChannel['flags'] & number,
  };
  return channel.type === ChannelType.GuildText
    ? { ...common, type: channel.type, topic: null, last_pin_timestamp: null }
    : {
        ...common,
        type: channel.type,
        bitrate: 64_000,
        user_limit: channel.userLimit,
        rtc_region: null,
      };
}

export function memberData(member: Member): APIGuildMember {
  return {
    user: member.user,
    nick: member.nick,
    avatar: null,
    banner: null,
    roles: member.roles,
    joined_at: member.joinedAt.toISOString(),
    premium_since: null,
    communication_disabled_until: null,
    pending: false,
    deaf: false,
    mute: false,
    flags: 0 as GuildMemberFlags,
  };
}

/** A voice state without guild and member, as GUILD_CREATE holds it. */
function voiceStateFields(userId: string, state: VoiceState): Omit<APIVoiceState, 'guild_id'> {
  return {
    channel_id: state.channelId,
    user_id: userId,
    session_id: state.sessionId,
    deaf: state.deaf,
    mute: state.mute,
    self_deaf: state.selfDeaf,
    self_mute: state.selfMute,
    self_video: false,
    suppress: state.suppress,
    request_to_speak_timestamp: state.requestToSpeakAt?.toISOString() ?? null,
  };
}

export function voiceStateData(member: Member, state: VoiceState): APIVoiceState {
  const fields = voiceStateFields(member.user.id, state);
  return { guild_id: member.guildId, member: memberData(member), ...fields };
}

export function guildData(guild: Guild) {
  return {
    id: guild.id,
    name: guild.name,
    icon: null,
    description: null,
    home_header: null,
    splash: null,
    discovery_splash: null,
    features: [],
    banner: null,
    owner_id: guild.ownerId,
    application_id: null,
    region: 'deprecated',
    afk_channel_id: null,
    afk_timeout: 300,
    system_channel_id: null,
    system_channel_flags: 0 as APIGuild['system_channel_flags'],
    widget_enabled: false,
    widget_channel_id: null,
    verification_level: GuildVerificationLevel.None,
    roles: [...guild.roles.values()],
    default_message_notifications: GuildDefaultMessageNotifications.OnlyMentions,
    mfa_level: GuildMFALevel.None,
    explicit_content_filter: GuildExplicitContentFilter.Disabled,
    max_presences: null,
    max_members: 500_000,
    max_stage_video_channel_users: 50,
    max_video_channel_users: 25,
    vanity_url_code: null,
    premium_tier: GuildPremiumTier.None,
    premium_subscription_count: 0,
    preferred_locale: guild.locale,
    rules_channel_id: null,
    safety_alerts_channel_id: null,
    public_updates_channel_id: null,
    premium_progress_bar_enabled: false,
    nsfw: false,
    nsfw_level: GuildNSFWLevel.Default,
    emojis: [],
    stickers: [],
    hub_type: null,
    incidents_data: null,
  } satisfies APIGuild & { home_header: null; nsfw: boolean };
}

/** A guild as the gateway announces it: with its channels and members. */
export function guildCreateData(guild: Guild) {
  return {
    ...guildData(guild),
    joined_at: guild.createdAt.toISOString(),
    large: false,
    unavailable: false,
    member_count: guild.members.size,
    voice_states: [...guild.voiceStates].map(([userId, state]) => voiceStateFields(userId, state)),
    members: [...guild.members.values()].map(memberData),
    channels: [...guild.channels.values()].map(channelData),
    threads: [],
    presences: [],
    stage_instances: [],
    guild_scheduled_events: [],
    soundboard_sounds: [],
  };
}
