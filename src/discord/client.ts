import { once } from 'node:events';
import {
  ApplicationFlags,
  Client,
  DiscordAPIError,
  DiscordjsError,
  DiscordjsErrorCodes,
  Events,
  GatewayIntentBits,
  REST,
  type RESTGetCurrentApplicationResult,
  type RESTOptions,
  Routes,
} from 'discord.js';
import { isAbort, UserError } from '../errors.ts';

const LOGIN_TIMEOUT_MS = 30_000;

/**
 * Discord did not say whether it took a message with a file. A second try might post it a second time, so it is
 * up to whoever posts to find out.
 */
export class UncertainPostError extends Error {
  override readonly name = 'UncertainPostError';
}

/**
 * Discord's HTTP API through Node's own fetch. discord.js would send its forms through whatever
 * dispatcher the last loaded undici made global, and the voice client's undici 8 refuses them.
 * It would also post a file again whose answer got lost.
 */
export function restOptions(apiUrl: string): Partial<RESTOptions> {
  return {
    api: apiUrl,
    async makeRequest(url, init) {
      // Sentences may come twice rather than not at all; a PATCH may be repeated anyhow.
      const posts = init.method === 'POST' && init.body instanceof FormData;
      const response = await fetch(url, init as RequestInit).catch((cause: unknown) => {
        if (!posts || !isAbort(cause)) throw cause;
        throw new UncertainPostError('Discord did not answer to a file in time', { cause });
      });
      if (!posts || response.status < 500) return response;
      await response.body?.cancel();
      throw new UncertainPostError(`Discord answered ${response.status} to a file`);
    },
  };
}

/**
 * Whether Discord tells the bot what messages say: "Message Content Intent" in the Developer Portal.
 * A bot that asks for it unallowed is not let in at all, so that is found out before.
 *
 * @throws {UserError} when Discord cannot be reached, or does not accept the token
 */
export async function mayReadMessages(apiUrl: string, token: string): Promise<boolean> {
  const rest = new REST(restOptions(apiUrl)).setToken(token);
  try {
    const signal = AbortSignal.timeout(LOGIN_TIMEOUT_MS);
    const application = (await rest.get(Routes.currentApplication(), {
      signal,
    })) as RESTGetCurrentApplicationResult;
    const { GatewayMessageContent, GatewayMessageContentLimited } = ApplicationFlags;
    return (application.flags & (GatewayMessageContent | GatewayMessageContentLimited)) !== 0;
  } catch (error) {
    if (error instanceof DiscordAPIError && error.status === 401) throw badToken(error);
    if (error instanceof Error && (isAbort(error) || isNoConnection(error))) {
      const why = error.cause instanceof Error ? ` (${error.cause.message})` : '';
      throw new UserError(
        `Discord cannot be reached${why}: check the network, and DISCORD_API_URL if you have set it.`,
        { cause: error },
      );
    }
    throw error;
  }
}

/**
 * The Discord client: what it listens to, and that nothing it posts pings anybody.
 *
 * @param options.messageContent - whether it is told what messages say
 */
export function createDiscordClient(
  apiUrl: string,
  { messageContent }: { messageContent: boolean },
): Client {
  return new Client({
    intents: [
      GatewayIntentBits.Guilds,
      GatewayIntentBits.GuildVoiceStates,
      GatewayIntentBits.GuildMessages,
      ...(messageContent ? [GatewayIntentBits.MessageContent] : []),
    ],
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
      throw badToken(error);
    }
    throw error;
  }
  if (!client.isReady()) throw new Error('the Discord client is not ready after its ready event');
  return client;
}

/** fetch's word for a request that never reached anybody. */
function isNoConnection(error: Error): boolean {
  return error instanceof TypeError && error.message === 'fetch failed';
}

function badToken(cause: unknown): UserError {
  return new UserError(
    'Discord does not accept DISCORD_TOKEN: copy the token of your bot from the Developer Portal again.',
    { cause },
  );
}
