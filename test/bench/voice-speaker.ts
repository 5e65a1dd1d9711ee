import { Readable } from 'node:stream';
import {
  AudioPlayerStatus,
  createAudioPlayer,
  createAudioResource,
  entersState,
  joinVoiceChannel,
  StreamType,
  type VoiceConnection,
  VoiceConnectionStatus,
} from '@discordjs/voice';
import { Client, Events, GatewayIntentBits } from 'discord.js';
import { createAudioEncoder } from '../../src/audio/encoder.ts';
import { resample } from '../../src/audio/resample.ts';
import { SAMPLE_RATE } from '../../src/contract/limits.ts';
import { DEFAULT_SETTINGS } from '../../src/contract/settings.ts';
import { createEngine } from '../../src/engine/builtin.ts';
import { PRESETS } from '../../src/engine/characters.ts';
import { collectSpeech } from '../../src/engine/engine.ts';
import { createLog } from '../../src/log.ts';
import { openClipCache } from '../../src/playback/clips.ts';
import type { OpenSound } from '../../src/playback/item.ts';
import { createSessions } from '../../src/playback/sessions.ts';
import { inChunks } from '../helpers/sounds.ts';

/** A voice channel to speak in. */
export interface Place {
  guildId: string;
  channelId: string;
}

/** What the parent asks for. */
export type Work =
  | { work: 'join'; places: readonly Place[] }
  | { work: 'play'; how: 'live' | 'cached' | 'stock'; seconds: number }
  | { work: 'leave' };

/** What it took: milliseconds by the clock, and of the processor in all threads. */
export interface WorkDone {
  milliseconds: number;
  cpu: number;
}

const log = createLog('warn');
const client = new Client({
  intents: [GatewayIntentBits.Guilds, GatewayIntentBits.GuildVoiceStates],
  rest: { api: process.env.DISCORD_API_URL ?? '' },
});
const encoder = createAudioEncoder();
const sessions = createSessions({ log });
const clips = await openClipCache({ dir: `${process.env.DATA_DIR}/clips`, maxBytes: 2 ** 26, log });
let places: readonly Place[] = [];

async function join(): Promise<void> {
  await Promise.all(
    places.map(({ guildId, channelId }) => {
      const adapterCreator = client.guilds.cache.get(guildId)?.voiceAdapterCreator;
      if (!adapterCreator) throw new Error('the bot does not know the guild');
      return sessions.join({ guildId, channelId, adapterCreator }).arrived();
    }),
  );
}

/** As `/say` does it: samples as they come from the service. */
const live =
  (samples: Int16Array, onFile: (file: Uint8Array) => void): OpenSound =>
  async ({ gain, signal }) => {
    const sound = { sampleRate: SAMPLE_RATE, chunks: inChunks(samples, 8_820) };
    return { packets: encoder.opusPackets(sound, signal, { gain, onFile }) };
  };

/** As `/say` does it when the same was said before. */
const cached: OpenSound = async () => {
  const clip = await clips.get('clip');
  if (!clip) throw new Error('the clip is not in the cache');
  return clip;
};

async function speak(open: OpenSound): Promise<void> {
  const items = sessions.all().map((session) => session.enqueue({ open, label: '', by: '1' }));
  for (const { ended } of items) {
    const { how } = await ended;
    if (how !== 'spoken') throw new Error(`a sound was ${how}`);
  }
}

/** As most bots do it: raw stereo samples into the library's player, which encodes them with opusscript. */
async function speakStock(connections: readonly VoiceConnection[], pcm: Buffer): Promise<void> {
  const players = connections.map((connection) => {
    const player = createAudioPlayer();
    connection.subscribe(player);
    const chunks = Array.from({ length: Math.ceil(pcm.length / 38_400) }, (_, i) =>
      pcm.subarray(i * 38_400, (i + 1) * 38_400),
    );
    player.play(createAudioResource(Readable.from(chunks), { inputType: StreamType.Raw }));
    return player;
  });
  await Promise.all(players.map((player) => entersState(player, AudioPlayerStatus.Playing, 5_000)));
  await Promise.all(players.map((player) => entersState(player, AudioPlayerStatus.Idle, 60_000)));
}

async function joinStock(): Promise<VoiceConnection[]> {
  const connections = places.map(({ guildId, channelId }) => {
    const adapterCreator = client.guilds.cache.get(guildId)?.voiceAdapterCreator;
    if (!adapterCreator) throw new Error('the bot does not know the guild');
    return joinVoiceChannel({ guildId, channelId, adapterCreator });
  });
  for (const connection of connections) {
    await entersState(connection, VoiceConnectionStatus.Ready, 10_000);
  }
  return connections;
}

/**
 * Speech as the service makes it. It has to be speech: an Opus encoder takes a steady tone for music,
 * which costs it a fraction.
 */
async function speech(seconds: number): Promise<Int16Array> {
  const engine = createEngine({ workers: 1 });
  const [character] = PRESETS;
  if (!character) throw new Error('there is no preset voice');
  const text = 'The deployment is done, and the dashboards look healthy again since noon. ';
  const { samples } = await collectSpeech(
    engine.speak(
      {
        text: text.repeat(Math.ceil(seconds / 3)),
        language: 'en',
        character,
        style: 'neutral',
        settings: DEFAULT_SETTINGS,
      },
      { signal: AbortSignal.timeout(10_000) },
    ),
  );
  await engine.close();
  if (samples.length < seconds * SAMPLE_RATE) throw new Error('the text is too short');
  return samples.subarray(0, seconds * SAMPLE_RATE);
}

async function stereo(sound: Int16Array): Promise<Buffer> {
  const samples = await resample(sound, SAMPLE_RATE, 48_000);
  const both = new Int16Array(samples.length * 2);
  for (const [i, sample] of samples.entries()) both.fill(sample, 2 * i, 2 * i + 2);
  return Buffer.from(both.buffer);
}

/** Gets ready what is not measured, and gives what is. */
async function prepare(work: Work): Promise<() => Promise<void>> {
  if (work.work === 'join') {
    places = work.places;
    return join;
  }
  if (work.work === 'leave') {
    return async () => {
      for (const { guildId } of places) sessions.leave(guildId);
    };
  }
  const { how, seconds } = work;
  if (how === 'stock') {
    const connections = await joinStock();
    const pcm = await stereo(await speech(seconds));
    return async () => {
      await speakStock(connections, pcm);
      for (const connection of connections) connection.destroy();
    };
  }
  const samples = await speech(seconds);
  if (how === 'live') return () => speak(live(samples, () => {}));
  const made = live(samples, (file) => clips.put('clip', file));
  await Array.fromAsync((await made({ gain: 1, signal: new AbortController().signal })).packets);
  await clips.close();
  return () => speak(cached);
}

async function measure(work: Work): Promise<WorkDone> {
  const run = await prepare(work);
  const startedAt = performance.now();
  const before = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(before);
  return { milliseconds: performance.now() - startedAt, cpu: (user + system) / 1_000 };
}

process.on('message', async (work: Work) => {
  const done = await measure(work);
  process.send?.(done);
});
process.on('disconnect', async () => {
  await sessions.close(0);
  await encoder.close();
  await client.destroy();
});
client.once(Events.ClientReady, async () => {
  await encoder.warm();
  process.send?.('ready');
});
await client.login(process.env.DISCORD_TOKEN);
