import {
  AttachmentBuilder,
  DiscordAPIError,
  PermissionFlagsBits,
  RESTJSONErrorCodes,
} from 'discord.js';
import type { VoiceMessage } from '../audio/encoder.ts';
import { UserError } from '../errors.ts';
import type { Answer } from './answer.ts';
import type { AnswerableInteraction } from './command.ts';

type Where = Pick<AnswerableInteraction, 'appPermissions' | 'attachmentSizeLimit'>;

/**
 * Posts a native voice message, or an audio file where the bot may not post one (its permission
 * SEND_VOICE_MESSAGES is missing, or Discord answers 50173).
 *
 * @throws {UserError} when the file is larger than this server takes
 */
export async function deliverVoiceMessage(
  answer: Answer,
  where: Where,
  message: VoiceMessage,
): Promise<void> {
  checkSize(message.file, where);
  if (where.appPermissions.has(PermissionFlagsBits.SendVoiceMessages)) {
    const attachment = attach('voice-message.ogg', message.file)
      .setDuration(message.seconds)
      .setWaveform(message.waveform);
    try {
      await answer.send({ voiceMessage: true, files: [attachment] });
      return;
    } catch (error) {
      if (!isNotAllowedHere(error)) throw error;
    }
  }
  await answer.send({ files: [attach('voice-message.ogg', message.file)] });
  await answer.note(
    'I may not send voice messages here, so it is a file. An administrator can give me the permission “Send Voice Messages”.',
  );
}

/**
 * Posts an audio file.
 *
 * @throws {UserError} when the file is larger than this server takes
 */
export async function deliverFile(
  answer: Answer,
  where: Where,
  name: string,
  file: Uint8Array,
): Promise<void> {
  checkSize(file, where);
  await answer.send({ files: [attach(name, file)] });
}

function attach(name: string, file: Uint8Array): AttachmentBuilder {
  return new AttachmentBuilder(Buffer.from(file.buffer, file.byteOffset, file.byteLength), {
    name,
  });
}

function checkSize(file: Uint8Array, { attachmentSizeLimit }: Where): void {
  if (file.byteLength <= attachmentSizeLimit) return;
  const mebibytes = (bytes: number) => (bytes / 2 ** 20).toFixed(1);
  throw new UserError(
    `The file has ${mebibytes(file.byteLength)} MiB, and this server takes ${mebibytes(attachmentSizeLimit)} MiB: choose a voice message or MP3, or a shorter text.`,
  );
}

function isNotAllowedHere(error: unknown): boolean {
  return (
    error instanceof DiscordAPIError &&
    error.code === RESTJSONErrorCodes.YouCannotSendVoiceMessagesInThisChannel
  );
}
