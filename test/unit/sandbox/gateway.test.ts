import { once } from 'node:events';
import { Client, Events, GatewayIntentBits } from 'discord.js';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.ts';
import { logIn, onSay } from './bot.ts';

function gateway({ apiUrl }: Sandbox): string {
  return apiUrl.replace('http', 'ws').replace('/api', '/gateway');
}

/** A bare connection to the gateway, after Hello. */
async function connect(sandbox: Sandbox) {
  const socket = new WebSocket(`${gateway(sandbox)}?v=10&encoding=json`);
  const closed = once(socket, 'close').then(([code]) => code as number);
  const [hello] = await once(socket, 'message');
  const send = (op: number, d?: unknown) => socket.send(JSON.stringify({ op, d }));
  return { socket, closed, send, hello: JSON.parse(String(hello)) };
}

test('a bot gets Hello, Ready and its guild, and heartbeats are acknowledged', async () => {
  await using sandbox = await startSandbox();
  const { socket, send, hello } = await connect(sandbox);
  const received: { op: number; t: string | null; s: number | null }[] = [];
  socket.on('message', (data) => received.push(JSON.parse(String(data))));

  send(2, { token: sandbox.token, intents: 1, properties: {} });
  send(1, null);
  while (!received.some(({ op }) => op === 11)) await once(socket, 'message');

  expect(hello).toMatchObject({ op: 10, d: { heartbeat_interval: 41_250 } });
  expect(received).toMatchObject([
    { op: 0, t: 'READY', s: 1 },
    { op: 0, t: 'GUILD_CREATE', s: 2 },
    { op: 11 },
  ]);
  socket.close();
});

test.each([
  ['a wrong token', 4004, 2, { token: 'wrong', intents: 1 }],
  ['unknown intents', 4013, 2, { intents: 1 << 30 }],
  ['a shard that is none', 4010, 2, { intents: 1, shard: [1, 1] }],
  ['an unknown opcode', 4001, 99, {}],
  ['a command before identifying', 4003, 3, {}],
  ['an identify without a token', 4002, 2, { token: 5 }],
])('%s closes the connection with %i', async (_name, code, op, data) => {
  await using sandbox = await startSandbox();
  const { closed, send } = await connect(sandbox);
  send(op, { token: sandbox.token, ...data });
  expect(await closed).toBe(code);
});

test('what is no JSON, another version and a second identify close the connection', async () => {
  await using sandbox = await startSandbox();
  const first = await connect(sandbox);
  first.socket.send('{');
  expect(await first.closed).toBe(4002);

  const [code] = await once(new WebSocket(`${gateway(sandbox)}?v=9&encoding=json`), 'close');
  expect(code).toBe(4012);

  const third = await connect(sandbox);
  third.send(2, { token: sandbox.token, intents: 1 });
  third.send(2, { token: sandbox.token, intents: 1 });
  expect(await third.closed).toBe(4005);
});

test('discord.js learns that its token or its intents are refused', async () => {
  await using sandbox = await startSandbox({ privilegedIntents: 0 });
  const client = (intents: GatewayIntentBits[]) =>
    new Client({ intents, rest: { api: sandbox.apiUrl } });
  const wrongToken = client([GatewayIntentBits.Guilds]);
  await expect(wrongToken.login('wrong')).rejects.toMatchObject({ code: 'TokenInvalid' });

  const tooMuch = client([GatewayIntentBits.MessageContent]);
  await expect(tooMuch.login(sandbox.token)).rejects.toThrow(/disallowed intents/i);
});

test('a bot that does not heartbeat is cut off', async () => {
  await using sandbox = await startSandbox({ heartbeatInterval: 20 });
  const { closed } = await connect(sandbox);
  expect(await closed).toBe(4009);
});

test('after a broken connection the bot resumes and gets what it missed', async () => {
  await using bot = await logIn(onSay((interaction) => interaction.reply('still here')));
  const resumed = once(bot.client, Events.ShardResume);

  bot.sandbox.gateway.drop();
  const answer = await bot.sandbox.run('/say', { text: 'x' });

  expect(answer.messages).toMatchObject([{ content: 'still here' }]);
  const [, replayed] = await resumed;
  expect(replayed).toBeGreaterThan(0);
});

test('asked to reconnect, the bot resumes', async () => {
  await using bot = await logIn(onSay((interaction) => interaction.reply('still here')));
  const resumed = once(bot.client, Events.ShardResume);
  bot.sandbox.gateway.reconnect();
  await resumed;
  expect((await bot.sandbox.run('/say', { text: 'x' })).messages).toHaveLength(1);
});

test('a bot whose session is over may identify anew', async () => {
  await using sandbox = await startSandbox();
  const { socket, send } = await connect(sandbox);
  const sessions: string[] = [];
  socket.on('message', (data) => {
    const { op, t, d } = JSON.parse(String(data));
    if (t === 'READY') sessions.push(d.session_id);
    if (t === 'GUILD_CREATE' && sessions.length === 1) sandbox.gateway.invalidateSessions();
    if (op === 9 && d === false) send(2, { token: sandbox.token, intents: 1 });
  });
  send(2, { token: sandbox.token, intents: 1 });
  while (sessions.length < 2) await once(socket, 'message');
  expect(sessions[0]).not.toBe(sessions[1]);
  socket.close();
});

test('a session that is unknown cannot be resumed', async () => {
  await using sandbox = await startSandbox();
  const { socket, send } = await connect(sandbox);
  send(6, { token: sandbox.token, session_id: 'none', seq: 3 });
  const [frame] = await once(socket, 'message');
  expect(JSON.parse(String(frame))).toMatchObject({ op: 9, d: false });
  socket.close();
});

test('what members write comes only with the intents for it', async () => {
  const { Guilds, GuildMessages, MessageContent } = GatewayIntentBits;
  for (const [intents, content] of [
    [[Guilds, GuildMessages, MessageContent], '안녕'],
    [[Guilds, GuildMessages], ''],
  ] as const) {
    await using bot = await logIn(undefined, { client: { intents } });
    const posted = once(bot.client, Events.MessageCreate);
    bot.sandbox.post('안녕');
    const [message] = await posted;
    expect(message.content).toBe(content);
    expect(message.member?.displayName).toBe('Minjun');
  }
});

test('a bot without the intent hears of no messages', async () => {
  await using bot = await logIn();
  let heard = 0;
  bot.client.on('raw', ({ t }: { t: string }) => {
    if (t === 'MESSAGE_CREATE') heard += 1;
  });
  const changed = once(bot.client, Events.ChannelUpdate);
  bot.sandbox.post('안녕');
  const { world, team } = bot.sandbox;
  world.setOverwrite(team.text[0], team.member, { deny: 1n });
  await changed;
  expect(heard).toBe(0);
});

test('changes of the world reach the bot', async () => {
  await using bot = await logIn();
  const { world, team } = bot.sandbox;
  const joined = once(bot.client, Events.GuildCreate);
  const guild = world.addGuild({ name: 'Second team', everyone: 1n << 10n });
  await joined;
  const made = once(bot.client, Events.ChannelCreate);
  world.addChannel(guild, { name: 'talk', type: 0 });
  await made;

  expect(bot.client.guilds.cache.map(({ name }) => name)).toEqual(['Team', 'Second team']);
  const members = await bot.client.guilds.cache.get(team.guild.id)?.roles.fetch();
  expect(members?.map(({ name }) => name).sort()).toEqual([
    '@everyone',
    'Administrators',
    'Hark',
    'Members',
  ]);
});
