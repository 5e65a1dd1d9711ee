import type { FastifyInstance } from 'fastify';
import { AUDIO_LENGTH_HEADER } from '../../contract/limits.ts';
import { checkSpeech } from '../../contract/speech.ts';
import { ApiError } from '../errors.ts';
import { type LifetimeOptions, withLifetime } from '../lifetime.ts';
import type { PresetVoices } from '../presets.ts';
import { wavSeconds } from '../recording.ts';
import type { Samples } from '../samples.ts';
import { AUDIO_TYPE } from '../sound-file.ts';
import { SPEECH_FAILURE } from './context.ts';

/** Sample audio of the preset voices, without a key: its address is given out to be opened (spec, "Sample"). */
export function registerSamples(
  app: FastifyInstance,
  presets: PresetVoices,
  samples: Samples,
  lifetime: LifetimeOptions,
): void {
  app.get<{ Params: { voice_id: string; language: string; style: string; file: string } }>(
    '/voices/:voice_id/samples/:language/:style/:file',
    { config: { failure: SPEECH_FAILURE } },
    async ({ params }, reply) => {
      const voice = presets.find(params.voice_id);
      const model = /^(.+)\.wav$/.exec(params.file)?.[1];
      const { language, style } = params;
      // Whether the combination exists is what the check of a request for it says.
      const check =
        voice &&
        checkSpeech({ text: 'sample', language, style, model: model ?? '' }, voice.details);
      if (!voice || !check?.ok) throw new ApiError(404, 'There is no such sample.');
      const file = await withLifetime(reply, lifetime, () =>
        samples(voice.character, check.speech),
      );
      return reply
        .type(AUDIO_TYPE.wav)
        .header(AUDIO_LENGTH_HEADER, String(wavSeconds(file)))
        .header('cache-control', 'public, max-age=86400')
        .send(file);
    },
  );
}
