import { entersState, type VoiceConnection, VoiceConnectionStatus } from '@discordjs/voice';
import { expect, test } from 'vitest';
import { OPUS_PRE_SKIP } from '../../../src/audio/opus.ts';
import type { HeardPacket, Listener } from '../../../src/sandbox/voice/listener.ts';
import type { Channel } from '../../../src/sandbox/world.ts';
import { correlation, logInWithVoice, packetsOf, play, sweep, type VoiceBot } from './voice-bot.ts';

/** Silence frames are clear at all times. */
function spoken(packets: readonly HeardPacket[]): HeardPacket[] {
  return packets.filter(({ frame }) => frame.toString('hex') !== 'f8fffe');
}

/** A bot and a listener who share keys. */
async function inACall(bot: VoiceBot, channel: Channel) {
  const listener = await bot.sandbox.voice.listen(channel);
  const connection = await bot.join(channel);
  await bot.sandbox.voice.settled(channel);
  return { listener, connection };
}

async function playing(connection: VoiceConnection, seconds: number): Promise<() => Promise<void>> {
  const ended = play(connection, await packetsOf(sweep(seconds)));
  return () => ended;
}

function hearsMore(listener: Listener, packets: number): Promise<Listener> {
  const already = listener.packets.length;
  return listener.until(({ packets: heard }) => heard.length >= already + packets);
}

test('what the bot says is encrypted on the wire, and members of the call can read it', async () => {
  await using bot = await logInWithVoice();
  const { listener, connection } = await inACall(bot, bot.sandbox.team.voice[0]);
  const sent = sweep(1);

  await play(connection, await packetsOf(sent));

  const packets = spoken(listener.packets);
  expect(packets.length).toBeGreaterThan(49);
  for (const { frame, encrypted, opus } of packets) {
    expect(frame.subarray(-2).toString('hex')).toBe('fafa');
    expect(encrypted).toBe(true);
    expect(opus?.length).toBeLessThan(frame.length);
  }
  expect(correlation(sent, listener.sound(), OPUS_PRE_SKIP)).toBeGreaterThan(0.99);
  expect(connection.voicePrivacyCode).toMatch(/^\d{30}$/);
  expect(listener.faults).toEqual([]);
});

test('a third member who joins while the bot speaks hears the rest, and nobody misses a packet', async () => {
  await using bot = await logInWithVoice();
  const { voice, team } = bot.sandbox;
  const { listener, connection } = await inACall(bot, team.voice[0]);
  const ended = await playing(connection, 1.5);
  await hearsMore(listener, 10);

  const third = await voice.listen(team.voice[0], { as: team.member });
  await hearsMore(third, 10);
  const epoch = voice.call(team.voice[0]).dave.epoch;
  await ended();

  expect(
    spoken(third.packets)
      .slice(-5)
      .every(({ opus }) => opus),
  ).toBe(true);
  expect(spoken(listener.packets).every(({ opus, encrypted }) => opus && encrypted)).toBe(true);
  expect(voice.call(team.voice[0]).dave.users).toHaveLength(3);
  expect(epoch).toBe(2n);
  expect([...listener.faults, ...third.faults]).toEqual([]);
});

test('a member who leaves while the bot speaks takes no packet from the others, and no key with them', async () => {
  await using bot = await logInWithVoice();
  const { voice, team } = bot.sandbox;
  const { listener, connection } = await inACall(bot, team.voice[0]);
  const third = await voice.listen(team.voice[0], { as: team.member });
  const ended = await playing(connection, 1.5);
  await hearsMore(third, 10);

  voice.leave(team.member);
  await voice.settled(team.voice[0]);
  const heardUntilThen = third.packets.length;
  await hearsMore(listener, 10);
  await ended();

  expect(third.packets).toHaveLength(heardUntilThen);
  expect(voice.call(team.voice[0]).dave.users).toHaveLength(2);
  expect(spoken(listener.packets).every(({ opus, encrypted }) => opus && encrypted)).toBe(true);
  expect(listener.faults).toEqual([]);
});

test('left alone the bot begins anew, and is understood by whoever comes next', async () => {
  await using bot = await logInWithVoice();
  const { voice, team } = bot.sandbox;
  const [lounge] = team.voice;
  const { listener, connection } = await inACall(bot, lounge);
  const code = connection.voicePrivacyCode;

  voice.leave(listener.member);
  await voice.settled(lounge);
  expect(voice.call(lounge).dave.epoch).toBe(0n);
  const next = await voice.listen(lounge);
  await play(connection, await packetsOf(sweep(0.3)));

  expect(spoken(next.packets).length).toBeGreaterThan(14);
  expect(spoken(next.packets).every(({ opus, encrypted }) => opus && encrypted)).toBe(true);
  expect(connection.voicePrivacyCode).not.toBe(code);
  expect(next.faults).toEqual([]);
});

test('a downgrade makes the wire clear and an upgrade encrypts it again, while the bot speaks', async () => {
  await using bot = await logInWithVoice();
  const { voice, team } = bot.sandbox;
  const [lounge] = team.voice;
  const { listener, connection } = await inACall(bot, lounge);
  const ended = await playing(connection, 2.5);
  await hearsMore(listener, 10);

  await voice.downgrade(lounge);
  await hearsMore(listener, 10);
  expect(spoken(listener.packets).at(-1)?.encrypted).toBe(false);
  await voice.upgrade(lounge);
  await hearsMore(listener, 10);
  expect(spoken(listener.packets).at(-1)?.encrypted).toBe(true);
  await ended();

  expect(spoken(listener.packets).every(({ opus }) => opus)).toBe(true);
  expect(listener.faults).toEqual([]);
});

test('somebody who joins a downgraded call is part of the upgrade', async () => {
  await using bot = await logInWithVoice({ dave: false });
  const { voice, team } = bot.sandbox;
  const [lounge] = team.voice;
  const { listener, connection } = await inACall(bot, lounge);
  await play(connection, await packetsOf(sweep(0.1)));
  expect(spoken(listener.packets).every(({ opus, encrypted }) => opus && !encrypted)).toBe(true);

  listener.clear();
  await voice.upgrade(lounge);
  await play(connection, await packetsOf(sweep(0.1)));

  expect(spoken(listener.packets).length).toBeGreaterThan(4);
  expect(spoken(listener.packets).every(({ opus, encrypted }) => opus && encrypted)).toBe(true);
});

test('after a new group for all, and after a garbage welcome, the bot is understood again', async () => {
  await using bot = await logInWithVoice();
  const { voice, team } = bot.sandbox;
  const [lounge] = team.voice;
  const { listener, connection } = await inACall(bot, lounge);

  await voice.renewGroup(lounge);
  await play(connection, await packetsOf(sweep(0.1)));
  expect(spoken(listener.packets).every(({ opus, encrypted }) => opus && encrypted)).toBe(true);

  listener.clear();
  voice.connections[0]?.sendBinary(30, Buffer.from([0, 9, 1, 2, 3]));
  await voice.until(() => voice.call(lounge).dave.epoch > 1n || undefined);
  await voice.settled(lounge);
  await play(connection, await packetsOf(sweep(0.2)));

  expect(spoken(listener.packets).length).toBeGreaterThan(9);
  expect(spoken(listener.packets).every(({ opus, encrypted }) => opus && encrypted)).toBe(true);
  expect(listener.faults).toEqual([]);
});

test('a resume keeps the keys', async () => {
  await using bot = await logInWithVoice();
  const { voice, team } = bot.sandbox;
  const { listener, connection } = await inACall(bot, team.voice[0]);
  const { epoch } = voice.call(team.voice[0]).dave;
  const lost = entersState(connection, VoiceConnectionStatus.Connecting, 5000);
  voice.dropGateway(4015);
  await lost;
  await entersState(connection, VoiceConnectionStatus.Ready, 5000);
  await play(connection, await packetsOf(sweep(0.1)));

  expect(voice.call(team.voice[0]).dave.epoch).toBe(epoch);
  expect(spoken(listener.packets).length).toBeGreaterThan(4);
  expect(spoken(listener.packets).every(({ opus, encrypted }) => opus && encrypted)).toBe(true);
});

test('on a new voice server the bot and the others agree on new keys', async () => {
  await using bot = await logInWithVoice();
  const { voice, team } = bot.sandbox;
  const { listener, connection } = await inACall(bot, team.voice[0]);
  const lost = entersState(connection, VoiceConnectionStatus.Connecting, 5000);
  await voice.changeServer();
  await lost;
  await entersState(connection, VoiceConnectionStatus.Ready, 5000);
  await voice.until(() => voice.connections[0]?.isConnected || undefined);
  await voice.settled(team.voice[0]);
  await play(connection, await packetsOf(sweep(0.1)));

  expect(spoken(listener.packets).length).toBeGreaterThan(4);
  expect(spoken(listener.packets).every(({ opus, encrypted }) => opus && encrypted)).toBe(true);
});

test('a bot that cannot encrypt is closed with 4017, time and again', async () => {
  await using bot = await logInWithVoice();
  const connection = bot.ask(bot.sandbox.team.voice[0], { daveEncryption: false });
  await expect(entersState(connection, VoiceConnectionStatus.Ready, 300)).rejects.toThrow();
  expect(connection.rejoinAttempts).toBeGreaterThan(1);
});
