import { once } from 'node:events';
import {
  entersState,
  VoiceConnectionDisconnectReason,
  VoiceConnectionStatus,
} from '@discordjs/voice';
import { Events, PermissionFlagsBits } from 'discord.js';
import { expect, test } from 'vitest';
import { OPUS_PRE_SKIP } from '../../../src/audio/opus.ts';
import { decodeWav } from '../../../src/audio/wav.ts';
import { correlation, logInWithVoice, packetsOf, play, sweep } from './voice-bot.ts';

const { Ready, Disconnected, Connecting, Signalling } = VoiceConnectionStatus;

test('a listener hears what the bot says, sample by sample', async () => {
  await using bot = await logInWithVoice();
  const [lounge] = bot.sandbox.team.voice;
  const listener = await bot.sandbox.voice.listen(lounge);
  const connection = await bot.join(lounge);
  const sent = sweep(1);
  const packets = await packetsOf(sent);

  await play(connection, packets);
  await listener.until(({ packets: heard }) => heard.length >= packets.length);

  expect(correlation(sent, listener.sound(), OPUS_PRE_SKIP)).toBeGreaterThan(0.99);
  expect(decodeWav(Buffer.from(listener.wav())).samples).toEqual(listener.sound());
  expect(listener.speaking[0]).toMatchObject({ speaking: 1, userId: bot.client.user.id });
  expect(bot.sandbox.voice.connections).toMatchObject([{ traffic: { lost: 0 } }]);
});

test('lost packets are silence in their place, and counted', async () => {
  await using bot = await logInWithVoice();
  const [lounge] = bot.sandbox.team.voice;
  const listener = await bot.sandbox.voice.listen(lounge);
  const connection = await bot.join(lounge);
  bot.sandbox.voice.faults.lose(0.2);

  await play(connection, await packetsOf(sweep(1)));

  const [client] = bot.sandbox.voice.connections;
  expect(client?.traffic.lost).toBeGreaterThan(2);
  const silent = listener.sound().reduce((count, sample) => count + (sample === 0 ? 1 : 0), 0);
  expect(silent).toBeGreaterThan(1920);
  expect(listener.packets.length).toBe(client?.traffic.packets);
});

test('a pause between two sentences is heard as long as it was', async () => {
  await using bot = await logInWithVoice();
  const [lounge] = bot.sandbox.team.voice;
  const listener = await bot.sandbox.voice.listen(lounge);
  const connection = await bot.join(lounge);
  const packets = await packetsOf(sweep(0.2));

  await play(connection, packets);
  const { promise, resolve } = Promise.withResolvers<void>();
  setTimeout(resolve, 600);
  await promise;
  await play(connection, packets);

  const arrivals = listener.packets.map(({ arrivedAt }) => arrivedAt);
  const lasted = (arrivals.at(-1) ?? 0) - (arrivals[0] ?? 0);
  expect(lasted).toBeGreaterThan(600);
  expect(Math.abs(listener.sound().length / 48 - lasted)).toBeLessThan(250);
});

test('people who are in voice before the bot are known to it, and so are those who come and go', async () => {
  await using bot = await logInWithVoice();
  const { voice, team } = bot.sandbox;
  const [lounge, focus] = team.voice;
  const seen: (string | null)[] = [];
  bot.client.on(Events.VoiceStateUpdate, (_before, { channelId }) => seen.push(channelId));
  const changed = () => once(bot.client, Events.VoiceStateUpdate);

  const joined = changed();
  voice.join(team.member, lounge);
  await joined;
  const moved = changed();
  voice.move(team.member, focus);
  await moved;
  const left = changed();
  voice.leave(team.member);
  await left;

  expect(seen).toEqual([lounge.id, focus.id, null]);
});

test('a channel without permission and a full one give the bot no answer', async () => {
  await using bot = await logInWithVoice();
  const { voice, team, world } = bot.sandbox;
  const [lounge, focus] = team.voice;
  world.setOverwrite(lounge, voice.bot(), { deny: PermissionFlagsBits.Connect });
  world.setUserLimit(focus, 1);
  voice.join(team.member, focus);

  for (const channel of [lounge, focus]) {
    const connection = bot.ask(channel);
    await expect(entersState(connection, Ready, 300)).rejects.toThrow();
    expect(connection.state.status).toBe(Signalling);
    expect(voice.state(voice.bot())).toBeUndefined();
    connection.destroy();
  }
  world.setOverwrite(focus, voice.bot(), { allow: PermissionFlagsBits.MoveMembers });
  await bot.join(focus);
  expect(voice.members(focus)).toHaveLength(2);
});

test('people cannot join what Discord would not let them into', async () => {
  await using bot = await logInWithVoice();
  const { voice, team, world } = bot.sandbox;
  world.setOverwrite(team.voice[0], team.member, { deny: PermissionFlagsBits.Connect });
  expect(() => voice.join(team.member, team.voice[0])).toThrow(/may not join/);
  expect(() => voice.join(team.member, team.text[0])).toThrow(/may not join/);
});

test('on a stage nobody hears the bot before it is let speak', async () => {
  await using bot = await logInWithVoice();
  const { voice, team, world } = bot.sandbox;
  const stage = world.addChannel(team.guild, { name: 'Stage', type: 13 });
  const listener = await voice.listen(stage);
  const connection = await bot.join(stage);
  expect(voice.state(voice.bot())).toMatchObject({ suppress: true });

  await play(connection, await packetsOf(sweep(0.1)));
  expect(listener.packets).toEqual([]);

  voice.change(voice.bot(), { suppress: false });
  await play(connection, await packetsOf(sweep(0.1)));
  expect(listener.packets.length).toBeGreaterThan(4);
});

test('with the right to mute members the bot lets itself speak on a stage', async () => {
  await using bot = await logInWithVoice();
  const { voice, team, world } = bot.sandbox;
  const stage = world.addChannel(team.guild, { name: 'Stage', type: 13 });
  await bot.join(stage);
  const me = await bot.client.guilds.cache.get(team.guild.id)?.members.fetchMe();

  await expect(me?.voice.setSuppressed(false)).rejects.toMatchObject({ code: 50013 });
  world.setOverwrite(stage, voice.bot(), {
    allow: PermissionFlagsBits.MuteMembers | PermissionFlagsBits.RequestToSpeak,
  });
  await me?.voice.setRequestToSpeak(true);
  expect(voice.state(voice.bot())?.requestToSpeakAt).toBeInstanceOf(Date);
  await me?.voice.setSuppressed(false);

  expect(voice.state(voice.bot())).toMatchObject({ suppress: false });
});

test('a bot that is moved goes on in the other channel', async () => {
  await using bot = await logInWithVoice();
  const { voice, team } = bot.sandbox;
  const [lounge, focus] = team.voice;
  const listener = await voice.listen(focus);
  const connection = await bot.join(lounge);

  const again = entersState(connection, Connecting, 5000);
  voice.move(voice.bot(), focus);
  await again;
  await entersState(connection, Ready, 5000);
  await play(connection, await packetsOf(sweep(0.2)));

  expect(connection.joinConfig.channelId).toBe(focus.id);
  expect(listener.packets.length).toBeGreaterThan(9);
});

test('a bot that is thrown out, or whose channel goes, is disconnected with 4014', async () => {
  await using bot = await logInWithVoice();
  const { voice, team, world } = bot.sandbox;
  const [lounge, focus] = team.voice;
  const reason = {
    status: Disconnected,
    reason: VoiceConnectionDisconnectReason.WebSocketClose,
    closeCode: 4014,
  };

  const first = await bot.join(lounge);
  voice.disconnect(voice.bot());
  await entersState(first, Disconnected, 5000);
  expect(first.state).toMatchObject(reason);
  first.destroy();

  const second = await bot.join(focus);
  const gone = once(bot.client, Events.ChannelDelete);
  world.removeChannel(focus);
  await entersState(second, Disconnected, 5000);
  expect(second.state).toMatchObject(reason);
  expect((await gone)[0].id).toBe(focus.id);
  expect(voice.state(voice.bot())).toBeUndefined();
});

test.each([
  ['as a broken network does', undefined],
  ['with 4015', 4015],
])('a bot whose voice gateway drops %s resumes under the same source', async (_how, code) => {
  await using bot = await logInWithVoice();
  const { voice, team } = bot.sandbox;
  const listener = await voice.listen(team.voice[0]);
  const connection = await bot.join(team.voice[0]);
  await play(connection, await packetsOf(sweep(0.1)));

  const lost = entersState(connection, Connecting, 5000);
  voice.dropGateway(code);
  await lost;
  await entersState(connection, Ready, 5000);
  await play(connection, await packetsOf(sweep(0.1)));

  expect(new Set(listener.packets.map(({ ssrc }) => ssrc)).size).toBe(1);
  expect(listener.packets.length).toBeGreaterThan(9);
});

test.each([4006, 4009, 4021, 4022])('after %i the bot joins anew', async (code) => {
  await using bot = await logInWithVoice();
  const { voice, team } = bot.sandbox;
  const connection = await bot.join(team.voice[0]);
  const source = voice.connections[0]?.ssrc;

  const lost = entersState(connection, Signalling, 5000);
  voice.dropGateway(code);
  await lost;
  await entersState(connection, Ready, 5000);

  expect(voice.connections.map(({ ssrc }) => ssrc)).not.toContain(source);
});

test('a bot follows its call to a new voice server', async () => {
  await using bot = await logInWithVoice();
  const { voice, team } = bot.sandbox;
  const listener = await voice.listen(team.voice[0]);
  const connection = await bot.join(team.voice[0]);
  const endpoints: string[] = [];
  bot.client.on('raw', ({ t, d }: { t: string; d: { endpoint: string } }) => {
    if (t === 'VOICE_SERVER_UPDATE') endpoints.push(d.endpoint);
  });

  const lost = entersState(connection, Connecting, 5000);
  await voice.changeServer();
  await lost;
  await entersState(connection, Ready, 5000);
  await play(connection, await packetsOf(sweep(0.1)));

  expect(new Set(endpoints).size).toBeGreaterThan(0);
  expect(listener.packets.length).toBeGreaterThan(4);
});

test.each(['stateUpdate', 'serverUpdate', 'ready', 'discovery', 'sessionDescription'] as const)(
  'a held back %s keeps the bot waiting until it comes',
  async (step) => {
    await using bot = await logInWithVoice();
    const { voice, team } = bot.sandbox;
    const release = voice.faults.withhold(step);
    const connection = bot.ask(team.voice[0]);
    await expect(entersState(connection, Ready, 300)).rejects.toThrow();
    release();
    await entersState(connection, Ready, 5000);
  },
);

test('behind a firewall that takes no UDP the bot does not get ready', async () => {
  await using bot = await logInWithVoice();
  const { voice, team } = bot.sandbox;
  voice.faults.refusesUdp = true;
  await expect(entersState(bot.ask(team.voice[0]), Ready, 300)).rejects.toThrow();
  expect(voice.connections).toMatchObject([{ isConnected: false }]);
});

test('a bot whose main session ends falls out of voice, one that resumes does not', async () => {
  await using bot = await logInWithVoice();
  const { voice, team, gateway } = bot.sandbox;
  await bot.join(team.voice[0]);
  const resumed = once(bot.client, Events.ShardResume);
  gateway.drop();
  await resumed;
  expect(voice.state(voice.bot())).toMatchObject({ channelId: team.voice[0].id });

  await bot.client.destroy();
  await voice.until(() => voice.state(voice.bot()) === undefined || undefined);
});
