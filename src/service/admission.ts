import type { FastifyRequest } from 'fastify';
import type { Speech } from '../contract/speech.ts';
import { accountOf } from './auth.ts';
import type { Charge, Charges } from './charges.ts';
import type { RateLimit } from './rate-limit.ts';

export interface AdmissionContext {
  charges: Charges;
  speechRate: RateLimit;
}

/**
 * Counts a checked speech request, before any work starts, and opens its charge.
 *
 * @throws {ApiError} 429 when its key asks too often
 */
export async function admit(
  request: FastifyRequest,
  { style, language, model }: Speech,
  { charges, speechRate }: AdmissionContext,
): Promise<Charge> {
  const account = accountOf(request);
  const { voice } = request;
  if (!voice) throw new Error('the route does not look its voice up');
  await speechRate.take(account.key.id);
  const { id: voiceId } = voice.character;
  return charges.open(account, { voiceId, voiceName: voice.name, style, language, model });
}
