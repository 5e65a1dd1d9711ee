import {
  type APIEmbed,
  type APIMessage,
  type APIMessageTopLevelComponent,
  MessageFlags,
} from 'discord-api-types/v10';
import type { Pings } from './mentions.ts';
import type { StoredMessage } from './messages.ts';

/** A file as it stands below a message. */
export interface ShownAttachment {
  id: string;
  filename: string;
  /** Where it can be fetched. */
  url: string;
  /** Bytes. */
  size: number;
  contentType: string | undefined;
  description: string | undefined;
  /** Seconds, of a voice message. */
  durationSecs: number | undefined;
  /** Base64, one byte a point, of a voice message. */
  waveform: string | undefined;
}

/** A message as a person sees it at this moment. */
export interface ShownMessage {
  id: string;
  channelId: string;
  authorId: string;
  content: string;
  embeds: APIEmbed[];
  components: APIMessageTopLevelComponent[];
  attachments: ShownAttachment[];
  /** Only one person sees it. */
  ephemeral: boolean;
  voiceMessage: boolean;
  /** The bot "is thinking": the answer is still to come. */
  thinking: boolean;
  edited: boolean;
  deleted: boolean;
  /** Whom it pings. */
  pings: Pings;
}

function shownAttachment(attachment: APIMessage['attachments'][number]): ShownAttachment {
  return {
    id: attachment.id,
    filename: attachment.filename,
    url: attachment.url,
    size: attachment.size,
    contentType: attachment.content_type,
    description: attachment.description,
    durationSecs: attachment.duration_secs,
    waveform: attachment.waveform,
  };
}

export function showMessage({ data, onlyFor, deleted }: StoredMessage): ShownMessage {
  const has = (flag: MessageFlags) => ((data.flags ?? 0) & flag) !== 0;
  return {
    id: data.id,
    channelId: data.channel_id,
    authorId: data.author.id,
    content: data.content,
    embeds: data.embeds,
    components: data.components ?? [],
    attachments: data.attachments.map(shownAttachment),
    ephemeral: onlyFor !== undefined,
    voiceMessage: has(MessageFlags.IsVoiceMessage),
    thinking: has(MessageFlags.Loading),
    edited: data.edited_timestamp !== null,
    deleted,
    pings: {
      users: data.mentions.map(({ id }) => id),
      roles: data.mention_roles,
      everyone: data.mention_everyone,
    },
  };
}
