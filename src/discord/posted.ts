import {
  type Attachment,
  type Message,
  MessageFlags,
  MessageReferenceType,
  MessageType,
} from 'discord.js';
import type { Extra } from './phrases.ts';
import type { Posted } from './reading.ts';

/** What a reader is to know of a message. */
export function postedBy(message: Message<true>): Posted {
  const forwarded = message.reference?.type === MessageReferenceType.Forward;
  const source = (forwarded ? message.messageSnapshots.first() : undefined) ?? message;
  const isVoiceMessage = source.flags.has(MessageFlags.IsVoiceMessage);
  return {
    content: source.content,
    byPerson: !message.author.bot && message.webhookId === null && !message.system,
    silent: message.flags.has(MessageFlags.SuppressNotifications),
    authorRoleIds: [...(message.member?.roles.cache.keys() ?? [])],
    forwarded,
    repliesTo: message.type === MessageType.Reply ? repliedName(message) : undefined,
    extras: source.attachments.map((file) => (isVoiceMessage ? 'voiceMessage' : kindOf(file))),
    stickers: source.stickers.map(({ name }) => name),
    poll: source.poll?.question.text ?? undefined,
  };
}

function repliedName({ guild, mentions: { repliedUser } }: Message<true>): string | undefined {
  if (!repliedUser) return undefined;
  return guild.members.cache.get(repliedUser.id)?.displayName ?? repliedUser.displayName;
}

function kindOf({ contentType }: Attachment): Extra {
  switch (contentType?.split('/', 1)[0]) {
    case 'image':
      return 'image';
    case 'video':
      return 'video';
    case 'audio':
      return 'audio';
    default:
      return 'file';
  }
}
