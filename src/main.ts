import { startApp } from './app.ts';
import { ConfigError, parseConfig, secretsOf } from './config.ts';
import { createLog } from './log.ts';
import { onStopSignal } from './signals.ts';

try {
  const config = parseConfig(process.env);
  if (!config.discordToken) {
    throw new ConfigError(
      'Set DISCORD_TOKEN to the token of your bot (see .env.example), or run "npm run demo" to try Hark without Discord.',
    );
  }
  const log = createLog(config.logLevel, secretsOf(config));
  const app = await startApp(config, config.discordToken, log);
  onStopSignal(() => app.stop(), log);
  log.info({ user: app.discord.user.tag, guilds: app.discord.guilds.cache.size }, 'ready');
} catch (error) {
  console.error(error instanceof ConfigError ? error.message : error);
  process.exitCode = 1;
}
