import { once } from 'node:events';
import { expect, test } from 'vitest';
import { SessionEndedError } from '../../../src/playback/endings.ts';
import { compare } from './heard.ts';
import { openRoom, order, type Room, speech } from './room.ts';

/** Short deadlines, so that a test sees them strike. */
const DEADLINES = { joinMs: 1_500, reconnectMs: 4_000, moveMs: 700 };

async function speaking(room: Room, seconds = 2) {
  const [lounge] = room.sandbox.team.voice;
  const listener = await room.sandbox.voice.listen(lounge);
  const { samples, open } = speech(seconds);
  const session = room.sessions.join(room.target(lounge));
  const item = session.enqueue(order(open));
  await listener.until(({ packets }) => packets.length > 20);
  return { listener, samples, session, item };
}

async function voicedPackets({ listener, item }: Awaited<ReturnType<typeof speaking>>) {
  expect(await item.ended).toEqual({ how: 'spoken' });
  await listener.until(({ speaking: flags }) => flags.at(-1)?.speaking === 0);
  return listener.packets.filter(({ frame }) => frame.length > 3).length;
}

test('over a network that loses every twentieth packet people still understand', async () => {
  await using room = await openRoom();
  room.sandbox.voice.faults.lose(0.05);
  const running = await speaking(room);
  expect(await running.item.ended).toEqual({ how: 'spoken' });
  const { correlation, longer } = compare(running.samples, running.listener);
  // Without anything in place of what is lost; a listener's decoder fills such holes.
  expect(correlation).toBeGreaterThan(0.75);
  expect(Math.abs(longer)).toBeLessThan(0.06);
  expect(running.listener.packets.length).toBeGreaterThan(85);
});

test('the voice gateway drops out while the bot speaks: it goes on, and nothing is left out', async () => {
  await using room = await openRoom();
  const running = await speaking(room);
  room.sandbox.voice.dropGateway();
  expect(await voicedPackets(running)).toBe(101);
});

test('a session that the voice gateway no longer knows is made anew while the bot speaks', async () => {
  await using room = await openRoom();
  const running = await speaking(room);
  room.sandbox.voice.dropGateway(4006);
  expect(await voicedPackets(running)).toBeGreaterThan(98);
  expect(room.ends).toEqual([]);
});

test('the voice server changes while the bot speaks: it goes on from the new one', async () => {
  await using room = await openRoom();
  const running = await speaking(room);
  await room.sandbox.voice.changeServer();
  expect(await voicedPackets(running)).toBeGreaterThan(98);
  expect(room.ends).toEqual([]);
});

test('someone moves the bot while it speaks: it goes on in the other channel', async () => {
  await using room = await openRoom();
  const { voice, team } = room.sandbox;
  const there = await voice.listen(team.voice[1]);
  const { item, session } = await speaking(room);
  voice.move(voice.bot(), team.voice[1]);
  expect(await item.ended).toEqual({ how: 'spoken' });
  expect(session.channelId).toBe(team.voice[1].id);
  expect(there.packets.length).toBeGreaterThan(50);
});

test('someone throws the bot out: the session ends and says so', async () => {
  await using room = await openRoom();
  const { item, session } = await speaking(room);
  const waiting = session.enqueue(order(speech(1).open));
  room.sandbox.voice.disconnect(room.sandbox.voice.bot());
  expect(await item.ended).toEqual({ how: 'session_ended' });
  expect(await waiting.ended).toEqual({ how: 'session_ended' });
  expect(room.ends).toEqual(['disconnected']);
  expect(() => session.enqueue(order(speech(1).open))).toThrow(SessionEndedError);
  expect(room.sessions.get(session.guildId)).toBeUndefined();
});

test('the channel is deleted while the bot speaks: the session ends', async () => {
  await using room = await openRoom();
  const { item } = await speaking(room);
  room.sandbox.world.removeChannel(room.sandbox.team.voice[0]);
  expect(await item.ended).toEqual({ how: 'session_ended' });
  expect(room.ends).toEqual(['disconnected']);
});

test.each([
  [4014, 'disconnected'],
  [4017, 'encryption'],
  [4021, 'rate_limited'],
  [4022, 'call_ended'],
] as const)('close code %i ends the session with a sentence', async (code, end) => {
  await using room = await openRoom({ deadlines: DEADLINES });
  const { item } = await speaking(room);
  room.sandbox.voice.dropGateway(code);
  expect(await item.ended).toEqual({ how: 'session_ended' });
  expect(room.ends).toEqual([end]);
});

test.each([4017, 4021])('code %i at the door ends the attempt at once', async (code) => {
  await using room = await openRoom();
  room.sandbox.voice.faults.refuseIdentify = code;
  const session = room.sessions.join(room.target(room.sandbox.team.voice[0]));
  await expect(session.arrived()).rejects.toThrow(SessionEndedError);
  expect(room.ends).toHaveLength(1);
});

test('a server that turns the bot away each time is not asked without end', async () => {
  await using room = await openRoom({ deadlines: DEADLINES });
  room.sandbox.voice.faults.refuseIdentify = 4006;
  const session = room.sessions.join(room.target(room.sandbox.team.voice[0]));
  await expect(session.arrived()).rejects.toThrow('cannot reach');
  expect(room.ends).toEqual(['unreachable']);
  expect(room.logged.filter((line) => line.includes('4006')).length).toBeLessThan(6);
});

test('a channel that Discord does not let the bot into ends the attempt in time', async () => {
  await using room = await openRoom({ deadlines: DEADLINES });
  const { world, team } = room.sandbox;
  world.setUserLimit(team.voice[0], 1);
  room.sandbox.voice.join(team.member, team.voice[0]);
  const session = room.sessions.join(room.target(team.voice[0]));
  await expect(session.arrived()).rejects.toThrow('did not let me');
  expect(room.ends).toEqual(['not_admitted']);
});

test('not let into another channel the bot stays where it is and can speak there', async () => {
  await using room = await openRoom({ deadlines: DEADLINES });
  const { world, team, voice } = room.sandbox;
  const [lounge, focus] = team.voice;
  world.setUserLimit(focus, 1);
  voice.join(team.member, focus);
  const session = room.sessions.join(room.target(lounge));
  await session.arrived();
  room.sessions.join(room.target(focus));
  await expect(session.arrived()).rejects.toThrow('did not let me');
  expect(session.channelId).toBe(lounge.id);
  expect(await session.enqueue(order(speech(0.2).open)).ended).toEqual({ how: 'spoken' });
});

test('asked to leave while it joins, the bot does not come', async () => {
  await using room = await openRoom();
  const session = room.sessions.join(room.target(room.sandbox.team.voice[0]));
  const item = session.enqueue(order(speech(0.2).open));
  expect(room.sessions.leave(session.guildId)).toBe(true);
  await expect(session.arrived()).rejects.toThrow(SessionEndedError);
  expect(await item.ended).toEqual({ how: 'session_ended' });
  expect(await item.begun).toBe(false);
  const { voice } = room.sandbox;
  await voice.until(() => (voice.connections.length === 0 ? true : undefined));
});

test('asked to leave and to come again at once, the bot comes', async () => {
  await using room = await openRoom();
  const target = room.target(room.sandbox.team.voice[0]);
  await room.sessions.join(target).arrived();
  room.sessions.leave(target.guildId);
  const session = room.sessions.join(target);
  await session.arrived();
  expect(await session.enqueue(order(speech(0.2).open)).ended).toEqual({ how: 'spoken' });
  expect(room.ends).toEqual(['left']);
});

test('of two channels that are asked for at once the bot is in the last one', async () => {
  await using room = await openRoom();
  const { team, voice } = room.sandbox;
  const first = room.sessions.join(room.target(team.voice[0]));
  const second = room.sessions.join(room.target(team.voice[1]));
  expect(second).toBe(first);
  await second.arrived();
  expect(voice.state(voice.bot())?.channelId).toBe(team.voice[1].id);
  expect(await second.enqueue(order(speech(0.2).open)).ended).toEqual({ how: 'spoken' });
});

test('garbage from a voice server ends that session, not the program', async () => {
  await using room = await openRoom({}, { dave: true });
  const { item } = await speaking(room);
  const [client] = room.sandbox.voice.connections;
  // Proposals of a group that does not exist (opcode 27), cut off.
  client?.socket?.send(Buffer.from([0, 99, 27]));
  expect(await item.ended).toEqual({ how: 'session_ended' });
  expect(room.ends).toEqual(['broken_server']);
  const target = room.target(room.sandbox.team.voice[0]);
  const again = room.sessions.join(target);
  expect(await again.enqueue(order(speech(0.2).open)).ended).toEqual({ how: 'spoken' });
});

test('a source that dies in the middle: what came is heard, then it is said to have failed', async () => {
  await using room = await openRoom();
  const [lounge] = room.sandbox.team.voice;
  const listener = await room.sandbox.voice.listen(lounge);
  const { open } = speech(1);
  const session = room.sessions.join(room.target(lounge));
  const broken = new Error('the service died');
  const item = session.enqueue(
    order(async (options) => {
      const { packets } = await open(options);
      return {
        packets: (async function* () {
          let made = 0;
          for await (const packet of packets) {
            made += 1;
            yield packet;
            if (made === 30) throw broken;
          }
        })(),
      };
    }),
  );
  expect(await item.ended).toEqual({ how: 'failed', error: broken });
  expect(listener.packets.filter(({ frame }) => frame.length > 3).length).toBe(30);
  expect(await session.enqueue(order(speech(0.2).open)).ended).toEqual({ how: 'spoken' });
});

test('a source that goes silent for good fails in time, and the next one is heard', async () => {
  await using room = await openRoom({ stallMs: 300 });
  const session = room.sessions.join(room.target(room.sandbox.team.voice[0]));
  const never = session.enqueue(order(() => new Promise(() => {})));
  const next = session.enqueue(order(speech(0.2).open));
  expect(await never.ended).toMatchObject({ how: 'failed', error: { name: 'TimeoutError' } });
  expect(await next.ended).toEqual({ how: 'spoken' });
});

test('Discord’s main gateway drops out while the bot speaks: it is heard on', async () => {
  await using room = await openRoom();
  const running = await speaking(room);
  const resumed = once(room.client, 'shardResume');
  room.sandbox.gateway.drop();
  await resumed;
  expect(await voicedPackets(running)).toBe(101);
});
