import { REST, type RESTGetAPICurrentUserResult, Routes } from 'discord.js';
import { commands } from '../commands/index.ts';
import { ConfigError, parseConfig } from './config.ts';
import { restOptions } from './discord/client.ts';
import { registerCommands, registrationPayload } from './discord/registration.ts';
import { failToStart } from './process.ts';

// The commands as Discord gets them: printed with --print, else sent. The bot does it by itself at start.
if (process.argv.includes('--print')) {
  console.log(JSON.stringify(registrationPayload(commands), null, 2));
} else {
  try {
    const { discordToken, discordApiUrl } = parseConfig(process.env);
    if (!discordToken)
      throw new ConfigError('Set DISCORD_TOKEN, or add --print to see the commands.');
    const rest = new REST(restOptions(discordApiUrl)).setToken(discordToken);
    const { id } = (await rest.get(Routes.user())) as RESTGetAPICurrentUserResult;
    const changed = await registerCommands(rest, id, commands);
    console.log(
      changed ? `Registered ${commands.length} commands.` : 'The commands are up to date.',
    );
  } catch (error) {
    failToStart(error);
  }
}
