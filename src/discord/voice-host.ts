import { setTimeout } from 'node:timers/promises';
import {
  type Client,
  DiscordAPIError,
  Events,
  PermissionFlagsBits,
  RESTJSONErrorCodes,
  Status,
  type VoiceBasedChannel,
} from 'discord.js';
import { UserError } from '../errors.ts';
import type { Logger } from '../log.ts';
import { type SessionEnd, sentenceForEnd } from '../playback/endings.ts';
import type { QueueBounds, Session } from '../playback/session.ts';
import { createSessions, type Sessions } from '../playback/sessions.ts';
import type { GuildSettings } from '../store/guild-settings.ts';
import type { Records } from '../store/records.ts';
import { becomeSpeaker, refusalOf } from './voice-access.ts';

/** Milliseconds from being out of a channel to the news that it is gone. */
const GONE_MS = 300;

/** Milliseconds in which one sentence is not said twice to a guild. */
const REPEAT_MS = 60_000;

/** Hark in voice channels: joins and leaves, remembers where it is, and says in text what goes wrong. */
export interface VoiceHost {
  /**
   * Joins a voice channel, or goes there from another one of the guild. The session takes what is
   * to be said at once; `arrived` tells when it can be heard.
   *
   * @param textChannelId - where members are told what goes wrong
   * @throws {UserError} says why Hark may not speak there
   */
  join(channel: VoiceBasedChannel, textChannelId: string): Promise<Session>;
  /**
   * Waits until a session can be heard.
   *
   * @returns why it is not heard all the same (muted, in a stage's audience), in a sentence
   * @throws {SessionEndedError} says why it did not come to that
   */
  arrived(session: Session): Promise<string | undefined>;
  get(guildId: string): Session | undefined;
  /** False when Hark was in no channel of the guild. */
  leave(guildId: string): boolean;
  /** Says a sentence where the session was started; not the same one twice a minute. Never rejects. */
  tell(guildId: string, sentence: string): Promise<void>;
  /** Goes back to where it was when the program ended. */
  comeBack(places: AsyncIterable<Place>): Promise<void>;
  /** Lets what is being said come to its end, at most `graceMs`, then leaves everywhere. */
  close(graceMs: number): Promise<void>;
}

/** Where Hark was speaking. */
export interface Place {
  guildId: string;
  channelId: string;
  textChannelId: string;
}

export interface VoiceHostOptions {
  client: Client;
  settings: Records<GuildSettings>;
  log: Logger;
}

export function queueBounds({ queueLimit, memberQueueLimit }: GuildSettings): QueueBounds {
  return { guild: queueLimit, member: memberQueueLimit };
}

export function createVoiceHost({ client, settings, log }: VoiceHostOptions): VoiceHost {
  /** Where members of a guild are told what happens. */
  const textChannels = new Map<string, string>();
  /** Sentences by guild, with when they may be said again. */
  const told = new Map<string, number>();
  /** Sessions that somebody waits for. */
  const awaited = new Set<Session>();
  /** What is written down and said behind the sessions, which `close` waits for. */
  const following = new Set<Promise<void>>();
  const sessions: Sessions = createSessions({ log, onEnd: ended, onChannel: remember });

  function ended(session: Session, reason: SessionEnd): void {
    const { guildId, channelId } = session;
    // After a restart Hark comes back to where it was.
    if (reason === 'stopping') return;
    keepPlace(guildId, undefined);
    // Who asked for it is told by the answer.
    if (awaited.has(session)) return;
    if (reason === 'disconnected') follow(explainDisconnect(guildId, channelId));
    else if (reason !== 'left') follow(post(guildId, sentenceForEnd(reason)));
  }

  /** Discord may say that Hark is out before it says that the channel is gone. */
  async function explainDisconnect(guildId: string, channelId: string): Promise<void> {
    await setTimeout(GONE_MS);
    const isGone = !client.channels.cache.has(channelId);
    await post(
      guildId,
      isGone
        ? 'The voice channel was deleted, so I left; what was waiting is not said.'
        : sentenceForEnd('disconnected'),
    );
  }

  function remember({ guildId }: Session, channelId: string): void {
    const textChannelId = textChannels.get(guildId);
    if (textChannelId !== undefined) keepPlace(guildId, { channelId, textChannelId });
  }

  function keepPlace(guildId: string, session: GuildSettings['session']): void {
    follow(
      settings.update(guildId, { session }).then(
        () => {},
        (err: unknown) => log.error({ err, guild: guildId }, 'the place was not remembered'),
      ),
    );
  }

  function follow(work: Promise<void>): void {
    following.add(work);
    void work.finally(() => following.delete(work));
  }

  async function tell(guildId: string, sentence: string): Promise<void> {
    const key = `${guildId} ${sentence}`;
    const now = performance.now();
    for (const [old, until] of told) if (until <= now) told.delete(old);
    if (told.has(key)) return;
    told.set(key, now + REPEAT_MS);
    await post(guildId, sentence);
  }

  /** Never rejects. */
  async function post(guildId: string, sentence: string): Promise<void> {
    const channel = client.channels.cache.get(textChannels.get(guildId) ?? '');
    const me = client.guilds.cache.get(guildId)?.members.me;
    if (!channel?.isSendable() || channel.isDMBased() || !me) return;
    if (!channel.permissionsFor(me).has(PermissionFlagsBits.SendMessages)) return;
    try {
      await channel.send({ content: sentence });
    } catch (error) {
      log.warn({ err: error, guild: guildId, sentence }, 'members could not be told');
    }
  }

  /** With a new session Discord has forgotten that the bot is in voice channels. */
  function onNewSession(shardId: number): void {
    for (const { guildId } of sessions.all()) {
      if (client.guilds.cache.get(guildId)?.shardId === shardId) sessions.rejoin(guildId);
    }
  }
  client.on(Events.ShardReady, onNewSession);

  async function join(channel: VoiceBasedChannel, textChannelId: string): Promise<Session> {
    const refusal = refusalOf(channel);
    if (refusal !== undefined) throw new UserError(refusal);
    const { guild } = channel;
    const kept = await settings.get(guild.id);
    textChannels.set(guild.id, textChannelId);
    return sessions.join(
      {
        guildId: guild.id,
        channelId: channel.id,
        adapterCreator: guild.voiceAdapterCreator,
        online: () => guild.shard.status === Status.Ready,
      },
      { volume: kept.volume, bounds: queueBounds(kept) },
    );
  }

  async function arrived(session: Session): Promise<string | undefined> {
    awaited.add(session);
    try {
      await session.arrived();
    } finally {
      awaited.delete(session);
    }
    const channel = client.channels.cache.get(session.channelId);
    if (!channel?.isVoiceBased()) return undefined;
    try {
      return await becomeSpeaker(channel);
    } catch (error) {
      if (!isDenied(error)) throw error;
      return `I may not ask to speak in ${channel}: a stage moderator can invite me to speak.`;
    }
  }

  async function goBack({ guildId, channelId, textChannelId }: Place): Promise<void> {
    const channel = client.channels.cache.get(channelId);
    if (!channel?.isVoiceBased()) {
      keepPlace(guildId, undefined);
      return;
    }
    textChannels.set(guildId, textChannelId);
    try {
      const notHeard = await arrived(await join(channel, textChannelId));
      if (notHeard !== undefined) await tell(guildId, notHeard);
    } catch (error) {
      log.warn({ err: error, guild: guildId }, 'no way back to the voice channel');
      if (!(error instanceof UserError)) return;
      keepPlace(guildId, undefined);
      await tell(guildId, error.message);
    }
  }

  return {
    join,
    arrived,
    tell,
    get: sessions.get,
    leave: sessions.leave,
    async comeBack(places) {
      for (const place of await Array.fromAsync(places)) void goBack(place);
    },
    async close(graceMs) {
      client.off(Events.ShardReady, onNewSession);
      await sessions.close(graceMs);
      await Promise.all(following);
    },
  };
}

function isDenied(error: unknown): boolean {
  return (
    error instanceof DiscordAPIError &&
    (error.code === RESTJSONErrorCodes.MissingPermissions ||
      error.code === RESTJSONErrorCodes.MissingAccess)
  );
}
