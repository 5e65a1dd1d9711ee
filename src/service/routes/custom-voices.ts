import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import {
  type ClonedVoice,
  type CustomVoice,
  CustomVoiceFilters,
  type CustomVoicePage,
  checkCustomVoiceEdit,
} from '../../contract/custom-voices.ts';
import { PageQuery } from '../../contract/voices.ts';
import type { Cloner } from '../../engine/cloning/cloner.ts';
import { UserError } from '../../errors.ts';
import { accountOf } from '../auth.ts';
import type { CustomVoices } from '../custom-voices.ts';
import { ApiError, badRequest, tooMany } from '../errors.ts';
import { type LifetimeOptions, withLifetime } from '../lifetime.ts';
import { pageOf } from '../pages.ts';
import type { RateLimit } from '../rate-limit.ts';
import { readSampleUpload, type SampleUpload } from '../sample-upload.ts';
import { containsAll } from '../search.ts';

export interface CustomVoicesContext {
  voices: CustomVoices;
  cloner: Cloner;
  cloneRate: RateLimit;
  lifetime: LifetimeOptions;
}

/** Samples that are read at the same time, for each may fill 3 MB of memory. */
const PARALLEL_UPLOADS = 16;

const SearchQuery = PageQuery.extend(CustomVoiceFilters.shape);

/** Custom voices of the account that asks (spec, "POST /v1/custom-voices/cloned-voice"; supplement, "Paths"). */
export function registerCustomVoices(app: FastifyInstance, context: CustomVoicesContext): void {
  app.register(async (scope) => {
    await scope.register(multipart);
    registerClone(scope, context);
  });
  registerLists(app, context.voices);
  registerSingle(app, context.voices);
}

/** What is wrong with the request itself (400, 413, 415) comes before 403 and 429; the sample's sound is judged last, for that is the work. */
function registerClone(
  app: FastifyInstance,
  { voices, cloner, cloneRate, lifetime }: CustomVoicesContext,
): void {
  let uploads = 0;

  async function upload(request: FastifyRequest): Promise<SampleUpload> {
    if (uploads >= PARALLEL_UPLOADS) throw tooMany(1);
    uploads += 1;
    try {
      return await readSampleUpload(request);
    } finally {
      uploads -= 1;
    }
  }

  app.post(
    '/custom-voices/cloned-voice',
    { onRequest: requireMultipart, config: { failure: 'Failed to clone the voice' } },
    async (request, reply) => {
      const account = accountOf(request);
      const { sample, text } = await upload(request);
      if (account.tier === 'free') {
        throw new ApiError(403, 'Cloning voices is not available on the free tier.');
      }
      await cloneRate.take(account.key.id);
      const profile = await withLifetime(reply, lifetime, async ({ signal }) => {
        try {
          return await cloner.analyse(sample, { signal });
        } catch (error) {
          throw error instanceof UserError
            ? new ApiError(400, error.message, { cause: error })
            : error;
        }
      });
      return { voice_id: await voices.create(account.id, text, profile) } satisfies ClonedVoice;
    },
  );
}

async function requireMultipart(request: FastifyRequest): Promise<void> {
  const type = request.headers['content-type'] ?? '';
  if (!/^multipart\/form-data\s*;/i.test(type)) {
    throw new ApiError(400, 'Content-Type must be multipart/form-data with a boundary.');
  }
}

function registerLists(instance: FastifyInstance, voices: CustomVoices): void {
  const app = instance.withTypeProvider<ZodTypeProvider>();

  function page(all: readonly CustomVoice[], scope: string, query: PageQuery): CustomVoicePage {
    const { items, total, nextPageToken } = pageOf(all, scope, query);
    return { items, total, next_page_token: nextPageToken };
  }

  app.get('/custom-voices', { schema: { querystring: PageQuery } }, async (request) => {
    const { id } = accountOf(request);
    return page(await voices.list(id), `custom-voices ${id}`, request.query);
  });

  app.get('/custom-voices/search', { schema: { querystring: SearchQuery } }, async (request) => {
    const { id } = accountOf(request);
    const { name, description, ...query } = request.query;
    const found = (await voices.list(id)).filter(
      (voice) => containsAll(name, voice.name) && containsAll(description, voice.description),
    );
    return page(found, `custom-voices/search ${JSON.stringify([id, name, description])}`, query);
  });
}

function registerSingle(app: FastifyInstance, voices: CustomVoices): void {
  type Single = { Params: { voice_id: string } };
  const path = '/custom-voices/:voice_id';

  /** Answers 404 before the body is looked at (supplement, "Order of checks"). */
  async function requireCustomVoice(request: FastifyRequest): Promise<void> {
    const { voice_id } = request.params as Single['Params'];
    found(await voices.find(accountOf(request).id, voice_id));
  }

  app.get<Single>(path, async (request) =>
    found(await voices.find(accountOf(request).id, request.params.voice_id)),
  );

  app.patch<Single>(path, { onRequest: requireCustomVoice }, async (request) => {
    const checked = checkCustomVoiceEdit(request.body);
    if (!checked.ok) throw badRequest(checked.faults);
    const { id } = accountOf(request);
    return found(await voices.edit(id, request.params.voice_id, checked.value));
  });

  app.register(async (scope) => {
    // Clients name a type for the body that they do not send; there is nothing to read in any.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, payload, done) => {
      payload.resume();
      done(null);
    });
    scope.delete<Single>(path, async (request, reply) => {
      const removed = await voices.remove(accountOf(request).id, request.params.voice_id);
      found(removed || undefined);
      return reply.code(204).send();
    });
  });
}

function found<T>(voice: T | undefined): T {
  if (voice === undefined) throw new ApiError(404, 'Voice not found');
  return voice;
}
