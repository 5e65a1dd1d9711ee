import { expect, it } from 'vitest';
import { createLog } from '../../src/log.ts';

function logged(secrets: string[], write: (log: ReturnType<typeof createLog>) => void): string {
  const lines: string[] = [];
  write(createLog('trace', secrets, { write: (line: string) => void lines.push(line) }));
  return lines.join('');
}

it('never writes a known secret, wherever it stands', () => {
  const secret = 'mfa.very-secret-token';
  const text = logged([secret], (log) => {
    log.info({ url: `https://host/${secret}/x` }, `started with ${secret}`);
    log.child({ bound: secret }).error({ err: new Error(`refused ${secret}`) }, 'failed');
  });
  expect(text).toContain('started with [secret]');
  expect(text).toContain('refused [secret]');
  expect(text).not.toContain(secret);
});

it('never writes a field that holds a key or a token, even one that nobody told it about', () => {
  const text = logged([], (log) =>
    log.info({ headers: { 'x-sup-api-key': 'k-1', authorization: 'Bot t-2' }, token: 't-3' }),
  );
  expect(text).not.toMatch(/k-1|t-2|t-3/);
});

it('says what went wrong, why and where, but nothing of the request or of this machine', () => {
  const error = Object.assign(new Error('upload refused', { cause: new Error('disk full') }), {
    code: 50_013,
    requestBody: 'text of a member',
    url: 'https://discord.com/api/webhooks/1/interaction-token',
  });
  const text = logged([], (log) => log.error({ err: error }, 'failed'));
  expect(text).toMatch(/upload refused/);
  expect(text).toMatch(/disk full/);
  expect(text).toMatch(/50013/);
  expect(text).toMatch(/test\/unit\/log\.test\.ts:\d+/);
  expect(text).not.toMatch(/text of a member|interaction-token/);
  expect(text).not.toContain(new URL('../..', import.meta.url).pathname);
});
