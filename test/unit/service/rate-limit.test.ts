import { expect, test } from 'vitest';
import { createRateLimit } from '../../../src/service/rate-limit.ts';

function limitOf(perMinute: number) {
  let time = 1_000;
  const limit = createRateLimit(perMinute, () => time);
  return {
    take: (key: string) => limit.take(key),
    pass(milliseconds: number) {
      time += milliseconds;
    },
  };
}

test('a key may ask as often as the limit says in any 60 seconds', async () => {
  const { take, pass } = limitOf(3);
  await take('a');
  pass(30_000);
  await take('a');
  await take('a');
  await expect(take('a')).rejects.toMatchObject({
    statusCode: 429,
    headers: { 'retry-after': '30' },
  });
  pass(29_999);
  await expect(take('a')).rejects.toMatchObject({ headers: { 'retry-after': '1' } });
  pass(1);
  await take('a');
  await expect(take('a')).rejects.toMatchObject({ headers: { 'retry-after': '30' } });
});

test('what is refused does not count, so that asking again and again does not shut a client out', async () => {
  const { take, pass } = limitOf(1);
  await take('a');
  for (let second = 1; second < 60; second += 1) {
    pass(1_000);
    await expect(take('a')).rejects.toThrow();
  }
  pass(1_000);
  await take('a');
});

test('a key does not use up what another may ask, however many there are', async () => {
  const { take, pass } = limitOf(1);
  await take('first');
  pass(59_000);
  for (let index = 0; index < 5_000; index += 1) await take(`key ${index}`);
  await expect(take('first')).rejects.toThrow();
  await expect(take('key 7')).rejects.toThrow();
  pass(1_000);
  await take('first');
  await expect(take('key 7')).rejects.toThrow();
});
