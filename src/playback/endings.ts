import { UserError } from '../errors.ts';

/** Why a session ended. */
export type SessionEnd =
  /** The bot was asked to leave. */
  | 'left'
  /** Someone disconnected the bot, or the channel is gone (4014, or a voice state without channel). */
  | 'disconnected'
  /** Discord did not let the bot in, or nothing came of it in time. */
  | 'not_admitted'
  /** The voice server could not be reached, or not again, in time. */
  | 'unreachable'
  /** The server demands end-to-end encryption and did not get it (4017). */
  | 'encryption'
  /** Discord wants no new connection for now (4021). */
  | 'rate_limited'
  /** The call was ended for everybody (4022). */
  | 'call_ended'
  /** The voice server sent what nobody can make sense of. */
  | 'broken_server'
  /** The bot stops. */
  | 'stopping';

/** Voice close codes that end a session for good (Discord, "Voice Close Event Codes"). */
export const FINAL_CLOSE_CODES: ReadonlyMap<number, SessionEnd> = new Map([
  [4017, 'encryption'],
  [4021, 'rate_limited'],
]);

/**
 * Voice close codes that end a session unless Discord names another channel or another server:
 * it sends 4014 also to who is moved, and 4022 also to all when the voice server changes.
 */
export const CLOSE_CODES_OF_CHANGES: ReadonlyMap<number, SessionEnd> = new Map([
  [4014, 'disconnected'],
  [4022, 'call_ended'],
]);

const SENTENCES: Readonly<Record<SessionEnd, string>> = {
  left: 'I have left the voice channel.',
  disconnected: 'I was disconnected from the voice channel; what was waiting is not said.',
  not_admitted:
    'Discord did not let me into the voice channel: check that I may “Connect” and “Speak” there and that it is not full, then try again.',
  unreachable:
    'I cannot reach Discord’s voice server: please try again in a minute, or choose another region for the channel.',
  encryption:
    'Discord refused my end-to-end encryption for this voice channel: please tell whoever runs me.',
  rate_limited: 'Discord wants me to join no voice channel for now: please try again in a minute.',
  call_ended: 'Discord ended the call in the voice channel, so I left.',
  broken_server:
    'Discord’s voice server sent something that I do not understand, so I left: please ask me to join again.',
  stopping: 'Hark is restarting, so I left the voice channel.',
};

/** What members are told of an end, in a sentence. */
export function sentenceForEnd(end: SessionEnd): string {
  return SENTENCES[end];
}

/** The session has ended, or cannot begin; the message says why. */
export class SessionEndedError extends UserError {
  override readonly name = 'SessionEndedError';
  readonly end: SessionEnd;

  constructor(end: SessionEnd) {
    super(sentenceForEnd(end));
    this.end = end;
  }
}
