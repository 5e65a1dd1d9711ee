import { Client, GatewayIntentBits } from 'discord.js';

/** The Discord client: what it listens to, and that nothing it posts pings anybody. */
export function createDiscordClient(apiUrl: string): Client {
  return new Client({
    intents: [GatewayIntentBits.Guilds],
    allowedMentions: { parse: [], repliedUser: false },
    rest: { api: apiUrl },
  });
}
