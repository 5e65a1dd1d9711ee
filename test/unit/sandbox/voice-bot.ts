import { Readable } from 'node:stream';
import {
  AudioPlayerStatus,
  type CreateVoiceConnectionOptions,
  createAudioPlayer,
  createAudioResource,
  entersState,
  joinVoiceChannel,
  StreamType,
  type VoiceConnection,
  VoiceConnectionStatus,
} from '@discordjs/voice';
import { GatewayIntentBits } from 'discord.js';
import { createOpusEncoder, OPUS_RATE } from '../../../src/audio/opus.ts';
import type { SandboxOptions } from '../../../src/sandbox/sandbox.ts';
import { trustSandbox } from '../../../src/sandbox/trust.ts';
import type { Channel } from '../../../src/sandbox/world.ts';
import { type LoggedIn, logIn } from './bot.ts';

/** A sandbox with the real discord.js and the real @discordjs/voice in it. */
export interface VoiceBot extends LoggedIn {
  /** Asks for a channel, without waiting. */
  ask(channel: Channel, options?: Partial<CreateVoiceConnectionOptions>): VoiceConnection;
  /** Joins a channel and waits until it is connected. */
  join(channel: Channel): Promise<VoiceConnection>;
}

export async function logInWithVoice(options: SandboxOptions = {}): Promise<VoiceBot> {
  const { Guilds, GuildVoiceStates } = GatewayIntentBits;
  const client = { intents: [Guilds, GuildVoiceStates] };
  const bot = await logIn(undefined, { ...options, client });
  const distrust = trustSandbox(bot.sandbox);
  const connections: VoiceConnection[] = [];
  const ask = (channel: Channel, settings: Partial<CreateVoiceConnectionOptions> = {}) => {
    const guild = bot.client.guilds.cache.get(channel.guildId);
    if (!guild) throw new Error('The bot does not know the guild');
    const connection = joinVoiceChannel({
      channelId: channel.id,
      guildId: guild.id,
      adapterCreator: guild.voiceAdapterCreator,
      // Tests in one process share the library's table of connections.
      group: bot.client.token,
      ...settings,
    });
    connections.push(connection);
    return connection;
  };
  return {
    ...bot,
    ask,
    async join(channel) {
      return entersState(ask(channel), VoiceConnectionStatus.Ready, 5000);
    },
    async [Symbol.asyncDispose]() {
      for (const connection of new Set(connections)) {
        if (connection.state.status !== VoiceConnectionStatus.Destroyed) connection.destroy();
      }
      await bot[Symbol.asyncDispose]();
      distrust();
    },
  };
}

/** A tone that rises through the octaves of speech, so that each moment of it is different. */
export function sweep(seconds: number): Int16Array {
  let phase = 0;
  return Int16Array.from({ length: seconds * OPUS_RATE }, (_, i) => {
    phase += (2 * Math.PI * (200 + (1800 * i) / (seconds * OPUS_RATE))) / OPUS_RATE;
    return Math.round(8000 * Math.sin(phase));
  });
}

/** Opus packets of mono samples at 48 kHz. */
export async function packetsOf(samples: Int16Array): Promise<Buffer[]> {
  const encoder = await createOpusEncoder();
  try {
    return [...encoder.push(samples), ...encoder.finish().packets].map((part) => Buffer.from(part));
  } finally {
    encoder.free();
  }
}

/** Plays packets over a connection; resolves at the end. */
export async function play(connection: VoiceConnection, packets: readonly Buffer[]): Promise<void> {
  const player = createAudioPlayer();
  connection.subscribe(player);
  player.play(
    createAudioResource(Readable.from(packets, { objectMode: true }), {
      inputType: StreamType.Opus,
    }),
  );
  await entersState(player, AudioPlayerStatus.Playing, 5000);
  await entersState(player, AudioPlayerStatus.Idle, 30_000);
}

/** Pearson's correlation of a sound with what was heard of it, which begins `delay` samples later. */
export function correlation(sent: Int16Array, heard: Int16Array, delay: number): number {
  let product = 0;
  let sentPower = 0;
  let heardPower = 0;
  for (const [i, sample] of sent.entries()) {
    const other = heard[i + delay] ?? 0;
    product += sample * other;
    sentPower += sample * sample;
    heardPower += other * other;
  }
  return product / Math.sqrt(sentPower * heardPower);
}
