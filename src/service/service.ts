import type { AddressInfo } from 'node:net';
import { type FastifyInstance, fastify } from 'fastify';
import type { AudioEncoder } from '../audio/encoder.ts';
import type { ModelAliases } from '../contract/aliases.ts';
import { SETTINGS } from '../contract/settings.ts';
import { PRESETS, type PresetCharacter } from '../engine/characters.ts';
import { type Cloner, createCloner } from '../engine/cloning/cloner.ts';
import type { Engine } from '../engine/engine.ts';
import type { Logger } from '../log.ts';
import { type Authenticate, requireAccount } from './auth.ts';
import { answerBrokenRequest } from './broken-requests.ts';
import { type Charges, createCharges } from './charges.ts';
import { createCustomVoices } from './custom-voices.ts';
import { ApiError, createErrorHandler, validatorCompiler } from './errors.ts';
import { createFileCache } from './file-cache.ts';
import { createPresetVoices, thumbnailPath } from './presets.ts';
import { createRateLimit, NO_RATE_LIMIT } from './rate-limit.ts';
import type { SpeechContext } from './routes/context.ts';
import { registerCustomVoices } from './routes/custom-voices.ts';
import { registerDescription } from './routes/description.ts';
import { registerPredict } from './routes/predict.ts';
import { registerSamples } from './routes/samples.ts';
import { registerSpeech } from './routes/speech.ts';
import { registerStream } from './routes/stream.ts';
import { registerThumbnails } from './routes/thumbnails.ts';
import { registerUsage } from './routes/usage.ts';
import { type BaseUrl, registerVoices } from './routes/voices.ts';
import { createSamples } from './samples.ts';
import { createSpeechCache } from './speech-cache.ts';
import type { ServiceStore } from './store/store.ts';
import { refuseUnknownRoutes } from './unknown-routes.ts';
import { createUsage } from './usage.ts';

export interface ServiceOptions {
  authenticate: Authenticate;
  /** What the service remembers. Stays the caller's: the service does not close it. */
  store: ServiceStore;
  /** Stays the caller's: the service does not close it. */
  engine: Engine;
  /** Stays the caller's: the service does not close it. */
  encoder: Pick<AudioEncoder, 'mp3' | 'mp3Stream'>;
  /** Analyses samples of voices. Default: in threads of its own. */
  cloner?: Cloner;
  log: Logger;
  presets?: readonly PresetCharacter[];
  /** Other names for models, which requests may use. */
  modelAliases?: ModelAliases;
  /** Where samples are kept that were made once; without it they are made for each request. */
  samplesDir?: string;
  /** Milliseconds until a speech request is answered with 408 (supplement, "Limits"). */
  speechTimeoutMs?: number;
  /**
   * Milliseconds after which a connection is closed on which nothing moves. Default: the limit of a
   * speech request and the longest speech, for a player that pauses reads nothing.
   */
  idleMs?: number;
  /** Bytes of finished speech that are kept to answer the same request again. Default 32 MiB. */
  cacheBytes?: number;
  /** Milliseconds that `close` lets requests go on that are being answered. */
  graceMs?: number;
  /** Milliseconds that credits stay reserved after the process that reserved them is gone. Default 10,000. */
  leaseMs?: number;
  /** Speech requests a minute a key (supplement, "Limits"). Default: no limit. */
  speechRate?: number;
  /** Samples cloned a minute a key (supplement, "Limits"). Default: no limit. */
  cloneRate?: number;
}

export interface VoiceService {
  /** Starts to listen; port 0 takes a free one. Resolves to the base address. */
  listen(address: { host: string; port: number }): Promise<string>;
  /** Stops to listen, lets what is being answered end, and aborts what has not ended after the grace time. */
  close(): Promise<void>;
}

/** How long the head and the body of a request may take to arrive, in milliseconds. */
const RECEIVE_TIMEOUT_MS = 30_000;

/** The longest speech that a request can ask for by its settings: 60 s at speed 2. */
const LONGEST_SPEECH_MS = SETTINGS.duration.maximum * SETTINGS.speed.maximum * 1_000;

/** Bytes of samples that are kept on disk: those of four voices in all languages and styles. */
const SAMPLES_BYTES = 256 * 1024 * 1024;

/** Builds the voice service: the /v1 interface over an engine. */
export function createService(options: ServiceOptions): VoiceService {
  const stopping = new AbortController();
  const charges = createCharges(options.store.db, options);
  const app = buildApp(options, charges, stopping.signal);

  return {
    async listen({ host, port }) {
      await app.listen({ host, port });
      return listeningUrl(app);
    },
    async close() {
      const timer = setTimeout(() => {
        stopping.abort(new ApiError(503, 'The service is stopping.'));
        app.server.closeAllConnections();
      }, options.graceMs ?? 10_000);
      try {
        await app.close();
      } finally {
        clearTimeout(timer);
        await charges.close();
      }
    },
  };
}

function buildApp(
  options: ServiceOptions,
  charges: Charges,
  stopping: AbortSignal,
): FastifyInstance {
  const { engine, encoder, log, authenticate } = options;
  const handleError = createErrorHandler(log);
  const timeoutMs = options.speechTimeoutMs ?? 30_000;
  const app = fastify({
    logger: false,
    connectionTimeout: options.idleMs ?? timeoutMs + LONGEST_SPEECH_MS,
    // Refusing is the server's job once it stopped listening; Fastify's own 503 has another shape.
    return503OnClosing: false,
    requestTimeout: RECEIVE_TIMEOUT_MS,
    http: {
      headersTimeout: RECEIVE_TIMEOUT_MS,
      connectionsCheckingInterval: 5_000,
      // Node would refuse it with an empty body; see the hook below.
      requireHostHeader: false,
    },
    // An id of any length is an id that no voice has: 404, not a complaint about the path.
    routerOptions: { maxParamLength: 16_384 },
    frameworkErrors: handleError,
    clientErrorHandler: answerBrokenRequest,
  });
  app.removeContentTypeParser('text/plain');
  app.setValidatorCompiler(validatorCompiler);
  app.setErrorHandler(handleError);
  app.decorateRequest('account', null);
  app.decorateRequest('voice', null);
  app.addHook('onSend', async (_request, reply, payload) => {
    // Fastify names a charset; the interface's content types carry no parameter.
    const type = reply.getHeader('content-type');
    if (typeof type === 'string' && type.startsWith('application/json;')) {
      reply.header('content-type', 'application/json');
    }
    return payload;
  });
  // Node would refuse an unknown `Expect` with a body of no shape; HTTP lets a server ignore it.
  app.server.on('checkExpectation', (request, response) => {
    app.server.emit('request', request, response);
  });
  app.addHook('onRequest', async ({ raw }) => {
    if (raw.headers.host === undefined && raw.httpVersionMinor > 0) {
      throw new ApiError(400, 'The request has no Host header.');
    }
  });
  finishAnswers(app);
  refuseUnknownRoutes(app);

  const presets = createPresetVoices(options.presets ?? PRESETS);
  const baseUrl: BaseUrl = ({ headers }) =>
    URL.parse(`http://${headers.host ?? ''}`)?.origin ?? listeningUrl(app);
  const lifetime = { timeoutMs, stopping };
  const samples = createSamples({
    engine,
    encoder,
    log,
    files: options.samplesDir ? createFileCache(options.samplesDir, SAMPLES_BYTES) : undefined,
    ...lifetime,
  });
  const customVoices = createCustomVoices(options.store.db);
  const context: SpeechContext = {
    engine,
    encoder,
    log,
    cache: createSpeechCache(options.cacheBytes ?? 32 * 1024 * 1024),
    aliases: options.modelAliases ?? {},
    lifetime,
    charges,
    speechRate: options.speechRate ? createRateLimit(options.speechRate) : NO_RATE_LIMIT,
    findVoice: async (voiceId, account) => {
      const preset = presets.find(voiceId);
      if (!preset) return account ? customVoices.speakable(account.id, voiceId) : undefined;
      const { character, details } = preset;
      return { character, abilities: details, name: details.name };
    },
  };

  app.get('/healthz', async () => ({ status: 'ok' }));
  registerDescription(app);
  app.register(
    async (open) => {
      registerSamples(open, presets, samples, lifetime);
      registerThumbnails(open, presets);
    },
    { prefix: '/v1' },
  );
  app.register(
    async (keyed) => {
      keyed.addHook('onRequest', requireAccount(authenticate));
      registerSpeech(keyed, context);
      registerStream(keyed, context);
      registerPredict(keyed, context);
      registerVoices(keyed, presets, baseUrl, context.aliases);
      registerCustomVoices(keyed, {
        voices: customVoices,
        cloner: options.cloner ?? createCloner(),
        cloneRate: options.cloneRate ? createRateLimit(options.cloneRate) : NO_RATE_LIMIT,
        lifetime,
      });
      registerUsage(keyed, {
        charges,
        usage: createUsage(options.store.db),
        thumbnailUrl: (voiceId, request) =>
          presets.find(voiceId) && baseUrl(request) + thumbnailPath(voiceId),
      });
    },
    { prefix: '/v1' },
  );
  return app;
}

/**
 * Lets a server that closes send its answers to the end: Node takes a connection for idle, and cuts
 * it, as soon as an answer is handed over.
 */
function finishAnswers(app: FastifyInstance): void {
  const closeIdle = app.server.closeIdleConnections.bind(app.server);
  let answering = 0;
  app.server.closeIdleConnections = () => {
    if (answering === 0) closeIdle();
  };
  app.addHook('onRequest', async (_request, reply) => {
    answering += 1;
    reply.raw.once('close', () => {
      answering -= 1;
      // A connection that was answered while the service stops is kept by nobody any more.
      if (!app.server.listening) app.server.closeIdleConnections();
    });
  });
}

function listeningUrl(app: FastifyInstance): string {
  const { address, family, port } = app.server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
