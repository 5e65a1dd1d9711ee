import {
  type ChatInputCommandInteraction,
  Client,
  type ClientOptions,
  GatewayIntentBits,
  type Interaction,
} from 'discord.js';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../../src/sandbox/sandbox.ts';

/** A command with options of the kinds that people use most. */
export const SAY = {
  name: 'say',
  description: 'Says a text',
  options: [
    { type: 3, name: 'text', description: 'What to say', required: true, max_length: 20 },
    { type: 3, name: 'voice', description: 'Who says it', autocomplete: true },
    { type: 4, name: 'pitch', description: 'How high', min_value: -24, max_value: 24 },
    {
      type: 3,
      name: 'as',
      description: 'In which form',
      choices: [
        { name: 'Voice message', value: 'voice' },
        { name: 'WAV', value: 'wav' },
      ],
    },
    { type: 11, name: 'sample', description: 'A file' },
    { type: 6, name: 'who', description: 'A member' },
    { type: 7, name: 'where', description: 'A channel', channel_types: [0] },
  ],
};

export interface LoggedIn extends AsyncDisposable {
  sandbox: Sandbox;
  /** The real discord.js, ready and with `/say` registered. */
  client: Client<true>;
}

/**
 * A sandbox with the real discord.js in it.
 *
 * @param handle - gets every interaction; what it throws becomes the client's `error` event
 */
export async function logIn(
  handle: (interaction: Interaction) => Promise<unknown> = async () => undefined,
  options: SandboxOptions & { client?: Partial<ClientOptions> } = {},
): Promise<LoggedIn> {
  const sandbox = await startSandbox(options);
  const client = new Client({
    intents: [GatewayIntentBits.Guilds],
    ...options.client,
    rest: { api: sandbox.apiUrl, ...options.client?.rest },
  });
  const ready = new Promise<Client<true>>((resolve) => client.once('clientReady', resolve));
  client.on('interactionCreate', (interaction) => {
    handle(interaction).catch((error: unknown) => client.emit('error', error as Error));
  });
  await client.login(sandbox.token);
  const readyClient = await ready;
  await readyClient.application.commands.set([SAY]);
  await sandbox.ready();
  return {
    sandbox,
    client: readyClient,
    async [Symbol.asyncDispose]() {
      await client.destroy();
      await sandbox.close();
    },
  };
}

/** A handler for `/say` alone. */
export function onSay(handle: (interaction: ChatInputCommandInteraction) => Promise<unknown>) {
  return async (interaction: Interaction) => {
    if (interaction.isChatInputCommand()) await handle(interaction);
  };
}

/** The first page of an Ogg Opus file, as far as anybody looks at it. */
export function oggOpus(size = 100): Buffer {
  const file = Buffer.alloc(size);
  file.write('OggS', 0, 'latin1');
  file.write('OpusHead', 28, 'latin1');
  return file;
}
