import { createAudioEncoder } from '../audio/encoder.ts';
import { parseConfig, secretsOf } from '../config.ts';
import { createEngine, defaultWorkers } from '../engine/builtin.ts';
import { UserError } from '../errors.ts';
import { createLog } from '../log.ts';
import { failToStart, onStopSignal } from '../process.ts';
import { BOT_ACCOUNT, createAccounts, DEFAULT_ACCOUNT } from './accounts.ts';
import { acceptKey } from './auth.ts';
import { createService } from './service.ts';
import { openStore } from './store/store.ts';

try {
  await using parts = new AsyncDisposableStack();
  const config = parseConfig(process.env);
  const log = createLog(config.logLevel, secretsOf(config));

  const store = await openStore(config.databaseUrl, log);
  parts.defer(() => store.close());
  const accounts = createAccounts(store.db);
  const own = config.serviceKey ? await accounts.ensure(DEFAULT_ACCOUNT) : undefined;

  const workers = defaultWorkers();
  const engine = createEngine({ workers, queueLimit: workers * config.speechQueue, log });
  parts.defer(() => engine.close());
  const encoder = createAudioEncoder();
  parts.defer(() => encoder.close());
  const service = createService({
    engine,
    encoder,
    store,
    authenticate:
      config.serviceKey && own
        ? acceptKey(config.serviceKey, (key) => accounts.find(own, key), accounts.authenticate)
        : accounts.authenticate,
    speechRate: config.speechRate,
    cloneRate: config.cloneRate,
    log,
    speechTimeoutMs: config.speechTimeoutMs,
    modelAliases: config.modelAliases,
    samplesDir: config.samplesDir,
  });
  parts.defer(() => service.close());
  const url = await service.listen({ host: config.serviceHost, port: config.servicePort });

  const running = parts.move();
  onStopSignal(() => running.disposeAsync(), log);
  console.log(`The voice service listens on ${url}`);
  if (!config.serviceKey && !(await accounts.list()).some(({ name }) => name !== BOT_ACCOUNT)) {
    const first = { name: DEFAULT_ACCOUNT, tier: 'paid', credits: null } as const;
    const { key } = await accounts.create(first).catch((error: unknown) => {
      // Another process that started at the same time was first, and has shown the key.
      if (error instanceof UserError) return { key: undefined };
      throw error;
    });
    if (key) console.log(`Its API key, shown this once: ${key}`);
  }
} catch (error) {
  failToStart(error);
}
