import type { FastifyInstance } from 'fastify';
import type { PredictedDuration } from '../../contract/speech.ts';
import { withLifetime } from '../lifetime.ts';
import { roundSeconds } from '../sound.ts';
import { readSpeech, requireVoice } from '../utterance.ts';
import type { SpeechContext } from './context.ts';

/** Predict duration (spec, "POST /v1/predict-duration/{voice_id}"). */
export function registerPredict(app: FastifyInstance, context: SpeechContext): void {
  app.post(
    '/predict-duration/:voice_id',
    {
      onRequest: requireVoice(context.findVoice),
      config: { failure: 'Failed to predict the duration' },
    },
    (request, reply) => {
      const { utterance } = readSpeech(request, context.aliases);
      return withLifetime(reply, context.lifetime, async ({ signal }) => {
        const seconds = await context.engine.predict(utterance, { signal });
        return { duration: roundSeconds(seconds) } satisfies PredictedDuration;
      });
    },
  );
}
