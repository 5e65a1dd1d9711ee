import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';
import { createTeam } from '../../src/sandbox/team.ts';
import type { Channel } from '../../src/sandbox/world.ts';
import { type BenchPart, type Measure, percentile } from './measures.ts';
import { firstPacket } from './voice-first-packet.ts';
import { type SpeakerProcess, startSpeaker } from './voice-process.ts';

const SECONDS = 6;
const GUILDS = 50;
const STOCK_GUILDS = 10;
const PACKET_MS = 20;

/** Speaking in voice channels, with end-to-end encryption and somebody who listens in each. */
export const voice: BenchPart = {
  prefix: 'voice',
  async run() {
    return [...(await firstPacket()), ...(await crowd()), ...(await againstStock())];
  },
};

/**
 * Fifty channels at once: how evenly the packets come, and the processor's time for one session's
 * second of sound. A process that sends one packet and then sleeps pays mostly for waking up, which
 * differs from machine to machine and is the same for fifty sessions as for one; that is
 * `voice.cpu_alone`.
 */
async function crowd(): Promise<Measure[]> {
  await using sandbox = await startSandbox();
  const channels = addChannels(sandbox, GUILDS);
  for (const channel of channels) await sandbox.voice.listen(channel);
  await using speaker = await startSpeaker(sandbox);
  await speaker.join(channels.map(place));
  await speaker.play('live', 1);
  const before = sandbox.voice.connections.map(({ traffic }) => traffic.arrivals.length);
  const live = await speaker.play('live', SECONDS);
  const offs = intervals(sandbox, before);
  const lost = sandbox.voice.connections.reduce((sum, { traffic }) => sum + traffic.lost, 0);
  const cached = await speaker.play('cached', SECONDS);
  await speaker.leave();
  return [
    { name: 'voice.50_sessions.jitter_p99', value: percentile(offs, 0.99), unit: 'ms' },
    { name: 'voice.50_sessions.lost', value: lost, unit: 'packets' },
    { name: 'voice.cpu_per_second', value: live.cpu / (SECONDS * GUILDS), unit: 'ms' },
    { name: 'voice.cpu_cached', value: cached.cpu / (SECONDS * GUILDS), unit: 'ms' },
    { name: 'voice.cpu_alone', value: await alone(speaker, channels), unit: 'ms' },
  ];
}

async function alone(speaker: SpeakerProcess, channels: readonly Channel[]): Promise<number> {
  await speaker.join(channels.slice(0, 1).map(place));
  const { cpu } = await speaker.play('live', SECONDS);
  await speaker.leave();
  return cpu / SECONDS;
}

/** The same sound in the same number of channels, as most bots send it. */
async function againstStock(): Promise<Measure[]> {
  await using sandbox = await startSandbox();
  const channels = addChannels(sandbox, STOCK_GUILDS);
  for (const channel of channels) await sandbox.voice.listen(channel);
  await using speaker = await startSpeaker(sandbox);
  await speaker.join(channels.map(place));
  await speaker.play('live', 1);
  const own = await speaker.play('live', SECONDS);
  await speaker.leave();
  await speaker.play('stock', 1);
  const stock = await speaker.play('stock', SECONDS);
  return [{ name: 'voice.vs_stock.ratio', value: stock.cpu / own.cpu, unit: 'times' }];
}

function addChannels({ world }: Sandbox, count: number): Channel[] {
  return Array.from({ length: count }, (_, i) => createTeam(world, `Team ${i}`).voice[0]);
}

const place = ({ guildId, id }: Channel) => ({ guildId, channelId: id });

/** By how many milliseconds each packet came earlier or later after the one before than it should. */
function intervals({ voice: { connections } }: Sandbox, before: readonly number[]): number[] {
  const offs = connections.flatMap(({ traffic: { arrivals } }, i) => {
    const heard = arrivals.slice(before[i]);
    return heard.slice(1).map((at, j) => Math.abs(at - (heard[j] ?? 0) - PACKET_MS));
  });
  const expected = (GUILDS * SECONDS * 1_000) / PACKET_MS;
  if (offs.length < expected) throw new Error(`only ${offs.length} of ${expected} packets came`);
  return offs;
}
