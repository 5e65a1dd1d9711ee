import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Logger } from '../log.ts';
import { createClock } from './clock.ts';
import { type SessionEnd, SessionEndedError } from './endings.ts';
import type { LinkDeadlines, VoiceChannelTarget } from './link.ts';
import {
  type OwnedSession,
  openSession,
  QUEUE_BOUNDS,
  type QueueBounds,
  type Session,
  VOLUME,
} from './session.ts';

export interface SessionsOptions {
  log: Logger;
  bounds?: QueueBounds;
  /** Called once for each session that has ended, with why, so that people can be told. */
  onEnd?: (session: Session, reason: SessionEnd) => void;
  /** Called when the bot has come into a channel: by itself, or because someone moved it. */
  onChannel?: (session: Session, channelId: string) => void;
  deadlines?: LinkDeadlines;
  stallMs?: number;
}

export interface JoinOptions {
  /** Percent of loudness to begin with. */
  volume?: number;
  /** Of the queue, when they differ from those of all sessions. */
  bounds?: QueueBounds;
}

/** The voice channels that the bot is in, one a guild. */
export interface Sessions {
  /**
   * Joins a channel, or goes there from another one of the guild. The session is there at once and
   * takes what is to be said; `arrived` tells when the bot can be heard. Of two that are asked for
   * at the same time the last one wins.
   *
   * @throws {SessionEndedError} when the bot stops
   */
  join(channel: VoiceChannelTarget, options?: JoinOptions): Session;
  /** Asks for the channel again, because the bot has begun a new session with Discord. */
  rejoin(guildId: string): void;
  /** Leaves; false when the bot was in no channel of the guild. Also while it joins. */
  leave(guildId: string): boolean;
  get(guildId: string): Session | undefined;
  all(): Session[];
  /** Lets what is being said come to its end, at most `graceMs`, then leaves everywhere. */
  close(graceMs: number): Promise<void>;
}

export function createSessions(options: SessionsOptions): Sessions {
  const { log, bounds = QUEUE_BOUNDS, deadlines, stallMs } = options;
  const sessions = new Map<string, OwnedSession>();
  const group = randomUUID();
  const clock = createClock();
  let closed = false;

  function open(
    target: VoiceChannelTarget,
    { volume = VOLUME.default, bounds: own = bounds }: JoinOptions,
  ): OwnedSession {
    const { guildId } = target;
    const guildLog = log.child({ guild: guildId });
    const session = openSession(target, {
      group,
      clock,
      bounds: own,
      volume,
      log: guildLog,
      onEnd(reason) {
        guildLog.info({ reason }, 'voice session ended');
        sessions.delete(guildId);
        options.onEnd?.(session, reason);
      },
      onChannel(channelId) {
        guildLog.info({ channel: channelId }, 'in voice channel');
        options.onChannel?.(session, channelId);
      },
      ...(deadlines && { deadlines }),
      ...(stallMs !== undefined && { stallMs }),
    });
    sessions.set(guildId, session);
    return session;
  }

  return {
    join(channel, joinOptions = {}) {
      if (closed) throw new SessionEndedError('stopping');
      const present = sessions.get(channel.guildId);
      present?.move(channel.channelId);
      return present ?? open(channel, joinOptions);
    },
    rejoin: (guildId) => sessions.get(guildId)?.rejoin(),
    leave(guildId) {
      const session = sessions.get(guildId);
      session?.end('left');
      return session !== undefined;
    },
    get: (guildId) => sessions.get(guildId),
    all: () => [...sessions.values()],
    async close(graceMs) {
      closed = true;
      const open = [...sessions.values()];
      for (const session of open) {
        const { speaking } = session.queue();
        session.remove((item) => item !== speaking?.item);
      }
      const over = new AbortController();
      await Promise.race([
        Promise.all(open.map((session) => session.idle())),
        setTimeout(graceMs, undefined, { signal: over.signal }).catch(() => {}),
      ]);
      over.abort();
      for (const session of open) session.end('stopping');
    },
  };
}
