import { describe, expect, it } from 'vitest';
import { ConfigError, parseConfig, secretsOf } from '../../src/config.ts';

describe('the environment', () => {
  it('needs nothing: every variable has a default or is optional', () => {
    expect(parseConfig({})).toMatchObject({
      discordToken: undefined,
      discordApiUrl: 'https://discord.com/api',
      voiceApi: undefined,
      voiceApiTimeoutMs: 35_000,
      serviceHost: '127.0.0.1',
      servicePort: 8600,
      dataDir: './data',
      logLevel: 'info',
    });
  });

  it('treats an empty variable as unset, as compose files leave them', () => {
    expect(parseConfig({ SERVICE_PORT: '', DISCORD_TOKEN: '', VOICE_API_URL: '' })).toEqual(
      parseConfig({}),
    );
  });

  it('names every variable at fault at once, and repeats no value', () => {
    const faulty = () =>
      parseConfig({
        SERVICE_PORT: '70000',
        LOG_LEVEL: 'loud',
        REDIS_URL: 'http://user:hunter2@cache',
        DISCORD_API_URL: 'discord',
      });
    expect(faulty).toThrow(ConfigError);
    expect(faulty).toThrow(/SERVICE_PORT[\s\S]*LOG_LEVEL|LOG_LEVEL[\s\S]*SERVICE_PORT/);
    expect(faulty).toThrow(/REDIS_URL/);
    expect(faulty).toThrow(/DISCORD_API_URL/);
    expect(faulty).not.toThrow(/hunter2/);
  });

  it('takes other names for models, and says what is wrong with them', () => {
    const MODEL_ALIASES = '{"sona_speech_2t": "sona_speech_2", "목소리": "engine_api_3"}';
    expect(parseConfig({ MODEL_ALIASES }).modelAliases).toEqual({
      sona_speech_2t: 'sona_speech_2',
      목소리: 'engine_api_3',
    });
    for (const wrong of ['nonsense', '[]', '7', '{"a": "b"}', '{"": "sona_speech_2"}', 'null']) {
      expect(() => parseConfig({ MODEL_ALIASES: wrong })).toThrow(/MODEL_ALIASES/);
    }
    expect(() => parseConfig({ MODEL_ALIASES: '{"a": "b"}' })).toThrow(/sona_speech_2_flash/);
  });

  it('asks for the key where another voice service is named', () => {
    expect(() => parseConfig({ VOICE_API_URL: 'http://127.0.0.1:8600' })).toThrow(/VOICE_API_KEY/);
  });

  it('knows which of its values are secret, passwords in addresses included', () => {
    const config = parseConfig({
      DISCORD_TOKEN: 'token-of-the-bot',
      VOICE_API_URL: 'http://127.0.0.1:8600',
      VOICE_API_KEY: 'key-of-the-service',
      DATABASE_URL: 'postgres://hark:database-password@127.0.0.1/hark',
    });
    expect(secretsOf(config)).toEqual([
      'token-of-the-bot',
      'key-of-the-service',
      'database-password',
    ]);
  });
});
