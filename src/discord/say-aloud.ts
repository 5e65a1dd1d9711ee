import { once } from 'node:events';
import type { ChatInputCommandInteraction } from 'discord.js';
import type { VoiceSummary } from '../client/voice-pages.ts';
import type { Speech } from '../contract/speech.ts';
import { UserError } from '../errors.ts';
import type { Item, ItemEnd } from '../playback/item.ts';
import type { Answer } from './answer.ts';
import type { CommandServices } from './command.ts';
import { cut, LABEL_LENGTH } from './reading.ts';
import { sentenceFor } from './sentences.ts';
import { channelOfMember, comeTo } from './voice-request.ts';

/**
 * Says something in the member's voice channel, behind what waits there already; Hark comes there
 * by itself. Answers when it is heard, or when it is known after how many others it comes.
 *
 * @throws {UserError} says why Hark does not come or may not be heard
 * @throws {VoiceServiceError} when nothing of the speech could be made
 */
export async function sayAloud(
  interaction: ChatInputCommandInteraction<'cached'>,
  answer: Answer,
  { voice, speech }: { voice: VoiceSummary; speech: Speech },
  services: CommandServices,
): Promise<void> {
  const { host, speak, signal } = services;
  const session = await comeTo(channelOfMember(interaction), interaction, services);
  const item = session.enqueue({
    open: speak(voice.voice_id, speech),
    label: cut(speech.text, LABEL_LENGTH, '…'),
    by: interaction.user.id,
  });
  // The speech is made while Hark is on its way and Discord takes note that it is at work.
  const [notHeard] = await Promise.all([host.arrived(session), answer.acknowledge()]);
  const { waiting } = session.queue();
  const before = waiting.findIndex(({ id }) => id === item.id) + 1;
  if (before === 0 && !session.paused) await begins(item, signal);
  void item.ended.then((end) => {
    if (end.how !== 'failed') return;
    services.log.warn({ err: end.error }, 'speech broke off');
    const why = sentenceFor(end.error) ?? 'Something went wrong on my side.';
    void host.tell(interaction.guildId, `I could not say “${item.label}” to its end. ${why}`);
  });
  const after = before === 0 ? '' : `, after ${before} other ${before === 1 ? 'thing' : 'things'}`;
  await answer.send({ content: `In <#${session.channelId}>${after}: “${item.label}”` });
  if (notHeard !== undefined) await answer.note(notHeard);
}

/** Waits for the first sound. */
async function begins(item: Item, signal: AbortSignal): Promise<void> {
  await Promise.race([item.begun, once(signal, 'abort')]);
  signal.throwIfAborted();
  if (await item.begun) return;
  const end = await item.ended;
  throw end.how === 'failed' ? end.error : new UserError(NOT_BEGUN[end.how]);
}

const NOT_BEGUN: Readonly<Record<Exclude<ItemEnd['how'], 'failed'>, string>> = {
  spoken: 'There was nothing in that text that could be heard.',
  skipped: 'It was skipped before it began.',
  removed: 'It was taken out of the queue before it began.',
  session_ended: 'I was sent out of the voice channel before it began.',
};
