import {
  joinVoiceChannel,
  type NetworkingReadyState,
  NetworkingStatusCode,
  type VoiceConnection,
  VoiceConnectionDisconnectReason,
  VoiceConnectionStatus,
} from '@discordjs/voice';
import type { Logger } from '../log.ts';
import { watchAdapter } from './adapter.ts';
import {
  CLOSE_CODES_OF_CHANGES,
  FINAL_CLOSE_CODES,
  type SessionEnd,
  SessionEndedError,
} from './endings.ts';
import { guardNetworking } from './guard.ts';
import { createKeyWait } from './keys.ts';
import {
  LINK_DEADLINES,
  type LinkDeadlines,
  type LinkEvents,
  type VoiceChannelTarget,
  type VoiceLink,
} from './link.ts';
import { asBuffer } from './packets.ts';
import { createRetry } from './retry.ts';

/** A connection that lasts this long counts as mended; one that flaps is given up like a lost one. */
const STEADY_MS = 10_000;

/**
 * Joins a voice channel.
 *
 * @param group - keeps the connections of several bots in one process apart
 */
export function openLink(
  target: VoiceChannelTarget,
  group: string,
  events: LinkEvents,
  log: Logger,
  deadlines: LinkDeadlines = LINK_DEADLINES,
): VoiceLink {
  let wanted = target.channelId;
  /** The channel that Discord says the bot is in. */
  let present: string | undefined;
  /** On the way to `wanted` by our own request. */
  let moving = false;
  let up = false;
  let upSince = 0;
  /** When the trouble began that is not over yet. */
  let lostAt: number | undefined;
  let ended: SessionEnd | undefined;
  let arrival = unheard();
  let deadline: NodeJS.Timeout | undefined;
  const keys = createKeyWait(update);
  const join = createRetry(() =>
    connection.rejoin({ channelId: wanted, selfDeaf: true, selfMute: false }),
  );

  const connection: VoiceConnection = joinVoiceChannel({
    guildId: target.guildId,
    channelId: target.channelId,
    group,
    selfDeaf: true,
    adapterCreator: watchAdapter(target.adapterCreator, {
      onChannel: inChannel,
      onNoChannel() {
        // Before the first channel it is the echo of an earlier leave.
        if (present !== undefined) end('disconnected');
      },
      onBroken: broken,
    }),
  });
  const guard = guardNetworking(connection, { onBroken: broken, onClose: closed });
  connection.on('stateChange', onState);
  connection.on('transitioned', () => {
    keys.settle();
    update();
  });
  connection.on('error', (error) => log.warn({ err: error }, 'voice connection'));
  expectArrival();
  onState();

  function onState(): void {
    const { state } = connection;
    if (state.status === VoiceConnectionStatus.Destroyed) {
      // The guild is gone, or Discord's gateway is, for good.
      end('disconnected');
      return;
    }
    if (
      state.status === VoiceConnectionStatus.Disconnected &&
      state.reason === VoiceConnectionDisconnectReason.AdapterUnavailable
    ) {
      join.later();
    }
    update();
  }

  function broken(error: unknown): void {
    log.error({ err: error }, 'the voice server sent something that the voice library cannot take');
    end('broken_server');
  }

  function inChannel(channelId: string): void {
    const changed = channelId !== present;
    present = channelId;
    // While the bot moves by itself, news of the channel before may still come.
    if (!moving || channelId === wanted) {
      wanted = channelId;
      moving = false;
    }
    if (changed) {
      lostAt = undefined;
      events.onChannel(channelId);
    }
    update();
  }

  function closed(code: number): void {
    log.info({ code }, 'the voice server closed the connection');
    const final = FINAL_CLOSE_CODES.get(code);
    if (final) {
      end(final);
      return;
    }
    update();
    const otherwise = CLOSE_CODES_OF_CHANGES.get(code);
    if (otherwise) expectUp(deadlines.moveMs, () => notMoved(otherwise));
    else join.later();
  }

  /** A close that no move explains was meant for good, unless news of a move could not come. */
  function notMoved(reason: SessionEnd): void {
    if (target.online?.() ?? true) {
      end(reason);
      return;
    }
    expectUp(deadlines.reconnectMs, () => end('unreachable'));
    join.later();
  }

  /** Gives the connection so long to become usable. */
  function expectUp(ms: number, otherwise: () => void): void {
    clearTimeout(deadline);
    deadline = setTimeout(otherwise, ms);
  }

  function expectArrival(): void {
    expectUp(deadlines.joinMs, () => {
      if (present === undefined) {
        end('not_admitted');
      } else if (present === wanted) {
        end('unreachable');
      } else {
        stay(present);
      }
    });
  }

  /** Takes note that the bot was not let into another channel. */
  function stay(channelId: string): void {
    wanted = channelId;
    moving = false;
    join.stop();
    arrival.reject(new SessionEndedError('not_admitted'));
    arrival = unheard();
    if (!ready()) expectUp(deadlines.reconnectMs, () => end('unreachable'));
    update();
  }

  function ready(): NetworkingReadyState | undefined {
    const { state } = connection;
    if (state.status !== VoiceConnectionStatus.Ready) return undefined;
    const networking = state.networking.state;
    return networking.code === NetworkingStatusCode.Ready ? networking : undefined;
  }

  function update(): void {
    if (ended) return;
    const networking = ready();
    const usable = networking !== undefined && present === wanted && !keys.lacking(networking);
    if (usable === up) return;
    up = usable;
    const now = performance.now();
    if (up) {
      clearTimeout(deadline);
      join.stop();
      keys.settle();
      upSince = now;
      arrival.resolve();
      events.onUp();
      return;
    }
    arrival = unheard();
    if (lostAt === undefined || now - upSince > STEADY_MS) {
      lostAt = now;
      join.reset();
    }
    expectUp(Math.max(0, lostAt + deadlines.reconnectMs - now), () => end('unreachable'));
  }

  function end(reason: SessionEnd): void {
    if (ended) return;
    ended = reason;
    up = false;
    clearTimeout(deadline);
    join.stop();
    keys.close();
    guard[Symbol.dispose]();
    if (connection.state.status !== VoiceConnectionStatus.Destroyed) connection.destroy();
    arrival.reject(new SessionEndedError(reason));
    events.onEnd(reason);
  }

  return {
    get channelId() {
      return wanted;
    },
    get up() {
      return up;
    },
    arrived: () => (ended ? Promise.reject(new SessionEndedError(ended)) : arrival.promise),
    send(packet) {
      if (!up) return false;
      try {
        return connection.playOpusPacket(asBuffer(packet)) === true;
      } catch (error) {
        // Encryption whose keys are broken; there is no other way to send.
        broken(error);
        return false;
      }
    },
    setSpeaking(speaking) {
      if (!ended) connection.setSpeaking(speaking);
    },
    move(channelId) {
      if (ended || channelId === wanted) return;
      wanted = channelId;
      moving = true;
      update();
      expectArrival();
      join.now();
    },
    rejoin() {
      if (ended) return;
      if (!up) expectArrival();
      join.now();
    },
    end,
  };
}

/** A promise whose failure may stay unheard: not everybody waits for an arrival. */
function unheard(): PromiseWithResolvers<void> {
  const expected = Promise.withResolvers<void>();
  expected.promise.catch(() => {});
  return expected;
}
