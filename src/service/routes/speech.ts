import type { FastifyInstance } from 'fastify';
import { AUDIO_LENGTH_HEADER } from '../../contract/limits.ts';
import type { SpeechWithPhonemes } from '../../contract/speech.ts';
import { withLifetime } from '../lifetime.ts';
import { NO_PHONEMES, startSound } from '../sound.ts';
import { AUDIO_TYPE, soundFile } from '../sound-file.ts';
import { readSpeech, requireVoice } from '../utterance.ts';
import { SPEECH_FAILURE, type SpeechContext } from './context.ts';

/** Create speech (spec, "POST /v1/text-to-speech/{voice_id}"). */
export function registerSpeech(app: FastifyInstance, context: SpeechContext): void {
  app.post(
    '/text-to-speech/:voice_id',
    { onRequest: requireVoice(context.findVoice), config: { failure: SPEECH_FAILURE } },
    async (request, reply) => {
      const { speech, utterance } = readSpeech(request);
      const { file, sound } = await withLifetime(reply, context.lifetime, async ({ signal }) => {
        const sound = await startSound(context.engine.speak(utterance, { signal }));
        return {
          sound,
          file: await soundFile(sound, speech.output_format, context.encoder, signal),
        };
      });
      reply.header(AUDIO_LENGTH_HEADER, String(sound.seconds()));
      if (!speech.include_phonemes) {
        return reply.type(AUDIO_TYPE[speech.output_format]).send(file);
      }
      const answer: SpeechWithPhonemes = {
        audio_base64: file.toString('base64'),
        phonemes: sound.takePhonemes() ?? NO_PHONEMES,
      };
      return reply.send(answer);
    },
  );
}
