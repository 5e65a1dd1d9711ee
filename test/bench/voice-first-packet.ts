import { startTestBot, type TestBot } from '../helpers/bot.ts';
import { type Measure, percentile } from './measures.ts';

const WARM_UP = 4;
const WARM_ROUNDS = 40;
const COLD_ROUNDS = 8;

/** About 5 s of sound, another text each time so that no cache answers. */
const text = (round: number) =>
  `Message number ${round}: the deployment is done, and the dashboards look healthy again since noon.`;

/** From `/say` in a voice channel to the first packet of sound. */
export async function firstPacket(): Promise<Measure[]> {
  await using bot = await startTestBot();
  const { sandbox } = bot;
  const [lounge] = sandbox.team.voice;
  await sandbox.voice.listen(lounge, { as: sandbox.team.member });
  const cold: number[] = [];
  for (let round = 0; round < COLD_ROUNDS; round += 1) {
    cold.push(await measure(bot, text(round)));
    await sandbox.run('/leave');
  }
  const warm: number[] = [];
  for (let round = 0; round < WARM_UP + WARM_ROUNDS; round += 1) {
    const milliseconds = await measure(bot, text(1_000 + round));
    if (round >= WARM_UP) warm.push(milliseconds);
    await sandbox.run('/stop');
  }
  return [
    // The first of all also loads what the others find ready.
    { name: 'voice.first_packet.cold', value: percentile(cold.slice(1), 0.5), unit: 'ms' },
    { name: 'voice.first_packet.p95', value: percentile(warm, 0.95), unit: 'ms' },
  ];
}

/** Milliseconds to the first packet that is more than a frame of silence. */
async function measure({ sandbox }: TestBot, spoken: string): Promise<number> {
  const listener = await sandbox.voice.listen(sandbox.team.voice[0], { as: sandbox.team.member });
  listener.clear();
  const askedAt = performance.now();
  const answered = sandbox.run('/say', { text: spoken, language: 'en', as: 'voice_channel' });
  const [arrivedAt] = await Promise.all([
    listener
      .until(({ packets }) => packets.some(({ frame }) => frame.length > 3))
      .then(({ packets }) => packets.find(({ frame }) => frame.length > 3)?.arrivedAt ?? 0),
    answered,
  ]);
  return arrivedAt - askedAt;
}
