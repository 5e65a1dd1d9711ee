import type { FastifyInstance } from 'fastify';
import { AUDIO_LENGTH_HEADER } from '../../contract/limits.ts';
import type { SpeechWithPhonemes } from '../../contract/speech.ts';
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
      const key = speechKey(utterance, format);
      let recording = context.cache.get(key);
      if (!recording) {
        recording = await withLifetime(reply, context.lifetime, ({ signal }) =>
          record(context, utterance, format, signal),
        );
        context.cache.put(key, recording);
      }
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
