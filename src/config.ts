import { join } from 'node:path';
import { z } from 'zod';
import { ModelAliases } from './contract/aliases.ts';
import { UserError } from './errors.ts';
import { LOG_LEVELS } from './log.ts';

/** An environment variable that is there but empty counts as unset, as in a shell or a compose file. */
function optional<T extends z.ZodType>(schema: T) {
  return z.preprocess((value) => (value === '' ? undefined : value), schema.optional());
}

function withDefault<T extends z.ZodType>(schema: T, value: string | number) {
  return z.preprocess((given) => (given === '' || given === undefined ? value : given), schema);
}

const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' });

const rate = z.coerce
  .number({ error: 'must be a number of requests a minute' })
  .int('must be a whole number')
  .min(1, 'must be at least 1')
  .max(100_000, 'must be at most 100,000');

const Environment = z
  .object({
    DISCORD_TOKEN: optional(z.string().meta({ description: "The bot's token." })),
    DISCORD_API_URL: withDefault(httpUrl, 'https://discord.com/api'),
    VOICE_API_URL: optional(httpUrl),
    VOICE_API_KEY: optional(z.string()),
    VOICE_API_TIMEOUT: withDefault(
      z.coerce
        .number({ error: 'must be a number of seconds' })
        .min(0.1, 'must be at least 0.1 s')
        .max(60, 'must be at most 60 s'),
      35,
    ),
    SERVICE_HOST: withDefault(z.string(), '127.0.0.1'),
    SERVICE_PORT: withDefault(
      z.coerce
        .number({ error: 'must be a port, 0 to 65535' })
        .int()
        .min(0, 'must be a port, 0 to 65535')
        .max(65_535, 'must be a port, 0 to 65535'),
      8600,
    ),
    SPEECH_TIMEOUT: withDefault(
      z.coerce
        .number({ error: 'must be a number of seconds' })
        .min(0.1, 'must be at least 0.1 s')
        .max(600, 'must be at most 600 s'),
      30,
    ),
    SPEECH_QUEUE: withDefault(
      z.coerce
        .number({ error: 'must be a number of speeches' })
        .int()
        .min(0, 'must be 0 or more')
        .max(1_000, 'must be at most 1000'),
      // Who is let in waits for one other at most, so that nobody waits much longer than at rest.
      1,
    ),
    MODEL_ALIASES: withDefault(ModelAliases, '{}'),
    DATA_DIR: withDefault(z.string(), './data'),
    SPEECH_RATE: withDefault(rate, 120),
    CLONE_RATE: withDefault(rate, 10),
    STORE_URL: optional(
      z.url({
        protocol: /^(sqlite|rediss?|postgres(ql)?)$/,
        error: 'must be a sqlite:, redis: or postgres: URL',
      }),
    ),
    DATABASE_URL: optional(
      z.url({ protocol: /^(sqlite|postgres(ql)?)$/, error: 'must be a sqlite: or postgres: URL' }),
    ),
    REDIS_URL: optional(z.url({ protocol: /^rediss?$/, error: 'must be a redis: or rediss: URL' })),
    LOG_LEVEL: withDefault(
      z.enum(LOG_LEVELS, { error: `must be one of ${LOG_LEVELS.join(', ')}` }),
      'info',
    ),
  })
  .superRefine((environment, context) => {
    if (environment.VOICE_API_URL && !environment.VOICE_API_KEY) {
      context.addIssue({
        code: 'custom',
        path: ['VOICE_API_KEY'],
        message: 'is needed with VOICE_API_URL',
      });
    }
  })
  .transform((environment) => ({
    discordToken: environment.DISCORD_TOKEN,
    discordApiUrl: environment.DISCORD_API_URL,
    /** The voice service to call; undefined means the one inside this program. */
    voiceApi:
      environment.VOICE_API_URL && environment.VOICE_API_KEY
        ? { url: environment.VOICE_API_URL, key: environment.VOICE_API_KEY }
        : undefined,
    /** The key that `npm run service` accepts; undefined means one that it makes. */
    serviceKey: environment.VOICE_API_KEY,
    /** Milliseconds that one request to the voice service may take before the next try. */
    voiceApiTimeoutMs: environment.VOICE_API_TIMEOUT * 1_000,
    serviceHost: environment.SERVICE_HOST,
    servicePort: environment.SERVICE_PORT,
    /** Milliseconds until a speech request is answered with 408. */
    speechTimeoutMs: environment.SPEECH_TIMEOUT * 1_000,
    /** Speeches that may wait for each thread of the engine; the next one is answered with 429. */
    speechQueue: environment.SPEECH_QUEUE,
    modelAliases: environment.MODEL_ALIASES,
    dataDir: environment.DATA_DIR,
    /** Samples of voices, which can be made again. */
    samplesDir: join(environment.DATA_DIR, 'cache', 'samples'),
    /** Speech for voice channels, which can be made again. */
    clipsDir: join(environment.DATA_DIR, 'cache', 'clips'),
    storeUrl: environment.STORE_URL,
    /** Where the service keeps accounts, usage and custom voices. */
    databaseUrl: environment.DATABASE_URL ?? `sqlite:${join(environment.DATA_DIR, 'service.db')}`,
    /** Speech and clone requests a minute a key. */
    speechRate: environment.SPEECH_RATE,
    cloneRate: environment.CLONE_RATE,
    redisUrl: environment.REDIS_URL,
    logLevel: environment.LOG_LEVEL,
  }));

export type Config = z.output<typeof Environment>;

/** The environment cannot be used; the message has a line for each variable at fault. */
export class ConfigError extends UserError {
  override readonly name = 'ConfigError';
}

/**
 * Reads the settings of operation from environment variables.
 *
 * @throws {ConfigError} names every variable at fault at once, and never a value
 */
export function parseConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const parsed = Environment.safeParse(environment);
  if (parsed.success) return parsed.data;
  const lines = parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`);
  throw new ConfigError(lines.join('\n'));
}

/** The values of a configuration that must never be written anywhere. */
export function secretsOf(config: Config): string[] {
  const password = (url: string | undefined) => (url ? new URL(url).password : '');
  return [
    config.discordToken,
    config.serviceKey,
    password(config.storeUrl),
    password(config.databaseUrl),
    password(config.redisUrl),
  ].filter((secret): secret is string => Boolean(secret));
}
