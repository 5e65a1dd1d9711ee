import { RESTEvents, type TextChannel } from 'discord.js';
import { expect, test } from 'vitest';
import { type LoggedIn, logIn } from './bot.ts';

function general(bot: LoggedIn): TextChannel {
  return bot.client.channels.cache.get(bot.sandbox.team.text[0].id) as TextChannel;
}

/** Takes permissions from the bot in the first text channel. */
function forbid({ sandbox: { world, team } }: LoggedIn, permission: bigint): void {
  const self = world.member(team.guild.id, world.bot.id);
  world.setOverwrite(team.text[0], self, { deny: permission });
}

test('the bot posts, edits, reads and deletes messages', async () => {
  await using bot = await logIn();
  const channel = general(bot);
  const message = await channel.send({
    content: 'one',
    files: [{ attachment: Buffer.from('x'), name: 'x.txt' }],
  });
  await message.edit('two');

  expect(bot.sandbox.messages()).toMatchObject([
    { content: 'two', edited: true, attachments: [{ filename: 'x.txt' }] },
  ]);
  bot.sandbox.post('from a member');
  const read = await channel.messages.fetch({ limit: 10 });
  expect(read.map(({ author }) => author.username)).toEqual(['minjun', 'Hark']);

  await message.delete();
  expect(bot.sandbox.messages()).toMatchObject([{ content: 'from a member' }]);
});

test.each([
  ['see it', 1n << 10n, 50001, 403],
  ['write in it', 1n << 11n, 50013, 403],
  ['attach files in it', 1n << 15n, 50013, 403],
])(
  'a channel where the bot may not %s refuses its message',
  async (_name, permission, code, status) => {
    await using bot = await logIn();
    forbid(bot, permission);
    const sent = bot.client.rest.post(`/channels/${bot.sandbox.team.text[0].id}/messages`, {
      body: { content: 'x' },
      files: [{ name: 'x.txt', data: 'x' }],
    });
    await expect(sent).rejects.toMatchObject({ code, status });
  },
);

test("others' messages can be neither edited nor, without the permission, deleted", async () => {
  await using bot = await logIn();
  const { id, channelId } = bot.sandbox.post('mine');
  const path = `/channels/${channelId}/messages/${id}` as const;

  await expect(bot.client.rest.patch(path, { body: { content: 'x' } })).rejects.toMatchObject({
    code: 50005,
  });
  await expect(bot.client.rest.delete(path)).rejects.toMatchObject({ code: 50013 });
});

test.each([
  ['/channels/100000000000000000', 10003],
  ['/guilds/100000000000000000', 10004],
  ['/users/100000000000000000', 10013],
] as const)('%s is unknown: %i', async (path, code) => {
  await using bot = await logIn();
  await expect(bot.client.rest.get(path)).rejects.toMatchObject({ code, status: 404 });
});

test('a bot that is told to slow down waits and asks again', async () => {
  await using bot = await logIn();
  const limited: { retryAfter: number; global: boolean }[] = [];
  bot.client.rest.on(RESTEvents.RateLimited, (info) => limited.push(info));
  bot.sandbox.rateLimitNext(/\/messages$/, { times: 1, retryAfter: 30 });

  await general(bot).send('in the end');

  const statuses = bot.sandbox.requests
    .filter(({ path }) => path.endsWith('/messages'))
    .map(({ status }) => status);
  expect(statuses).toEqual([429, 200]);
  expect(limited).toHaveLength(1);
  expect(bot.sandbox.messages()).toMatchObject([{ content: 'in the end' }]);
});

test('a tight bucket lets through what it holds and refuses the rest', async () => {
  await using bot = await logIn();
  bot.sandbox.rateLimits.set(/\/messages$/, { limit: 2, window: 60_000 });
  const url = `${bot.sandbox.apiUrl}/v10/channels/${bot.sandbox.team.text[0].id}/messages`;
  const post = () =>
    fetch(url, {
      method: 'POST',
      headers: {
        authorization: `Bot ${bot.sandbox.token}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ content: 'x' }),
    });

  const answers = await Promise.all([post(), post(), post()]);
  const refused = answers.find(({ status }) => status === 429);

  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 429]);
  expect(await refused?.json()).toMatchObject({
    message: 'You are being rate limited.',
    global: false,
    retry_after: expect.any(Number),
  });
  expect(Object.fromEntries(refused?.headers ?? [])).toMatchObject({
    'x-ratelimit-limit': '2',
    'x-ratelimit-remaining': '0',
    'x-ratelimit-scope': 'user',
    'retry-after': expect.any(String),
  });
});
