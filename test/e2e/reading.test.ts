import { type APIMessage, ChannelType, MessageFlags, MessageReferenceType } from 'discord.js';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { OptionValues } from '../../src/sandbox/options.ts';
import type { Acting } from '../../src/sandbox/sandbox.ts';
import type { Listener } from '../../src/sandbox/voice/listener.ts';
import { startTestBot, type TestBot } from '../helpers/bot.ts';
import { hearsWords, LONG, listenAs, told } from './voice-room.ts';

let bot: TestBot;
let listener: Listener;
beforeAll(async () => {
  bot = await startTestBot();
});
afterAll(() => bot[Symbol.asyncDispose]());
beforeEach(async () => {
  const { team } = bot.sandbox;
  listener = await listenAs(bot, team.voice[0], team.member);
  await run('/join');
  await run('/read on');
});
afterEach(async () => {
  await run('/read off');
  await run('/leave');
});

const run = (line: string, values?: OptionValues, acting?: Acting) =>
  bot.sandbox.run(line, values, acting);

/** What is said and what waits, as the member sees it. */
async function queue(): Promise<string[]> {
  const { messages } = await run('/queue');
  const lines = messages[0]?.embeds[0]?.description?.split('\n').slice(1) ?? [];
  return lines.map((line) => line.replace(/^.*?<@\d+>: /, '').replace(/ \([\d:? of]*\)$/, ''));
}

/** What is read of messages while something long is being said. */
async function readOf(post: () => void): Promise<string[]> {
  await run('/say', { text: LONG, as: 'voice_channel' });
  post();
  // Messages are taken in order, so once this one is there the others are too.
  bot.sandbox.post('the last one', { as: bot.sandbox.team.administrator });
  await expect.poll(async () => (await queue()).at(-1)).toContain('the last one');
  return (await queue()).slice(1, -1);
}

describe('a channel that is read', () => {
  it('is heard, who speaks first', async () => {
    await expect(run('/read on').then(told)).resolves.toMatch(/I read .* aloud already/);
    bot.sandbox.post('The build is ready.');
    await hearsWords(listener, 1);
    expect((await queue())[0]).toBe('Minjun says: The build is ready.');
  });

  it('says who speaks once a minute a speaker', async () => {
    const { newcomer } = bot.sandbox.team;
    const read = await readOf(() => {
      bot.sandbox.post('first');
      bot.sandbox.post('second');
      bot.sandbox.post('third', { as: newcomer });
      bot.sandbox.post('fourth');
      bot.sandbox.post('fifth', { as: newcomer });
    });
    expect(read).toEqual([
      expect.stringMatching(/first$/),
      'second',
      expect.stringMatching(/third$/),
      'fourth',
      'fifth',
    ]);
  });

  it('announces what is no text, in the language of the words', async () => {
    const { team, world } = bot.sandbox;
    const nari = world.addMember(team.guild, { name: '나리' });
    const png = { name: 'a.png', contentType: 'image/png', data: new Uint8Array(10) };
    const replied = { author: team.newcomer.user } as APIMessage;
    const read = await readOf(() => {
      bot.sandbox.post('봐요', { as: nari, files: [png, png] });
      bot.sandbox.post('I agree', {
        rest: {
          type: 19,
          message_reference: { channel_id: '1', message_id: '1' },
          referenced_message: replied,
        },
      });
      bot.sandbox.post('', {
        rest: { sticker_items: [{ id: '1', name: 'Wave', format_type: 1 }] },
      });
      bot.sandbox.post('', {
        rest: {
          message_reference: { channel_id: '1', type: MessageReferenceType.Forward },
          message_snapshots: [
            { message: { content: 'old news' } },
          ] as unknown as APIMessage['message_snapshots'] & object,
        },
      });
    });
    expect(read[0]).toBe('나리 님: 봐요, 사진 2개');
    expect(read[1]).toMatch(/^(Minjun replies to|Reply to) Noor: I agree$/);
    expect(read[2]).toBe('a sticker, Wave');
    expect(read[3]).toBe('Forwarded: old news');
  });

  it('leaves out what is not to be read', async () => {
    const { team, world } = bot.sandbox;
    const quiet = world.addRole(team.guild, { name: 'Quiet', permissions: 0n });
    const shy = world.addMember(team.guild, { name: 'Shy', roles: [quiet] });
    await run('/settings voice', { ignore_role: quiet.id }, { as: team.administrator });
    const read = await readOf(() => {
      bot.sandbox.post('!not this');
      bot.sandbox.post('nor this', { rest: { flags: MessageFlags.SuppressNotifications } });
      bot.sandbox.post('nor mine', { as: shy });
      bot.sandbox.post('nor a webhook', { rest: { webhook_id: '5' } });
      bot.sandbox.post('elsewhere', { channel: team.text[1] });
      bot.sandbox.post('this');
    });
    expect(read).toEqual([expect.stringMatching(/this$/)]);
    expect(read.join()).not.toContain('nor');
  });

  it('drops what is deleted or edited before its turn, and not what gets a preview', async () => {
    const read = await readOf(() => {
      const gone = bot.sandbox.post('to be deleted');
      const changed = bot.sandbox.post('to be edited');
      const kept = bot.sandbox.post('to be kept');
      bot.sandbox.remove(gone);
      bot.sandbox.edit(changed, 'was edited');
      bot.sandbox.edit(kept, 'to be kept');
    });
    expect(read).toEqual([expect.stringMatching(/to be kept$/)]);
  });

  it('drops it also when it waits in the queue already', async () => {
    await run('/say', { text: LONG, as: 'voice_channel' });
    const gone = bot.sandbox.post('to be deleted');
    const changed = bot.sandbox.post('to be edited');
    await expect.poll(queue).toHaveLength(3);
    bot.sandbox.remove(gone);
    bot.sandbox.edit(changed, 'was edited');
    await expect.poll(queue).toHaveLength(1);
  });

  it('reads the chat of the voice channel, when that is on', async () => {
    const [, , channel] = [...bot.sandbox.team.text, bot.sandbox.team.voice[0]];
    await run('/read on', { channel: channel.id });
    const read = await readOf(() => bot.sandbox.post('in the chat', { channel }));
    expect(read).toEqual([expect.stringMatching(/in the chat$/)]);
    expect(told(await run('/read off', { channel: channel.id }))).toMatch(/no longer read/);
    expect(told(await run('/read off', { channel: channel.id }))).toMatch(/I do not read .* aloud/);
  });

  it('keeps to the bounds of the queue in a flood, in order, and says so once', async () => {
    const { team, world } = bot.sandbox;
    const people = Array.from({ length: 20 }, (_, i) =>
      world.addMember(team.guild, { name: `Person ${i}` }),
    );
    const before = bot.sandbox.messages().length;
    await run('/say', { text: LONG, as: 'voice_channel' });
    for (let i = 0; i < 200; i += 1) {
      const as = people[i % people.length];
      bot.sandbox.post(`message ${String(i).padStart(3, '0')}`, as ? { as } : {});
      if (i % 20 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    const notices = () =>
      bot.sandbox
        .messages()
        .slice(before)
        .filter(({ content }) => content.includes('some messages are left out'));
    await expect.poll(notices).toHaveLength(1);
    const session = bot.app.host.get(team.guild.id);
    const labels = session?.queue().waiting.map(({ label }) => label) ?? [];
    expect(labels).toHaveLength(49);
    const numbers = labels.map((label) => Number(label.slice(-3)));
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    expect(notices()).toHaveLength(1);
    expect(told(await run('/stop', {}, { as: team.administrator }))).toBe('Stopped 50 things.');
  });
});

describe('/read', () => {
  it('says so when the channel cannot be seen', async () => {
    const { team, world, voice } = bot.sandbox;
    const secret = world.addChannel(team.guild, { name: 'secret', type: ChannelType.GuildText });
    world.setOverwrite(secret, voice.bot(), { deny: 1024n });
    expect(told(await run('/read on', { channel: secret.id }))).toMatch(
      /^\(only you\) I cannot see/,
    );
    world.setOverwrite(secret, team.newcomer, { deny: 1024n });
    const answer = await run('/read on', { channel: secret.id }, { as: team.newcomer });
    expect(told(answer)).toMatch(/^\(only you\) You cannot see that channel yourself/);
  });

  it('says so when Discord does not tell what messages say', async () => {
    await using unprivileged = await startTestBot({}, { privilegedIntents: 0 });
    expect(told(await unprivileged.sandbox.run('/read on'))).toMatch(
      /^\(only you\) Discord does not tell me what messages say: .*“Message Content Intent”/,
    );
  });
});

it('sends Discord only what its published description allows', ({ skip }) => {
  const faults = bot.requestFaults();
  skip(!faults, "Discord's description is not beside the checkout (../shared/data)");
  expect(faults).toEqual([]);
});
