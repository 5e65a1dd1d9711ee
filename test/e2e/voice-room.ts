import type { SandboxAnswer } from '../../src/sandbox/sandbox.ts';
import type { Listener } from '../../src/sandbox/voice/listener.ts';
import type { Channel, Member } from '../../src/sandbox/world.ts';
import type { TestBot } from '../helpers/bot.ts';
import { rms } from '../helpers/measure.ts';

/** Twenty seconds of speech. */
export const LONG =
  'This is a long report about the state of the build, and nobody has to hear all of it. '.repeat(
    4,
  );

/** What a member is told by an answer: the messages, one a line, the ephemeral ones marked. */
export function told({ messages }: SandboxAnswer): string {
  return messages
    .map(({ content, ephemeral }) => (ephemeral ? `(only you) ${content}` : content))
    .join('\n');
}

/** The channel that the bot is in. */
export function botChannel({ sandbox }: TestBot): string | undefined {
  return sandbox.voice.state(sandbox.voice.bot())?.channelId ?? undefined;
}

/** Waits until the bot is in a channel, or in none. */
export async function botIn(bot: TestBot, channel: Channel | undefined): Promise<void> {
  await bot.sandbox.voice.until(() => (botChannel(bot) === channel?.id ? true : undefined));
}

/** A member in a voice channel who keeps what is heard. */
export function listenAs(bot: TestBot, channel: Channel, as?: Member): Promise<Listener> {
  return bot.sandbox.voice.listen(channel, as ? { as } : {});
}

/** Waits until so many seconds of words were heard; a new session with Discord takes up to six. */
export async function hearsWords(listener: Listener, seconds = 0.5): Promise<void> {
  const loud = () => listener.packets.filter(({ opus }) => opus !== undefined && opus.length > 20);
  await listener.until(() => loud().length * 0.02 >= seconds, 15_000);
}

/** Whether anything is heard in what a listener kept. */
export function loudness(listener: Listener): number {
  return rms(listener.sound());
}
