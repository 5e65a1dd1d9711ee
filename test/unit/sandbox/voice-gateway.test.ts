import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { entersState, VoiceConnectionStatus } from '@discordjs/voice';
import { Events } from 'discord.js';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { logInWithVoice, packetsOf, play, sweep, type VoiceBot } from './voice-bot.ts';

interface Message {
  op: number;
  d: Record<string, unknown>;
}

/** What a bot gets to identify with after it asked for a channel with opcode 4. */
async function admitted(bot: VoiceBot) {
  const [lounge] = bot.sandbox.team.voice;
  const server = new Promise<{ token: string; endpoint: string }>((resolve) => {
    bot.client.on(Events.Raw, ({ t, d }: { t: string; d: { token: string; endpoint: string } }) => {
      if (t === 'VOICE_SERVER_UPDATE') resolve(d);
    });
  });
  const d = { guild_id: lounge.guildId, channel_id: lounge.id, self_mute: false, self_deaf: false };
  bot.client.guilds.cache.get(lounge.guildId)?.shard.send({ op: 4, d });
  const { token, endpoint } = await server;
  const session = bot.sandbox.voice.state(bot.sandbox.voice.bot())?.sessionId;
  const identity = {
    server_id: lounge.guildId,
    user_id: bot.client.user.id,
    session_id: session,
    token,
    max_dave_protocol_version: 1,
  };
  return { endpoint, identity };
}

/** A bare connection to the voice gateway, after Hello. */
async function connect(endpoint: string, version = 8) {
  const socket = new WebSocket(`wss://${endpoint}?v=${version}`);
  const closed = once(socket, 'close').then(([code]) => code as number);
  const received: Message[] = [];
  socket.on('message', (data, isBinary) => {
    if (!isBinary) received.push(JSON.parse(String(data)));
  });
  await once(socket, 'message');
  const send = (op: number, data?: unknown) => socket.send(JSON.stringify({ op, d: data }));
  const receive = async (op: number): Promise<Message['d']> => {
    for (;;) {
      const found = received.find((message) => message.op === op);
      if (found) return found.d;
      await once(socket, 'message');
    }
  };
  return { socket, closed, send, receive };
}

test('a client is greeted, identified, told its address, and gets a key', async () => {
  await using bot = await logInWithVoice();
  const { endpoint, identity } = await admitted(bot);
  const { socket, send, receive } = await connect(endpoint);
  expect(await receive(8)).toEqual({ v: 8, heartbeat_interval: 13_750 });
  send(3, { t: 5, seq_ack: -1 });
  expect(await receive(6)).toEqual({ t: 5 });

  send(0, identity);
  const ready = await receive(2);
  expect(ready).toMatchObject({ modes: ['aead_aes256_gcm_rtpsize'] });
  const udp = createSocket('udp4');
  const request = Buffer.alloc(74);
  request.writeUInt16BE(1, 0);
  request.writeUInt16BE(70, 2);
  request.writeUInt32BE(Number(ready.ssrc), 4);
  udp.send(request, Number(ready.port), String(ready.ip));
  const [answer] = (await once(udp, 'message')) as [Buffer];
  expect(answer.toString('latin1', 8, 17)).toBe('127.0.0.1');
  expect(answer.readUInt16BE(72)).toBe(udp.address().port);
  udp.close();

  const data = { address: '127.0.0.1', port: 1, mode: 'aead_aes256_gcm_rtpsize' };
  send(1, { protocol: 'udp', data });
  const description = await receive(4);
  expect(description).toMatchObject({ dave_protocol_version: 1 });
  expect(description.secret_key).toHaveLength(32);
  socket.close();
});

const udp = (mode: string) => ({ protocol: 'udp', data: { address: '::', port: 1, mode } });

test.each<[string, number, number, (identity: object) => unknown]>([
  ['a wrong token', 4004, 0, (identity) => ({ ...identity, token: 'wrong' })],
  ['another guild', 4011, 0, (identity) => ({ ...identity, server_id: '1' })],
  ['a session that is over', 4006, 0, (identity) => ({ ...identity, session_id: 'other' })],
  ['no encryption', 4017, 0, (identity) => ({ ...identity, max_dave_protocol_version: 0 })],
  ['an identify without a token', 4002, 0, () => ({})],
  ['an unknown opcode', 4001, 99, () => ({})],
  ['a protocol before identifying', 4003, 1, () => udp('aead_aes256_gcm_rtpsize')],
  ['speaking before identifying', 4003, 5, () => ({ speaking: 1, ssrc: 1, delay: 0 })],
  ['a heartbeat without a number', 4020, 3, () => ({})],
  ['a resume of nothing', 4006, 7, (identity) => ({ ...identity, seq_ack: 1 })],
])('%s closes the connection with %i', async (_what, code, op, data) => {
  await using bot = await logInWithVoice();
  const { endpoint, identity } = await admitted(bot);
  const { closed, send } = await connect(endpoint);
  send(op, data(identity));
  expect(await closed).toBe(code);
});

test.each([
  ['a second identify', 4005, 0],
  ['another protocol', 4012, 1, { ...udp('aead_aes256_gcm_rtpsize'), protocol: 'tcp' }],
  ['an unknown encryption', 4016, 1, udp('xsalsa20_poly1305')],
  ['a foreign source', 4002, 5, { speaking: 1, ssrc: 4_000_000, delay: 0 }],
])(
  'after identifying, %s closes the connection with %i',
  async (_what, code, op, data?: object) => {
    await using bot = await logInWithVoice();
    const { endpoint, identity } = await admitted(bot);
    const { closed, send, receive } = await connect(endpoint);
    send(0, identity);
    await receive(2);
    send(op, data ?? identity);
    expect(await closed).toBe(code);
  },
);

test('what is no JSON, a garbage commit and silence close the connection too', async () => {
  await using bot = await logInWithVoice({ voiceHeartbeatInterval: 100 });
  const { endpoint, identity } = await admitted(bot);
  const first = await connect(endpoint);
  first.socket.send('{');
  expect(await first.closed).toBe(4002);

  const second = await connect(endpoint);
  second.send(0, identity);
  await second.receive(2);
  second.send(1, udp('aead_aes256_gcm_rtpsize'));
  await second.receive(4);
  second.socket.send(Buffer.from([28, 1, 2, 3]));
  expect(await second.closed).toBe(4002);

  const third = await connect(endpoint);
  expect(await third.closed).toBe(4009);
});

test('a bot that heartbeats stays, and one that gets no answer to it resumes', async () => {
  await using bot = await logInWithVoice({ voiceHeartbeatInterval: 300 });
  const { voice, team } = bot.sandbox;
  const connection = await bot.join(team.voice[0]);
  const source = voice.connections[0]?.ssrc;
  await play(connection, await packetsOf(sweep(1)));
  expect(voice.connections).toMatchObject([{ ssrc: source, isConnected: true }]);

  const lost = entersState(connection, VoiceConnectionStatus.Connecting, 5000);
  const release = voice.faults.withhold('heartbeatAck');
  await lost;
  release();
  await entersState(connection, VoiceConnectionStatus.Ready, 5000);
  expect(voice.connections).toMatchObject([{ ssrc: source }]);
});

test('who joins while the voice gateway is down is understood after the resume', async () => {
  await using bot = await logInWithVoice();
  const { voice, team } = bot.sandbox;
  const [lounge] = team.voice;
  await voice.listen(lounge);
  const connection = await bot.join(lounge);
  await voice.settled(lounge);

  const release = voice.faults.withhold('resumed');
  const lost = entersState(connection, VoiceConnectionStatus.Connecting, 5000);
  voice.dropGateway();
  await lost;
  const entering = voice.listen(lounge, { as: team.member });
  release();
  await entersState(connection, VoiceConnectionStatus.Ready, 5000);
  const third = await entering;
  await play(connection, await packetsOf(sweep(0.2)));

  const spoken = third.packets.filter(({ frame }) => frame.length > 3);
  expect(spoken.length).toBeGreaterThan(9);
  expect(spoken.every(({ opus, encrypted }) => opus && encrypted)).toBe(true);
  expect(third.privacyCode).toBe(connection.voicePrivacyCode);
  // Nobody had to begin anew: the bot got what it had missed.
  expect(voice.call(lounge).dave.generation).toBe(0);
});
