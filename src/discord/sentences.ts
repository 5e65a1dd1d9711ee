import { DiscordAPIError, RESTJSONErrorCodes } from 'discord.js';
import {
  BadAnswerError,
  InvalidKeyError,
  InvalidRequestError,
  NotEnoughCreditsError,
  PermissionDeniedError,
  RateLimitedError,
  RequestTimeoutError,
  ServiceFailedError,
  ServiceTimeoutError,
  ServiceUnreachableError,
  VoiceNotFoundError,
} from '../client/errors.ts';
import type { Fault } from '../contract/faults.ts';
import type { Language } from '../contract/languages.ts';
import type { SettingName } from '../contract/settings.ts';
import { UserError } from '../errors.ts';
import { languageName } from './language.ts';
import { SETTING_OPTIONS } from './options.ts';

const TOO_SLOW =
  'That took too long, so nothing was posted: please try again, or with a shorter text.';
const OPERATOR = 'please tell whoever runs me';

/**
 * What the member is told of an error; undefined for what only a log should know.
 */
export function sentenceFor(error: unknown): string | undefined {
  if (error instanceof UserError) return error.message;
  if (error instanceof ServiceUnreachableError) {
    return 'The voice service does not answer, so nothing was posted: please try again in a minute.';
  }
  if (error instanceof ServiceTimeoutError || error instanceof RequestTimeoutError) return TOO_SLOW;
  if (error instanceof BadAnswerError) {
    return `The voice service answered something that I do not understand, so nothing was posted: ${OPERATOR}.`;
  }
  if (error instanceof InvalidRequestError)
    return `The voice service refused: ${error.serviceMessage}`;
  if (error instanceof InvalidKeyError) {
    return `The voice service does not accept my key (VOICE_API_KEY): ${OPERATOR}.`;
  }
  if (error instanceof NotEnoughCreditsError) {
    return `The credits of the voice service are used up: ${OPERATOR}.`;
  }
  if (error instanceof PermissionDeniedError) {
    return `The voice service does not let my account do that: ${OPERATOR}.`;
  }
  if (error instanceof VoiceNotFoundError) {
    return 'That voice is gone: pick another one, or see /voices.';
  }
  if (error instanceof RateLimitedError) {
    return 'The voice service is busy, so nothing was posted: please try again in a minute.';
  }
  if (error instanceof ServiceFailedError) {
    return 'The voice service failed, so nothing was posted: please try again in a minute.';
  }
  if (error instanceof DOMException && error.name === 'TimeoutError') return TOO_SLOW;
  if (error instanceof DiscordAPIError) return DISCORD_SENTENCES.get(error.code);
  return undefined;
}

const DISCORD_SENTENCES: ReadonlyMap<number | string, string> = new Map<number, string>([
  [
    RESTJSONErrorCodes.MissingPermissions,
    'I lack a permission in this channel: an administrator can give me “Send Messages” and “Attach Files”.',
  ],
  [RESTJSONErrorCodes.MissingAccess, 'I cannot see this channel: an administrator can let me in.'],
  [
    RESTJSONErrorCodes.RequestEntityTooLarge,
    'The file is larger than this server takes: choose a voice message or MP3, or a shorter text.',
  ],
]);

/** A fault of a speech request, said to the member who typed it; languages in the words of their locale. */
export function sentenceForFault(fault: Fault, locale: string): string {
  const setting = fault.field.split('.')[1] as SettingName | undefined;
  const option = setting ? SETTING_OPTIONS[setting] : fault.field;
  switch (fault.problem) {
    case 'missing':
      return `Please give a ${option}.`;
    case 'blank':
      return 'There is nothing in that text that can be spoken: please type some words.';
    case 'wrong_type':
      return `“${option}” must be a ${fault.expected}.`;
    case 'too_long': {
      const count = (characters: number) => characters.toLocaleString('en');
      return `The text has ${count(fault.length)} characters; at most ${count(fault.maximum)} are allowed.`;
    }
    case 'out_of_range':
      return `“${option}” must be from ${fault.minimum} to ${fault.maximum}.`;
    case 'not_allowed': {
      const owner = { interface: '', model: ' with this model', voice: ' with this voice' }[
        fault.allowedBy
      ];
      const allowed = fault.allowed.map((value) =>
        fault.field === 'language' ? languageName(value as Language, locale) : value,
      );
      return `“${fault.given}” is not possible as ${option}${owner}; use one of: ${allowed.join(', ')}.`;
    }
    case 'invalid':
      return `“${option}”: ${fault.reason}.`;
  }
}
