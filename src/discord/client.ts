import { Client, GatewayIntentBits, type RESTOptions } from 'discord.js';

/**
 * Discord's HTTP API through Node's own fetch. discord.js would send its forms through whatever
 * dispatcher the last loaded undici made global, and the voice client's undici 8 refuses them.
 */
export function restOptions(apiUrl: string): Partial<RESTOptions> {
  return {
    api: apiUrl,
    makeRequest: (url, init) => fetch(url, init as RequestInit),
  };
}

/** The Discord client: what it listens to, and that nothing it posts pings anybody. */
export function createDiscordClient(apiUrl: string): Client {
  return new Client({
    intents: [GatewayIntentBits.Guilds],
    allowedMentions: { parse: [], repliedUser: false },
    rest: restOptions(apiUrl),
  });
}
