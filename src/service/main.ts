import { randomBytes } from 'node:crypto';
import { createAudioEncoder } from '../audio/encoder.ts';
import { ConfigError, parseConfig, secretsOf } from '../config.ts';
import { createEngine } from '../engine/builtin.ts';
import { createLog } from '../log.ts';
import { onStopSignal } from '../signals.ts';
import { createService } from './service.ts';

try {
  await using parts = new AsyncDisposableStack();
  const config = parseConfig(process.env);
  const key = config.serviceKey ?? randomBytes(32).toString('base64url');
  const log = createLog(config.logLevel, [...secretsOf(config), key]);

  const engine = createEngine({ log });
  parts.defer(() => engine.close());
  const encoder = createAudioEncoder();
  parts.defer(() => encoder.close());
  const service = createService({
    engine,
    encoder,
    keys: [key],
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
  if (!config.serviceKey) console.log(`Its API key until it ends: ${key}`);
} catch (error) {
  console.error(error instanceof ConfigError ? error.message : error);
  process.exitCode = 1;
}
