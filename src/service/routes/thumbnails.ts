import type { FastifyInstance } from 'fastify';
import { ApiError } from '../errors.ts';
import { encodePng } from '../picture/png.ts';
import { portrait } from '../picture/portrait.ts';
import type { PresetVoices } from '../presets.ts';

/** Pictures of the preset voices, without a key: their address is given out to be shown (spec, "Voice"). */
export function registerThumbnails(app: FastifyInstance, presets: PresetVoices): void {
  const made = new Map<string, Promise<Buffer>>();

  app.get<{ Params: { voice_id: string } }>(
    '/voices/:voice_id/thumbnail.png',
    async ({ params: { voice_id } }, reply) => {
      const voice = presets.find(voice_id);
      if (!voice) throw new ApiError(404, 'Voice not found');
      let picture = made.get(voice_id);
      if (!picture) {
        picture = encodePng(portrait(voice.details));
        made.set(voice_id, picture);
      }
      return reply
        .type('image/png')
        .header('cache-control', 'public, max-age=86400')
        .send(await picture);
    },
  );
}
