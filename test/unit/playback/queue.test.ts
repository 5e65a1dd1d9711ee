import { expect, test } from 'vitest';
import { QueueFullError } from '../../../src/playback/session.ts';
import { openRoom, order, speech } from './room.ts';

test('the queue tells who says what, how long, and how far it is', async () => {
  await using room = await openRoom();
  const [lounge] = room.sandbox.team.voice;
  const listener = await room.sandbox.voice.listen(lounge);
  const session = room.sessions.join(room.target(lounge));
  const { open } = speech(1);
  session.enqueue(order(open, { by: '7', label: 'こんにちは', seconds: 1 }));
  session.enqueue(order(open, { by: '8', label: 'مرحبا' }));
  await listener.until(({ packets }) => packets.length >= 10);
  const { speaking, waiting } = session.queue();
  expect(speaking?.item).toMatchObject({ by: '7', label: 'こんにちは', seconds: 1 });
  expect(speaking?.elapsed).toBeGreaterThan(0.15);
  expect(waiting).toMatchObject([{ by: '8', label: 'مرحبا', seconds: undefined }]);
});

test('a guild and a member have their bounds, with a sentence at each', async () => {
  await using room = await openRoom({ bounds: { guild: 3, member: 2 } });
  const session = room.sessions.join(room.target(room.sandbox.team.voice[0]));
  const { open } = speech(1);
  session.enqueue(order(open, { by: '1' }));
  session.enqueue(order(open, { by: '1' }));
  expect(() => session.enqueue(order(open, { by: '1' }))).toThrow(QueueFullError);
  expect(() => session.enqueue(order(open, { by: '1' }))).toThrow('2 things of yours');
  session.enqueue(order(open, { by: '2' }));
  expect(() => session.enqueue(order(open, { by: '3' }))).toThrow('The queue is full: 3');
});

test('skipped, the next one begins; what was skipped is heard no more', async () => {
  await using room = await openRoom();
  const [lounge] = room.sandbox.team.voice;
  const listener = await room.sandbox.voice.listen(lounge);
  const session = room.sessions.join(room.target(lounge));
  const long = session.enqueue(order(speech(30).open));
  const next = session.enqueue(order(speech(0.2).open));
  await listener.until(({ packets }) => packets.length >= 10);
  expect(session.skip()).toBe(long);
  expect(await long.ended).toEqual({ how: 'skipped' });
  expect(await next.ended).toEqual({ how: 'spoken' });
  expect(session.skip()).toBeUndefined();
});

test('what is skipped is not made any further', async () => {
  await using room = await openRoom();
  const left = Promise.withResolvers<void>();
  const session = room.sessions.join(room.target(room.sandbox.team.voice[0]));
  const item = session.enqueue(
    order(({ signal }) => {
      signal.addEventListener('abort', () => left.resolve());
      return new Promise(() => {});
    }),
  );
  session.skip();
  await left.promise;
  expect(await item.ended).toEqual({ how: 'skipped' });
});

test('stopped, nothing is said and nothing waits, and it is not paused any more', async () => {
  await using room = await openRoom();
  const session = room.sessions.join(room.target(room.sandbox.team.voice[0]));
  const items = [1, 2, 3].map(() => session.enqueue(order(speech(5).open)));
  session.pause();
  expect(session.stop()).toBe(3);
  const ends = await Promise.all(items.map(({ ended }) => ended));
  expect(ends.map(({ how }) => how)).toEqual(['skipped', 'removed', 'removed']);
  expect(session.queue()).toEqual({ speaking: undefined, waiting: [] });
  expect(await session.enqueue(order(speech(0.2).open)).ended).toEqual({ how: 'spoken' });
});

test('a message that is deleted is taken out, wherever it stands', async () => {
  await using room = await openRoom();
  const session = room.sessions.join(room.target(room.sandbox.team.voice[0]));
  const { open } = speech(5);
  const first = session.enqueue(order(open, { messageId: '1' }));
  const second = session.enqueue(order(open, { messageId: '2' }));
  const third = session.enqueue(order(speech(0.2).open, { messageId: '3' }));
  expect(session.remove(({ messageId }) => messageId === '2')).toBe(1);
  expect(await second.ended).toEqual({ how: 'removed' });
  expect(session.remove(({ messageId }) => messageId === '1')).toBe(1);
  expect(await first.ended).toEqual({ how: 'skipped' });
  expect(await third.ended).toEqual({ how: 'spoken' });
});

test('the bot that stops finishes its sentence, drops the rest and leaves', async () => {
  await using room = await openRoom();
  const [lounge] = room.sandbox.team.voice;
  const listener = await room.sandbox.voice.listen(lounge);
  const session = room.sessions.join(room.target(lounge));
  const first = session.enqueue(order(speech(0.5).open));
  const second = session.enqueue(order(speech(0.5).open));
  await listener.until(({ packets }) => packets.length > 5);
  await room.sessions.close(5_000);
  expect(await first.ended).toEqual({ how: 'spoken' });
  expect(await second.ended).toEqual({ how: 'removed' });
  expect(room.ends).toEqual(['stopping']);
  expect(() => room.sessions.join(room.target(lounge))).toThrow('restarting');
});

test('only the next sound is made ahead, however long the queue is', async () => {
  await using room = await openRoom();
  const session = room.sessions.join(room.target(room.sandbox.team.voice[0]));
  const opened: number[] = [];
  const { open } = speech(0.4);
  const items = [0, 1, 2, 3].map((number) =>
    session.enqueue(
      order((options) => {
        opened.push(number);
        return open(options);
      }),
    ),
  );
  await items[0]?.begun;
  expect(opened.length).toBeLessThanOrEqual(2);
  await items[1]?.begun;
  expect(opened.length).toBeLessThanOrEqual(3);
});
