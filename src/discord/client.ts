import { once } from 'node:events';
import {
  Client,
  DiscordjsError,
  DiscordjsErrorCodes,
  Events,
  GatewayIntentBits,
  type RESTOptions,
} from 'discord.js';
import { UserError } from '../errors.ts';

const LOGIN_TIMEOUT_MS = 30_000;

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

/**
 * Logs in and waits until the guilds are known.
 *
 * @throws {UserError} when Discord does not accept the token
 */
export async function login(client: Client, token: string): Promise<Client<true>> {
  try {
    await Promise.all([
      once(client, Events.ClientReady, { signal: AbortSignal.timeout(LOGIN_TIMEOUT_MS) }),
      client.login(token),
    ]);
  } catch (error) {
    if (error instanceof DiscordjsError && error.code === DiscordjsErrorCodes.TokenInvalid) {
      throw new UserError(
        'Discord does not accept DISCORD_TOKEN: copy the token of your bot from the Developer Portal again.',
        { cause: error },
      );
    }
    throw error;
  }
  if (!client.isReady()) throw new Error('the Discord client is not ready after its ready event');
  return client;
}
