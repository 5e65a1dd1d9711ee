import type { APIAttachment } from 'discord-api-types/v10';
import type { Attachments, Upload } from './attachments.ts';
import { fieldRefusal, refusal } from './errors.ts';
import type { MessagePayload } from './message-schema.ts';

const MAX_ATTACHMENTS = 10;

/**
 * The attachments of a message after a write: those before that the body keeps, then the files that
 * came with it (documentation, "Uploading Files").
 *
 * @param before - what the message had
 * @param place - where the files are to be fetched
 */
export function attach(
  attachments: Attachments,
  before: readonly APIAttachment[],
  payload: MessagePayload,
  uploads: readonly Upload[],
  place: Parameters<Attachments['add']>[1],
): APIAttachment[] {
  const infos = payload.attachments ?? [];
  const kept =
    payload.attachments == null
      ? before
      : before.filter(({ id }) => infos.some((info) => info.id === id));
  const fields = uploads.map(({ field }) => /^files\[(\d+)\]$/u.exec(field)?.[1]);
  for (const [index, { id }] of infos.entries()) {
    if (fields.includes(id) || kept.some((attachment) => attachment.id === id)) continue;
    const text = 'Attachment data not found';
    throw fieldRefusal(['attachments', index], 'ATTACHMENT_NOT_FOUND', text);
  }
  if (kept.length + uploads.length > MAX_ATTACHMENTS) throw refusal(30015);

  const added = uploads.map((upload, index): APIAttachment => {
    const info = infos.find(({ id }) => id === fields[index]);
    return {
      ...attachments.add({ ...upload, name: info?.filename ?? upload.name }, place),
      ...(info?.description && { description: info.description }),
      ...(info?.duration_secs && { duration_secs: info.duration_secs }),
      ...(info?.waveform && { waveform: info.waveform }),
    };
  });
  return [...kept, ...added];
}
