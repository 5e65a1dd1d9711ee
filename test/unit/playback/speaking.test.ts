import { expect, test } from 'vitest';
import { envelopeCorrelation, rms } from '../../helpers/measure.ts';
import { compare } from './heard.ts';
import { openRoom, order, RATE, speech } from './room.ts';

test.each([
  { dave: false, called: 'without end-to-end encryption' },
  { dave: true, called: 'with end-to-end encryption' },
])('$called everybody hears what was synthesized, whole and without a gap', async ({ dave }) => {
  await using room = await openRoom({}, { dave });
  const [lounge] = room.sandbox.team.voice;
  const listener = await room.sandbox.voice.listen(lounge);
  const { samples, open } = speech(1.5);
  const session = room.sessions.join(room.target(lounge));
  const item = session.enqueue(order(open));
  expect(await item.ended).toEqual({ how: 'spoken' });
  await listener.until(({ speaking }) => speaking.at(-1)?.speaking === 0);

  const { longer, correlation, gap, start, end } = compare(samples, listener);
  expect(Math.abs(longer)).toBeLessThan(0.04);
  expect(correlation).toBeGreaterThan(0.95);
  expect(gap).toBeLessThan(0.02);
  expect(start).toBeGreaterThan(0.8);
  expect(end).toBeGreaterThan(0.8);
  const voiced = listener.packets.filter(({ frame }) => frame.length > 3);
  expect(voiced.every(({ encrypted }) => encrypted === dave)).toBe(true);
});

test('it is heard before the speech is complete', async () => {
  await using room = await openRoom();
  const [lounge] = room.sandbox.team.voice;
  const listener = await room.sandbox.voice.listen(lounge);
  const rest = Promise.withResolvers<void>();
  const { open } = speech(1);
  const session = room.sessions.join(room.target(lounge));
  const item = session.enqueue(
    order(async (options) => {
      const sound = await open(options);
      return {
        packets: (async function* () {
          let made = 0;
          for await (const packet of sound.packets) {
            if (made === 10) await rest.promise;
            made += 1;
            yield packet;
          }
        })(),
      };
    }),
  );
  expect(await item.begun).toBe(true);
  await listener.until(({ packets }) => packets.length > 9);
  // Silence while it stalls; then the rest, to the end.
  await listener.until(
    ({ packets }) => packets.filter(({ frame }) => frame.length === 3).length > 3,
  );
  rest.resolve();
  expect(await item.ended).toEqual({ how: 'spoken' });
  const voiced = listener.packets.filter(({ frame }) => frame.length > 3);
  expect(voiced.length).toBe(51);
});

test('five frames of silence follow the last one, then the bot is seen to be silent', async () => {
  await using room = await openRoom();
  const [lounge] = room.sandbox.team.voice;
  const listener = await room.sandbox.voice.listen(lounge);
  const session = room.sessions.join(room.target(lounge));
  await session.enqueue(order(speech(0.3).open)).ended;
  await listener.until(({ speaking }) => speaking.at(-1)?.speaking === 0);
  const tail = listener.packets.slice(-6).map(({ frame }) => frame.toString('hex') === 'f8fffe');
  expect(tail).toEqual([false, true, true, true, true, true]);
  expect(listener.speaking.map(({ speaking }) => speaking)).toEqual([1, 0]);
});

test('what is said in turn is heard in turn, each whole', async () => {
  await using room = await openRoom();
  const [lounge] = room.sandbox.team.voice;
  const listener = await room.sandbox.voice.listen(lounge);
  const session = room.sessions.join(room.target(lounge));
  const sounds = [speech(0.5, 120), speech(0.4, 200), speech(0.3, 280)];
  const items = sounds.map(({ open }) => session.enqueue(order(open)));
  const ends = await Promise.all(items.map(({ ended }) => ended));
  expect(ends.map(({ how }) => how)).toEqual(['spoken', 'spoken', 'spoken']);
  const voiced = listener.packets.filter(({ frame }) => frame.length > 3).length;
  expect(voiced).toBe(26 + 21 + 16);
});

test('at half the volume it is half as loud, from what is said next on', async () => {
  await using room = await openRoom();
  const [lounge] = room.sandbox.team.voice;
  const listener = await room.sandbox.voice.listen(lounge);
  const session = room.sessions.join(room.target(lounge));
  const { samples, open } = speech(0.5);
  session.enqueue(order(open));
  const second = session.enqueue(order(open));
  session.setVolume(50);
  await second.ended;
  const heard = listener.sound();
  const loud = rms(heard.subarray(0, samples.length));
  const soft = rms(heard.subarray(-samples.length - RATE / 10));
  expect(soft / loud).toBeGreaterThan(0.4);
  expect(soft / loud).toBeLessThan(0.6);
});

test('paused, nothing is heard; resumed, it goes on where it was', async () => {
  await using room = await openRoom();
  const [lounge] = room.sandbox.team.voice;
  const listener = await room.sandbox.voice.listen(lounge);
  const { samples, open } = speech(1);
  const session = room.sessions.join(room.target(lounge));
  const item = session.enqueue(order(open));
  await listener.until(({ packets }) => packets.length > 20);
  expect(session.pause()).toBe(true);
  await listener.until(({ speaking }) => speaking.at(-1)?.speaking === 0);
  const before = listener.packets.length;
  expect(session.queue().speaking?.elapsed).toBeGreaterThan(0.3);
  expect(session.resume()).toBe(true);
  expect(await item.ended).toEqual({ how: 'spoken' });
  expect(listener.packets.length).toBeGreaterThan(before + 20);
  const voiced = listener.packets.filter(({ frame }) => frame.length > 3);
  expect(voiced.length).toBe(51);
  expect(envelopeCorrelation(samples, samples, RATE)).toBeCloseTo(1);
});
