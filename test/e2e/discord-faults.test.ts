import { once } from 'node:events';
import { ChannelType, PermissionFlagsBits } from 'discord.js';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { RequestRecord, Sandbox } from '../../src/sandbox/sandbox.ts';
import { startTestBot, type TestBot } from '../helpers/bot.ts';
import { readOgg } from '../helpers/ogg.ts';

const TEXT = 'Discord is not always in the mood for voice messages.';

let bot: TestBot;
beforeAll(async () => {
  bot = await startTestBot();
});
afterAll(() => bot[Symbol.asyncDispose]());

/** Does something when Discord has noted that the bot is at work, which then has posted nothing yet. */
function onceBegun({ events }: Sandbox, change: () => void): void {
  const look = ({ path }: RequestRecord) => {
    if (!path.startsWith('/interactions/')) return;
    events.off('response', look);
    change();
  };
  events.on('response', look);
  onTestFinished(() => void events.off('response', look));
}

/** Waits until Discord has answered a request to such a path with this status. */
async function answered({ events }: Sandbox, method: string, path: RegExp, status: number) {
  for (;;) {
    const [record] = await once(events, 'response');
    const fits = record.method === method && path.test(record.path);
    if (fits && record.status === status) return;
  }
}

function channelOfItsOwn(name: string) {
  const { world, team } = bot.sandbox;
  return world.addChannel(team.guild, { name, type: ChannelType.GuildText });
}

describe('what Discord does between a command and its answer', () => {
  it('takes back the right to voice messages (50173): a file is posted, and the member told why', async () => {
    const { world, team, application } = bot.sandbox;
    const channel = channelOfItsOwn('hushed');
    const self = team.guild.members.get(application.id);
    if (!self) throw new Error('the bot is not in its guild');
    onceBegun(bot.sandbox, () =>
      world.setOverwrite(channel, self, { deny: PermissionFlagsBits.SendVoiceMessages }),
    );
    const answer = await bot.sandbox.run('/say', { text: TEXT }, { channel });
    const [posted, note] = await answer.until((messages) => messages.length === 2);
    expect(posted).toMatchObject({ voiceMessage: false, ephemeral: false });
    const file = await fetch(posted?.attachments[0]?.url ?? '');
    expect(readOgg(await file.bytes()).samples).toBeGreaterThan(48_000);
    expect(note).toMatchObject({ ephemeral: true });
    expect(note?.content).toContain('Send Voice Messages');
    expect(bot.sandbox.messages(channel)).toHaveLength(1);
  });

  it('takes smaller files than it said (40005): nothing is posted, and the member told why', async () => {
    const channel = channelOfItsOwn('small');
    const { guild } = bot.sandbox.team;
    const limit = guild.attachmentSizeLimit;
    onTestFinished(() => {
      guild.attachmentSizeLimit = limit;
    });
    onceBegun(bot.sandbox, () => {
      guild.attachmentSizeLimit = 1_000;
    });
    const answer = await bot.sandbox.run('/say', { text: TEXT }, { channel });
    expect(answer.messages).toHaveLength(1);
    expect(answer.messages[0]).toMatchObject({ ephemeral: true, attachments: [] });
    expect(answer.messages[0]?.content).toMatch(/^The file is larger than this server takes/);
    expect(bot.sandbox.messages(channel)).toEqual([]);
  });

  it('asks to wait (429): the voice message is posted once', async () => {
    const channel = channelOfItsOwn('slow');
    bot.sandbox.rateLimitNext(/^\/webhooks\//, { times: 2, retryAfter: 30 });
    const answer = await bot.sandbox.run('/say', { text: TEXT }, { channel });
    expect(answer.messages).toMatchObject([{ voiceMessage: true, ephemeral: false }]);
    expect(bot.sandbox.messages(channel)).toHaveLength(1);
  });

  it.each([
    ['after it has taken it', true],
    ['before it has taken it', false],
  ])('answers the upload with 502 %s: the voice message is posted once', async (_, done) => {
    const channel = channelOfItsOwn(done ? 'deaf' : 'dumb');
    onceBegun(bot.sandbox, () => bot.sandbox.failNext(/^\/webhooks\//, done));
    const options = { text: TEXT, model: 'engine_api_3', pitch: 2 };
    const answer = await bot.sandbox.run('/say', options, { channel });
    // The note comes last.
    const messages = await answer.until((all) => all.some(({ ephemeral }) => ephemeral));
    expect(messages).toMatchObject([{ voiceMessage: true, ephemeral: false }, { ephemeral: true }]);
    expect(messages[1]?.content).toContain('ignores “pitch”');
    expect(bot.sandbox.messages(channel)).toHaveLength(1);
  });

  it('fails for a moment (502) when a note is due: the note comes all the same', async () => {
    const options = { text: TEXT, model: 'engine_api_3', pitch: 2 };
    const channel = channelOfItsOwn('moody');
    const failNote = () => bot.sandbox.failNext(/^\/webhooks\//, false);
    bot.sandbox.events.once('message', () => bot.sandbox.events.once('message', failNote));
    const answer = await bot.sandbox.run('/say', options, { channel });
    const messages = await answer.until((all) => all.some(({ ephemeral }) => ephemeral));
    expect(messages.map(({ content }) => content)).toEqual([
      '',
      expect.stringContaining('ignores'),
    ]);
  });

  it('deletes the channel (10003): nothing is posted, and the next command is well', async () => {
    const { sandbox } = bot;
    const channel = channelOfItsOwn('gone');
    onceBegun(sandbox, () => sandbox.world.removeChannel(channel));
    const told = answered(sandbox, 'DELETE', /^\/webhooks\//, 204);
    const refused = answered(sandbox, 'POST', /^\/webhooks\//, 404);
    const answer = sandbox.run('/say', { text: TEXT }, { channel });
    // Nobody can see an answer there: the member's wait ends with the sandbox.
    answer.catch(() => {});
    await Promise.all([told, refused]);
    expect(sandbox.messages(channel)).toEqual([]);
    const next = await sandbox.run('/say', { text: TEXT });
    expect(next.messages[0]?.voiceMessage).toBe(true);
  });
});

it('an answer that comes too late for Discord (10062) is dropped: nothing is posted, and it is logged', async () => {
  await using late = await startTestBot({}, { answerWithin: 1 });
  const { sandbox } = late;
  const refused = answered(sandbox, 'POST', /^\/interactions\//, 404);
  await expect(sandbox.run('/say', { text: TEXT })).rejects.toThrow('did not respond');
  await refused;
  await late.app.stop();
  expect(sandbox.requests.filter(({ path }) => path.startsWith('/webhooks/'))).toEqual([]);
  expect(sandbox.messages()).toEqual([]);
  expect(late.logged.join('')).toContain('Unknown interaction');
});

it('a command that comes while the bot stops is told so, and what was begun is finished', async () => {
  await using stopping = await startTestBot();
  const { sandbox, app } = stopping;
  const stopped = Promise.withResolvers<void>();
  onceBegun(sandbox, () => app.stop().then(stopped.resolve, stopped.reject));
  const begun = sandbox.run('/say', { text: 'One sentence of many. '.repeat(40) });
  await answered(sandbox, 'POST', /^\/interactions\//, 204);
  const refused = await sandbox.run('/voices');
  expect(refused.messages).toMatchObject([
    { ephemeral: true, content: 'Hark is restarting: please try again in a moment.' },
  ]);
  expect((await begun).messages[0]?.voiceMessage).toBe(true);
  await stopped.promise;
});
