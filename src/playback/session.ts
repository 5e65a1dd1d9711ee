import type { Logger } from '../log.ts';
import { checkRoom, type QueueBounds } from './bounds.ts';
import type { Clock } from './clock.ts';
import { type SessionEnd, SessionEndedError } from './endings.ts';
import { createItem, type Item, type Order, type QueuedItem } from './item.ts';
import type { LinkDeadlines, VoiceChannelTarget } from './link.ts';
import { openLink } from './open-link.ts';
import { PACKET_MS } from './packets.ts';
import { createPlayer } from './player.ts';

export { QUEUE_BOUNDS, type QueueBounds, QueueFullError } from './bounds.ts';

/** Loudness in percent. */
export const VOLUME = { minimum: 0, maximum: 200, default: 100 } as const;

/** What is said and what waits. */
export interface QueueListing {
  /** With the seconds of it that were heard. */
  speaking: { item: Item; elapsed: number } | undefined;
  waiting: readonly Item[];
}

/** The bot in a voice channel of a guild. */
export interface Session {
  readonly guildId: string;
  readonly channelId: string;
  /** Whether it is connected; what is enqueued before waits for it. */
  readonly connected: boolean;
  readonly paused: boolean;
  /** Percent. */
  readonly volume: number;
  /**
   * Resolves when the bot can be heard in the channel; sound may be enqueued before.
   *
   * @throws {SessionEndedError} says why it did not come to that
   */
  arrived(): Promise<void>;
  /**
   * Puts something at the end of the queue.
   *
   * @throws {QueueFullError} when the guild's or the member's bound is reached
   * @throws {SessionEndedError} when the session has ended
   */
  enqueue(order: Order): Item;
  queue(): QueueListing;
  /** Ends what is being said; undefined when nothing is. */
  skip(): Item | undefined;
  /** Takes out what waits, or is said, and fits; tells how many that were. */
  remove(fits: (item: Item) => boolean): number;
  /** Ends what is being said and empties the queue; tells how many that were. */
  stop(): number;
  /** False when it had no effect. */
  pause(): boolean;
  resume(): boolean;
  /** Takes effect with what is said next. */
  setVolume(percent: number): void;
  /** Takes effect with what is enqueued next. */
  setBounds(bounds: QueueBounds): void;
  /** Resolves when nothing is said and nothing waits. */
  idle(): Promise<void>;
}

/** A session as the one who made it works with it. */
export interface OwnedSession extends Session {
  move(channelId: string): void;
  rejoin(): void;
  end(reason: SessionEnd): void;
}

export interface SessionOptions {
  clock: Clock;
  group: string;
  bounds: QueueBounds;
  volume: number;
  log: Logger;
  onEnd(reason: SessionEnd): void;
  onChannel(channelId: string): void;
  deadlines?: LinkDeadlines;
  /** Milliseconds that a sound may be awaited, before its start or in its middle. */
  stallMs?: number;
}

/** Joins a channel and speaks there what is enqueued, one thing after the other. */
export function openSession(target: VoiceChannelTarget, options: SessionOptions): OwnedSession {
  const { log } = options;
  let { bounds } = options;
  const waiting: QueuedItem[] = [];
  let speaking: QueuedItem | undefined;
  /** Settles when the sound of what is said has come whole. */
  let received: Promise<unknown> = Promise.resolve();
  let paused = false;
  let { volume } = options;
  let ended: SessionEnd | undefined;
  let quiet = Promise.withResolvers<void>();
  quiet.resolve();

  const player = createPlayer(
    {
      send: (packet) => link.send(packet),
      setSpeaking: (on) => link.setSpeaking(on),
    },
    options.clock,
    options.stallMs,
  );
  const link = openLink(
    target,
    options.group,
    { onUp: player.wake, onChannel: options.onChannel, onEnd: close },
    log,
    options.deadlines,
  );

  function close(reason: SessionEnd): void {
    if (ended) return;
    ended = reason;
    for (const item of waiting.splice(0)) item.finish({ how: 'session_ended' });
    speaking?.finish({ how: 'session_ended' });
    player.close();
    options.onEnd(reason);
  }

  const gain = () => volume / 100;

  /** Makes the next sound ready while the present one is heard; not before that has come whole. */
  function prepareNext(): void {
    if (!ended) waiting[0]?.load(gain());
  }

  async function speakAll(): Promise<void> {
    quiet = Promise.withResolvers();
    for (let item = waiting.shift(); item && !ended; item = waiting.shift()) {
      speaking = item;
      await speak(item);
      speaking = undefined;
    }
    quiet.resolve();
  }

  async function speak(item: QueuedItem): Promise<void> {
    const buffer = item.load(gain());
    received = buffer.closed.then(prepareNext);
    const end = await player.play(buffer, item.heard);
    if (end === 'stalled') {
      const error = new DOMException('The sound did not come in time', 'TimeoutError');
      log.warn({ err: error }, 'speech stalled');
      item.finish({ how: 'failed', error });
      return;
    }
    if (end === 'stopped') {
      item.finish({ how: 'skipped' });
      return;
    }
    const { error } = await buffer.closed;
    item.finish(error === undefined ? { how: 'spoken' } : { how: 'failed', error });
  }

  /** What is being said; not what was skipped and only fades. */
  const inProgress = () => (speaking?.finished ? undefined : speaking);

  function enqueue(order: Order): Item {
    if (ended) throw new SessionEndedError(ended);
    const current = inProgress();
    checkRoom(current ? [current, ...waiting] : waiting, order.by, bounds);
    const item = createItem(order);
    waiting.push(item);
    if (!speaking) void speakAll();
    else if (waiting.length === 1) void received.then(prepareNext);
    return item;
  }

  function skip(): Item | undefined {
    const skipped = inProgress();
    if (!skipped) return undefined;
    // Its sound is given up at once; the player ends with a few frames of silence.
    player.stop();
    skipped.finish({ how: 'skipped' });
    return skipped;
  }

  function remove(fits: (item: Item) => boolean): number {
    const gone = waiting.filter(fits);
    for (const item of gone) {
      waiting.splice(waiting.indexOf(item), 1);
      item.finish({ how: 'removed' });
    }
    const current = inProgress();
    if (!current || !fits(current)) return gone.length;
    skip();
    return gone.length + 1;
  }

  function resume(): boolean {
    if (!paused || ended) return false;
    paused = false;
    player.resume();
    return true;
  }

  return {
    guildId: target.guildId,
    get channelId() {
      return link.channelId;
    },
    get connected() {
      return link.up;
    },
    get paused() {
      return paused;
    },
    get volume() {
      return volume;
    },
    arrived: () => link.arrived(),
    enqueue,
    queue() {
      const item = inProgress();
      return {
        speaking: item && { item, elapsed: (player.sent * PACKET_MS) / 1_000 },
        waiting: [...waiting],
      };
    },
    skip,
    remove,
    stop() {
      const count = remove(() => true);
      resume();
      return count;
    },
    pause() {
      if (paused || ended) return false;
      paused = true;
      player.pause();
      return true;
    },
    resume,
    setVolume(percent) {
      if (percent === volume) return;
      volume = percent;
      for (const item of waiting) item.unload();
      void received.then(prepareNext);
    },
    setBounds(next) {
      bounds = next;
    },
    idle: () => quiet.promise,
    move: (channelId) => link.move(channelId),
    rejoin: link.rejoin,
    end: (reason) => link.end(reason),
  };
}
