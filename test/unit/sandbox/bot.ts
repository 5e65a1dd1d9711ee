import { Client, type ClientOptions, GatewayIntentBits, type Interaction } from 'discord.js';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';

/** A command with one option of each kind that people use most. */
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
    { type: 7, name: 'where', description: 'A channel' },
  ],
};

/** The real discord.js, logged in to a sandbox; `answer` gets every interaction. */
export async function logIn(
  sandbox: Sandbox,
  answer: (interaction: Interaction) => Promise<unknown> = async () => {},
  options: Partial<ClientOptions> = {},
): Promise<Client<true> & AsyncDisposable> {
  const client = new Client({
    intents: [GatewayIntentBits.Guilds],
    rest: { api: sandbox.apiUrl },
    ...options,
  });
  const ready = new Promise<Client<true>>((resolve) => client.once('clientReady', resolve));
  client.on('interactionCreate', (interaction) => {
    answer(interaction).catch((error: unknown) => client.emit('error', error as Error));
  });
  await client.login(sandbox.token);
  const readyClient = await ready;
  return Object.assign(readyClient, { [Symbol.asyncDispose]: () => readyClient.destroy() });
}
