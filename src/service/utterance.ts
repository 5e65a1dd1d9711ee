import type { FastifyRequest } from 'fastify';
import { type ModelAliases, unalias } from '../contract/aliases.ts';
import { effectiveSettings } from '../contract/settings.ts';
import { checkSpeech, type Speech, spokenText, type VoiceAbilities } from '../contract/speech.ts';
import type { Character } from '../engine/characters.ts';
import type { Utterance } from '../engine/engine.ts';
import type { Account } from './auth.ts';
import { ApiError, badRequest } from './errors.ts';

/** A voice that can be asked to speak. */
export interface SpeakableVoice {
  name: string;
  character: Character;
  abilities: VoiceAbilities;
}

/** The voice with an id, as far as the account may use it. */
export type FindVoice = (
  voiceId: string,
  account: Account | null,
) => Promise<SpeakableVoice | undefined>;

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by `requireVoice`: the voice of the path. */
    voice: SpeakableVoice | null;
  }
}

/** Answers 404 before the body is looked at (supplement, "Order of checks"). */
export function requireVoice(find: FindVoice) {
  return async (request: FastifyRequest): Promise<void> => {
    const { voice_id } = request.params as { voice_id: string };
    request.voice = (await find(voice_id, request.account)) ?? null;
    if (!request.voice) throw new ApiError(404, 'Voice not found');
  };
}

/**
 * The checked request and what the engine is to say.
 *
 * @throws {ApiError} 400 with everything that is wrong
 */
export function readSpeech(
  request: FastifyRequest,
  aliases: ModelAliases,
): { speech: Speech; utterance: Utterance } {
  const { voice } = request;
  if (!voice) throw new Error('the route does not look its voice up');
  const { output_format } = request.query as { output_format?: unknown };
  const check = checkSpeech(completed(request.body, output_format, aliases), voice.abilities);
  if (!check.ok) throw badRequest(check.faults);
  const { speech } = check;
  return {
    speech,
    utterance: {
      text: spokenText(speech),
      language: speech.language,
      character: voice.character,
      style: speech.style,
      settings: effectiveSettings(speech.model, speech.voice_settings),
    },
  };
}

/**
 * The body with the format of the query, unless it has one itself, which wins (supplement,
 * "Speech"), and with the model that its name stands for.
 */
function completed(body: unknown, format: unknown, aliases: ModelAliases): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const request: Record<string, unknown> = { ...body };
  if (format !== undefined && request.output_format === undefined) request.output_format = format;
  if (request.model !== undefined) request.model = unalias(request.model, aliases);
  return request;
}
