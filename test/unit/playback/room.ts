import { afterAll } from 'vitest';
import { createAudioEncoder } from '../../../src/audio/encoder.ts';
import { createLog } from '../../../src/log.ts';
import type { SessionEnd } from '../../../src/playback/endings.ts';
import type { OpenSound, Order } from '../../../src/playback/item.ts';
import type { VoiceChannelTarget } from '../../../src/playback/link.ts';
import {
  createSessions,
  type Sessions,
  type SessionsOptions,
} from '../../../src/playback/sessions.ts';
import type { Channel } from '../../../src/sandbox/world.ts';
import { inChunks, voice } from '../../helpers/sounds.ts';
import { logInWithVoice, type VoiceBot } from '../sandbox/voice-bot.ts';

/** A bot with sessions in a sandbox: the real discord.js, @discordjs/voice and davey. */
export interface Room extends VoiceBot {
  sessions: Sessions;
  /** Why sessions ended, in order. */
  ends: SessionEnd[];
  logged: string[];
  target(channel: Channel): VoiceChannelTarget;
}

export async function openRoom(
  options: Partial<SessionsOptions> = {},
  sandbox: Parameters<typeof logInWithVoice>[0] = {},
): Promise<Room> {
  const bot = await logInWithVoice(sandbox);
  const ends: SessionEnd[] = [];
  const logged: string[] = [];
  const log = createLog('info', [], { write: (line) => void logged.push(line) });
  const sessions = createSessions({ log, onEnd: (_, end) => void ends.push(end), ...options });
  return {
    ...bot,
    sessions,
    ends,
    logged,
    target({ guildId, id }) {
      const guild = bot.client.guilds.cache.get(guildId);
      if (!guild) throw new Error('The bot does not know the guild');
      return { guildId, channelId: id, adapterCreator: guild.voiceAdapterCreator };
    },
    async [Symbol.asyncDispose]() {
      await sessions.close(0);
      await bot[Symbol.asyncDispose]();
    },
  };
}

export const RATE = 48_000;

const encoder = createAudioEncoder();
afterAll(() => encoder.close());

/** Speech of so many seconds, as samples and as something to open. */
export function speech(seconds: number, f0 = 150): { samples: Int16Array; open: OpenSound } {
  const samples = voice(f0, RATE, Math.round(seconds * RATE), 2);
  return {
    samples,
    open: async ({ gain, signal }) => {
      const sound = { sampleRate: RATE, chunks: inChunks(samples, 4_800) };
      return { packets: encoder.opusPackets(sound, signal, { gain }) };
    },
  };
}

export function order(open: OpenSound, more: Partial<Order> = {}): Order {
  return { open, label: 'Hello', by: '1', ...more };
}
