import type { FastifyInstance } from 'fastify';
import { AUDIO_LENGTH_HEADER } from '../../contract/limits.ts';
import { effectiveSettings } from '../../contract/settings.ts';
import { checkSpeech } from '../../contract/speech.ts';
import { ApiError, tooMany } from '../errors.ts';
import { withLifetime } from '../lifetime.ts';
import type { PresetVoices } from '../presets.ts';
import { SAMPLE_SENTENCES } from '../sample-sentences.ts';
import { startSound } from '../sound.ts';
import { AUDIO_TYPE, soundFile } from '../sound-file.ts';
import { SPEECH_FAILURE, type SpeechContext } from './context.ts';

/** Samples made at the same time: anybody may ask for them, and speech comes first. */
const PARALLEL_SAMPLES = 2;

/** Sample audio of the preset voices, without a key: its address is given out to be opened (spec, "Sample"). */
export function registerSamples(
  app: FastifyInstance,
  presets: PresetVoices,
  { engine, encoder, lifetime }: Pick<SpeechContext, 'engine' | 'encoder' | 'lifetime'>,
): void {
  let underWay = 0;

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

      if (underWay >= PARALLEL_SAMPLES) throw tooMany(1);
      underWay += 1;
      try {
        const { file, sound } = await withLifetime(reply, lifetime, async ({ signal }) => {
          const utterance = {
            text: SAMPLE_SENTENCES[check.speech.language],
            language: check.speech.language,
            character: voice.character,
            style,
            settings: effectiveSettings(check.speech.model),
          };
          const sound = await startSound(engine.speak(utterance, { signal }));
          return { sound, file: await soundFile(sound, 'wav', encoder, signal) };
        });
        return reply
          .type(AUDIO_TYPE.wav)
          .header(AUDIO_LENGTH_HEADER, String(sound.seconds()))
          .header('cache-control', 'public, max-age=86400')
          .send(file);
      } finally {
        underWay -= 1;
      }
    },
  );
}
