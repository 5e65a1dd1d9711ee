import type { FastifyInstance } from 'fastify';
import { AUDIO_LENGTH_HEADER } from '../../contract/limits.ts';
import type { SpeechWithPhonemes } from '../../contract/speech.ts';
import { admit } from '../admission.ts';
import { withLifetime } from '../lifetime.ts';
import { record } from '../recording.ts';
import { AUDIO_TYPE } from '../sound-file.ts';
import { speechKey } from '../speech-cache.ts';
import { readSpeech, requireVoice } from '../utterance.ts';
import { SPEECH_FAILURE, type SpeechContext } from './context.ts';

/** Create speech (spec, "POST /v1/text-to-speech/{voice_id}"). */
export function registerSpeech(app: FastifyInstance, context: SpeechContext): void {
  app.post(
    '/text-to-speech/:voice_id',
    { onRequest: requireVoice(context.findVoice), config: { failure: SPEECH_FAILURE } },
    async (request, reply) => {
      const { speech, utterance } = readSpeech(request, context.aliases);
      const format = speech.output_format;
      await using charge = await admit(request, speech, context);
      const key = speechKey(utterance, format);
      const known = context.cache.get(key);
      if (known) await charge.reserve(async () => known.seconds);
      const recording =
        known ??
        (await withLifetime(reply, context.lifetime, async ({ signal }) => {
          await charge.reserve(() => context.engine.predict(utterance, { signal }));
          return record(context, utterance, format, signal);
        }));
      if (!known) context.cache.put(key, recording);
      await charge.settle(recording.seconds);
      reply.header(AUDIO_LENGTH_HEADER, String(recording.seconds));
      if (!speech.include_phonemes) return reply.type(AUDIO_TYPE[format]).send(recording.file);
      const answer: SpeechWithPhonemes = {
        audio_base64: recording.file.toString('base64'),
        phonemes: recording.phonemes,
      };
      return reply.send(answer);
    },
  );
}
