import { setFlagsFromString } from 'node:v8';
import { ConfigError, parseConfig, secretsOf } from './config.ts';
import { createLog } from './log.ts';
import { failToStart, onStopSignal } from './process.ts';

// A bot rests most of the time: V8 keeps its heap small for it, and leaves out the compiler in the
// middle, which takes 18 MB and makes no speech faster. This counts for what is loaded from here on,
// so the program itself is imported below.
setFlagsFromString('--optimize-for-size');
setFlagsFromString('--no-maglev');

try {
  const config = parseConfig(process.env);
  if (!config.discordToken) {
    throw new ConfigError(
      'Set DISCORD_TOKEN to the token of your bot (see .env.example), or run "npm run demo" to try Hark without Discord.',
    );
  }
  const { startApp } = await import('./app.ts');
  const log = createLog(config.logLevel, secretsOf(config));
  const app = await startApp(config, config.discordToken, log);
  onStopSignal(() => app.stop(), log);
  log.info({ user: app.discord.user.tag, guilds: app.discord.guilds.cache.size }, 'ready');
} catch (error) {
  failToStart(error);
}
