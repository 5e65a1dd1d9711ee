import { MessageFlags } from 'discord-api-types/v10';
import type { Upload } from './attachments.ts';
import { refusal } from './errors.ts';
import type { AttachmentInfo, MessagePayload } from './message-schema.ts';

const MAX_WAVEFORM_POINTS = 256;

function isOggOpus({ data }: Upload): boolean {
  return data.toString('latin1', 0, 4) === 'OggS' && data.toString('latin1', 28, 36) === 'OpusHead';
}

function hasMetadata(info: AttachmentInfo | undefined): boolean {
  if (!info?.waveform || !info.duration_secs || info.duration_secs <= 0) return false;
  const points = Buffer.from(info.waveform, 'base64');
  return (
    points.length > 0 &&
    points.length <= MAX_WAVEFORM_POINTS &&
    points.toString('base64') === info.waveform
  );
}

export function isVoiceMessage(flags: number): boolean {
  return (flags & MessageFlags.IsVoiceMessage) !== 0;
}

/**
 * Holds a message with the flag IS_VOICE_MESSAGE to Discord's rules (documentation, "Voice
 * Messages"): one Ogg Opus file with its length and waveform, and nothing else.
 *
 * @throws ApiRefusal 50159, 50160 or 50161
 */
export function checkVoiceMessage(payload: MessagePayload, uploads: readonly Upload[]): void {
  if (payload.content || payload.embeds?.length || payload.components?.length) throw refusal(50159);
  const [file] = uploads;
  if (!file || uploads.length > 1 || (payload.attachments?.length ?? 0) > 1) throw refusal(50160);
  if (!isOggOpus(file)) throw refusal(50160);
  if (!hasMetadata(payload.attachments?.[0])) throw refusal(50161);
}
