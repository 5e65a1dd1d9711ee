import { randomBytes } from 'node:crypto';
import { type Client, Events } from 'discord.js';
import { commands } from '../commands/index.ts';
import { type AudioEncoder, createAudioEncoder } from './audio/encoder.ts';
import { createVoiceCatalogue } from './client/catalogue.ts';
import { createVoiceClient } from './client/client.ts';
import type { Config } from './config.ts';
import { readChannels } from './discord/channel-reader.ts';
import { createDiscordClient, login, mayReadMessages } from './discord/client.ts';
import { mindCompany } from './discord/company.ts';
import { createDispatcher } from './discord/dispatch.ts';
import { registerCommands } from './discord/registration.ts';
import { createVoiceHost, type VoiceHost } from './discord/voice-host.ts';
import { createEngine } from './engine/builtin.ts';
import type { Engine } from './engine/engine.ts';
import type { Logger } from './log.ts';
import { openClipCache } from './playback/clips.ts';
import { createSpeechSource } from './playback/speech.ts';
import { BOT_ACCOUNT, createAccounts } from './service/accounts.ts';
import { acceptKey } from './service/auth.ts';
import { createService } from './service/service.ts';
import { openStore as openServiceStore } from './service/store/store.ts';
import { createGuildSettings, guildsWithSession } from './store/guild-settings.ts';
import { createMemberSettings } from './store/member-settings.ts';
import { openStore } from './store/store.ts';

/** How long what is being said may go on once the program is asked to stop. */
const STOP_GRACE_MS = 10_000;

/** How long the first list of voices may take for somebody whose message is read. */
const VOICES_MS = 10_000;

/** Finished speech that the service keeps for other requests; a bot rarely says the same thing twice. */
const CACHE_BYTES = 4 * 1024 * 1024;

/** Speech kept on disk for voice channels: about three hours. */
const CLIP_BYTES = 96 * 1024 * 1024;

/** The running program. */
export interface App {
  discord: Client<true>;
  /** Hark in voice channels. */
  host: VoiceHost;
  /** The voice service in use. */
  voiceApi: { url: string; key: string };
  /** Finishes what is being said within ten seconds, then ends every part. Safe to call twice. */
  stop(): Promise<void>;
}

/**
 * Builds every part and starts it: the embedded voice service where no other one is named, the
 * Discord client, and the commands. Resolves when members can use them.
 *
 * @throws whatever keeps a part from starting; what was started by then is ended
 */
export async function startApp(config: Config, token: string, log: Logger): Promise<App> {
  await using parts = new AsyncDisposableStack();

  const encoder = createAudioEncoder();
  parts.defer(() => encoder.close());
  const { engine, ...voiceApi } = config.voiceApi
    ? { ...config.voiceApi, engine: undefined }
    : await startEmbeddedService(config, encoder, parts, log);

  const voice = createVoiceClient({ ...voiceApi, timeoutMs: config.voiceApiTimeoutMs, log });
  parts.defer(() => voice.close());
  const catalogue = createVoiceCatalogue(voice, { log });
  parts.defer(() => catalogue.close());

  const store = openStore(config.storeUrl, { dataDir: config.dataDir });
  parts.defer(() => store.close());
  const settings = createGuildSettings(store, log);
  const members = createMemberSettings(store, log);

  const messageContent = await mayReadMessages(config.discordApiUrl, token);
  const client = createDiscordClient(config.discordApiUrl, { messageContent });
  parts.defer(() => client.destroy());

  const clips = await openClipCache({ dir: config.clipsDir, maxBytes: CLIP_BYTES, log });
  parts.defer(() => clips.close());
  const speak = createSpeechSource({ voice, encoder, clips, service: config.voiceApi?.url ?? '' });
  const voices = () => catalogue.voices({ signal: AbortSignal.timeout(VOICES_MS) });
  const host = createVoiceHost({ client, settings, log });
  const company = mindCompany({ client, host, settings, voices, speak, log });
  parts.use(company);
  parts.use(readChannels({ client, host, settings, members, voices, speak, log }));
  const services = { voice, catalogue, encoder, settings, members, host, company, speak };
  const dispatcher = createDispatcher(commands, services, log);
  // What is being said and what is being answered come to their end at the same time.
  parts.defer(() =>
    Promise.all([dispatcher.stop(STOP_GRACE_MS), host.close(STOP_GRACE_MS)]).then(() => {}),
  );
  client.on(Events.InteractionCreate, (interaction) => void dispatcher.dispatch(interaction));
  client.on(Events.Error, (error) => log.error({ err: error }, 'discord client'));
  client.on(Events.Warn, (message) => log.warn(message));

  const discord = await login(client, token);
  if (await registerCommands(discord.rest, discord.application.id, commands)) {
    log.info({ commands: commands.map(({ data }) => data.name) }, 'commands registered');
  }

  await host.comeBack(guildsWithSession(store));

  const running = parts.move();
  let stopping: Promise<void> | undefined;
  /** Lets a part load ahead of its first use, which tries again when this fails. */
  const warm = (part: string, ready: Promise<void>) =>
    ready.catch((err: unknown) => {
      if (!stopping) log.warn({ err, part }, 'warm-up failed');
    });
  // Only now, for it would take the processor from the start.
  if (engine) void warm('engine', engine.ready());
  void warm('encoder', encoder.warm());

  return {
    discord,
    host,
    voiceApi,
    stop() {
      stopping ??= running.disposeAsync();
      return stopping;
    },
  };
}

/** The voice service in this process: on a free port of loopback, with a key that nobody else knows. */
async function startEmbeddedService(
  config: Config,
  encoder: AudioEncoder,
  parts: AsyncDisposableStack,
  log: Logger,
): Promise<App['voiceApi'] & { engine: Engine }> {
  const key = randomBytes(32).toString('base64url');
  const store = await openServiceStore(config.databaseUrl, log);
  parts.defer(() => store.close());
  const accounts = createAccounts(store.db);
  const account = await accounts.ensure(BOT_ACCOUNT);
  const engine = createEngine({ log });
  parts.defer(() => engine.close());
  const service = createService({
    engine,
    encoder,
    store,
    // The bot's key is new each start and kept nowhere; its account and usage stay.
    authenticate: acceptKey(key, (id) => accounts.find(account, id), accounts.authenticate),
    log,
    speechTimeoutMs: config.speechTimeoutMs,
    modelAliases: config.modelAliases,
    samplesDir: config.samplesDir,
    cacheBytes: CACHE_BYTES,
  });
  parts.defer(() => service.close());
  const url = await service.listen({ host: '127.0.0.1', port: 0 });
  return { url, key, engine };
}
