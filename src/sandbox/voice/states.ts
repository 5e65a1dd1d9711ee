import { randomBytes } from 'node:crypto';
import {
  ChannelType,
  GatewayDispatchEvents,
  PermissionFlagsBits as Permission,
} from 'discord-api-types/v10';
import type { VoiceStateRequest } from '../gateway/frames.ts';
import { hasPermission } from '../permissions.ts';
import { voiceStateData } from '../serialize.ts';
import type { Channel, Dispatch, Member, VoiceState, World } from '../world.ts';

export interface VoiceStatesOptions {
  world: World;
  dispatch: Dispatch;
  /** Called after every change, once the bot was told. */
  changed: (change: VoiceStateChange) => void;
}

export interface VoiceStateChange {
  member: Member;
  /** The channel that the member was in before. */
  from: string | undefined;
  /** As it is now. */
  state: VoiceState;
  /** Session of the main gateway that was there before. */
  previousSession: string | undefined;
}

/** Who is in which voice channel. Changes reach the bot as VOICE_STATE_UPDATE. */
export class VoiceStates {
  readonly #options: VoiceStatesOptions;

  constructor(options: VoiceStatesOptions) {
    this.#options = options;
  }

  of(member: Member): VoiceState | undefined {
    return this.#options.world.guild(member.guildId).voiceStates.get(member.user.id);
  }

  /** Those who are in a channel. */
  in(channel: Channel): Member[] {
    const { members, voiceStates } = this.#options.world.guild(channel.guildId);
    return [...voiceStates].flatMap(([userId, state]) => {
      const member = members.get(userId);
      return member && state.channelId === channel.id ? [member] : [];
    });
  }

  /**
   * What the bot asks for with opcode 4. Discord gives no answer to what is not allowed
   * (documentation, "Connecting to Voice").
   */
  request(request: VoiceStateRequest, sessionId: string): void {
    const { world } = this.#options;
    const guild = world.guilds.get(request.guild_id);
    const member = guild?.members.get(world.bot.id);
    if (!guild || !member) return;
    if (request.channel_id === null) {
      this.leave(member);
      return;
    }
    const channel = guild.channels.get(request.channel_id);
    if (!channel || !this.mayJoin(member, channel)) return;
    this.put(member, channel, {
      sessionId,
      selfMute: request.self_mute,
      selfDeaf: request.self_deaf,
    });
  }

  /** Whether somebody may join by themselves. */
  mayJoin(member: Member, channel: Channel): boolean {
    if (channel.type === ChannelType.GuildText) return false;
    const permissions = this.#options.world.permissionsIn(channel, member.user.id);
    if (!hasPermission(permissions, Permission.ViewChannel | Permission.Connect)) return false;
    const present = this.in(channel);
    const isFull = channel.userLimit > 0 && present.length >= channel.userLimit;
    return (
      !isFull ||
      present.includes(member) ||
      hasPermission(permissions, Permission.ManageChannels) ||
      hasPermission(permissions, Permission.MoveMembers)
    );
  }

  /** Puts somebody into a channel, whatever they may do: their own join, or a move by others. */
  put(
    member: Member,
    channel: Channel,
    own: Partial<Pick<VoiceState, 'sessionId' | 'selfMute' | 'selfDeaf'>> = {},
  ): void {
    const before = this.of(member);
    const moves = before?.channelId !== channel.id;
    this.#set(member, {
      channelId: channel.id,
      sessionId: own.sessionId ?? before?.sessionId ?? randomBytes(16).toString('hex'),
      deaf: before?.deaf ?? false,
      mute: before?.mute ?? false,
      selfDeaf: own.selfDeaf ?? before?.selfDeaf ?? false,
      selfMute: own.selfMute ?? before?.selfMute ?? false,
      suppress: moves ? this.#isSuppressed(member, channel) : before.suppress,
      requestToSpeakAt: moves ? undefined : before.requestToSpeakAt,
    });
  }

  /** Changes how somebody is in their channel: muted by others, allowed to speak on a stage. */
  change(member: Member, changes: Partial<Omit<VoiceState, 'channelId' | 'sessionId'>>): void {
    const before = this.of(member);
    if (before) this.#set(member, { ...before, ...changes });
  }

  leave(member: Member): void {
    const before = this.of(member);
    if (before) this.#set(member, { ...before, channelId: null });
  }

  /** On a stage everybody listens until they are let speak; elsewhere who may not speak is silent. */
  #isSuppressed(member: Member, channel: Channel): boolean {
    const permissions = this.#options.world.permissionsIn(channel, member.user.id);
    return (
      channel.type === ChannelType.GuildStageVoice || !hasPermission(permissions, Permission.Speak)
    );
  }

  #set(member: Member, state: VoiceState): void {
    const { world, dispatch, changed } = this.#options;
    const { voiceStates } = world.guild(member.guildId);
    const before = voiceStates.get(member.user.id);
    if (state.channelId === null) voiceStates.delete(member.user.id);
    else voiceStates.set(member.user.id, state);
    const data = voiceStateData(member, state);
    dispatch(GatewayDispatchEvents.VoiceStateUpdate, data, member.guildId);
    const from = before?.channelId ?? undefined;
    changed({ member, from, state, previousSession: before?.sessionId });
  }
}
