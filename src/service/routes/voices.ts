import type { FastifyInstance, FastifyReply } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { ModelAliases } from '../../contract/aliases.ts';
import { PageQuery, VoiceFilters } from '../../contract/voices.ts';
import { ApiError } from '../errors.ts';
import { pageOf } from '../pages.ts';
import type { PresetVoice, PresetVoices } from '../presets.ts';
import { matches } from '../search.ts';

const SearchQuery = PageQuery.extend(VoiceFilters.shape);

/** Finds the address that a request reached the service at, for the addresses in its answer. */
export type BaseUrl = (request: { headers: { host?: string | undefined } }) => string;

/** List, search and get the preset voices (spec, "GET /v1/voices"; supplement, "Paths"). */
export function registerVoices(
  instance: FastifyInstance,
  presets: PresetVoices,
  baseUrl: BaseUrl,
  aliases: ModelAliases,
): void {
  const app = instance.withTypeProvider<ZodTypeProvider>();

  function sendPage(
    reply: FastifyReply,
    voices: readonly PresetVoice[],
    scope: string,
    query: PageQuery,
  ) {
    const page = pageOf(voices, scope, query);
    const base = baseUrl(reply.request);
    const items = page.items.map((voice) => presets.json(voice, base));
    const token = JSON.stringify(page.nextPageToken);
    return reply
      .type('application/json')
      .send(`{"items":[${items.join(',')}],"total":${page.total},"next_page_token":${token}}`);
  }

  app.get('/voices', { schema: { querystring: PageQuery } }, (request, reply) =>
    sendPage(reply, presets.all, 'voices', request.query),
  );

  app.get('/voices/search', { schema: { querystring: SearchQuery } }, (request, reply) => {
    const { page_size, next_page_token, ...filters } = request.query;
    const found = presets.all.filter(({ details }) => matches(details, filters, aliases));
    const scope = `voices/search ${JSON.stringify(Object.entries(filters).sort())}`;
    return sendPage(reply, found, scope, { page_size, next_page_token });
  });

  app.get<{ Params: { voice_id: string } }>('/voices/:voice_id', (request, reply) => {
    const voice = presets.find(request.params.voice_id);
    if (!voice) throw new ApiError(404, 'Voice not found');
    return reply.type('application/json').send(presets.json(voice, baseUrl(request)));
  });
}
