import { type Client, Events, type Message, type PartialMessage } from 'discord.js';
import type { VoiceSummary } from '../client/voice-pages.ts';
import type { Language } from '../contract/languages.ts';
import type { Logger } from '../log.ts';
import { SessionEndedError } from '../playback/endings.ts';
import { QueueFullError, type Session } from '../playback/session.ts';
import type { SpeechSource } from '../playback/speech.ts';
import type { GuildSettings } from '../store/guild-settings.ts';
import { type MemberSettings, memberKey } from '../store/member-settings.ts';
import type { Records } from '../store/records.ts';
import { mentionNames } from './mentions.ts';
import { postedBy } from './posted.ts';
import { cut, isRead, LABEL_LENGTH, reading } from './reading.ts';
import { sentenceFor } from './sentences.ts';
import { speechInVoice } from './voice-choice.ts';
import type { VoiceHost } from './voice-host.ts';

/** A speaker's name is said once in this many milliseconds. */
const NAME_AGAIN_MS = 60_000;

/** Messages of a guild that may wait to be looked at; more come only in a flood. */
const MAX_WAITING = 100;

export interface ChannelReaderOptions {
  client: Client;
  host: Pick<VoiceHost, 'get' | 'tell'>;
  settings: Records<GuildSettings>;
  members: Records<MemberSettings>;
  voices: () => Promise<readonly VoiceSummary[]>;
  speak: SpeechSource;
  log: Logger;
}

/** Messages of one guild, in order. */
interface Line {
  work: Promise<void>;
  /** Messages that are not in the session's queue yet. */
  waiting: Set<string>;
  /** When a speaker's name was last said. */
  named: Map<string, number>;
}

/**
 * Reads the messages of the channels that a guild has chosen aloud, in order, each in its author's
 * voice. What is deleted or edited before it is said is dropped.
 *
 * @returns ends it
 */
export function readChannels(options: ChannelReaderOptions): Disposable {
  const { client, host, settings, members, log } = options;
  const lines = new Map<string, Line>();

  function lineOf(guildId: string): Line {
    const line = lines.get(guildId) ?? {
      work: Promise.resolve(),
      waiting: new Set(),
      named: new Map(),
    };
    lines.set(guildId, line);
    return line;
  }

  function onMessage(message: Message): void {
    if (!message.inGuild()) return;
    const { guildId, id } = message;
    if (!host.get(guildId)) return;
    const line = lineOf(guildId);
    if (line.waiting.size >= MAX_WAITING) {
      tellOfFlood(guildId);
      return;
    }
    line.waiting.add(id);
    line.work = line.work
      .then(() => read(message, line))
      .catch((err: unknown) => log.error({ err, guild: guildId }, 'a message was not read'))
      .finally(() => line.waiting.delete(id));
  }

  async function read(message: Message<true>, line: Line): Promise<void> {
    const { guild, author, channelId } = message;
    const kept = await settings.get(guild.id);
    if (!kept.readChannelIds.includes(channelId)) return;
    const posted = postedBy(message);
    if (!isRead(posted, kept)) return;
    const own = await members.get(memberKey(guild.id, author.id));
    const read = reading(posted, {
      names: await mentionNames(guild, posted.content),
      locale: guild.preferredLocale,
      language: (own.language ?? kept.language) as Language | undefined,
      speaker: isNamed(author.id, line)
        ? undefined
        : (own.spokenName ?? message.member?.displayName ?? author.displayName),
    });
    const said = read && speechInVoice(read, await options.voices(), [own, kept]);
    const session = host.get(guild.id);
    // The message may have been deleted or edited, or Hark have left, in the meantime.
    if (!said || !session || !line.waiting.has(message.id)) return;
    try {
      const item = session.enqueue({
        open: options.speak(said.voice.voice_id, said.speech),
        label: cut(said.speech.text, LABEL_LENGTH, '…'),
        by: author.id,
        messageId: message.id,
      });
      line.named.set(author.id, performance.now());
      void item.ended.then((end) => {
        if (end.how === 'failed') tellOfFailure(session, end.error);
        // A name that was not heard is to be said yet.
        else if (end.how === 'removed') line.named.delete(author.id);
      });
    } catch (error) {
      if (error instanceof QueueFullError) tellOfFlood(guild.id);
      else if (!(error instanceof SessionEndedError)) throw error;
    }
  }

  function isNamed(userId: string, { named }: Line): boolean {
    const now = performance.now();
    for (const [id, at] of named) if (now - at > NAME_AGAIN_MS) named.delete(id);
    return named.has(userId);
  }

  function tellOfFlood(guildId: string): void {
    void host.tell(guildId, 'There is more to read than I can say: some messages are left out.');
  }

  function tellOfFailure({ guildId }: Session, error: unknown): void {
    log.warn({ err: error, guild: guildId }, 'a message was not said');
    const why = sentenceFor(error) ?? 'Something went wrong on my side.';
    void host.tell(guildId, `I could not read a message aloud. ${why}`);
  }

  /** Discord also tells of links that it has shown a picture of; only words count here. */
  function onUpdate(before: Message | PartialMessage, after: Message | PartialMessage): void {
    if (before.content !== after.content) drop(after);
  }

  /** What is being said already is said to its end. */
  function drop({ guildId, id }: Message | PartialMessage): void {
    if (guildId === null) return;
    lines.get(guildId)?.waiting.delete(id);
    const session = host.get(guildId);
    const speaking = session?.queue().speaking?.item;
    session?.remove((item) => item.messageId === id && item !== speaking);
  }

  const onBulk = (messages: Iterable<[string, Message | PartialMessage]>): void => {
    for (const [, message] of messages) drop(message);
  };
  client.on(Events.MessageCreate, onMessage);
  client.on(Events.MessageUpdate, onUpdate);
  client.on(Events.MessageDelete, drop);
  client.on(Events.MessageBulkDelete, onBulk);

  return {
    [Symbol.dispose]() {
      client.off(Events.MessageCreate, onMessage);
      client.off(Events.MessageUpdate, onUpdate);
      client.off(Events.MessageDelete, drop);
      client.off(Events.MessageBulkDelete, onBulk);
    },
  };
}
