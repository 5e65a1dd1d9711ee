import { PermissionFlagsBits as Permission } from 'discord.js';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { OptionValues } from '../../src/sandbox/options.ts';
import type { Acting, ShownMessage } from '../../src/sandbox/sandbox.ts';
import { startTestBot, type TestBot } from '../helpers/bot.ts';
import { botChannel, botIn, hearsWords, LONG, listenAs, loudness, told } from './voice-room.ts';

let bot: TestBot;
beforeAll(async () => {
  bot = await startTestBot();
});
afterAll(() => bot[Symbol.asyncDispose]());
afterEach(async () => {
  const { voice, team } = bot.sandbox;
  voice.disconnect(voice.bot());
  for (const channel of team.voice) {
    for (const member of voice.members(channel)) voice.leave(member);
  }
  await run('/settings voice', { control_role: team.guild.id }, { as: team.administrator });
});

const run = (line: string, values?: OptionValues, acting?: Acting) =>
  bot.sandbox.run(line, values, acting);
const say = (text: string, acting?: Acting) => run('/say', { text, as: 'voice_channel' }, acting);

describe('/join', () => {
  it('brings Hark into the channel of the member', async () => {
    const { team, voice } = bot.sandbox;
    voice.join(team.member, team.voice[0]);
    const answer = await run('/join');
    expect(told(answer)).toBe(`I am in <#${team.voice[0].id}> now.`);
    expect(botChannel(bot)).toBe(team.voice[0].id);
  });

  it('brings Hark into the channel that the member names', async () => {
    const { team } = bot.sandbox;
    await run('/join', { channel: team.voice[1].id });
    expect(botChannel(bot)).toBe(team.voice[1].id);
  });

  it('says what to do to a member who is in no voice channel', async () => {
    expect(told(await run('/join'))).toMatch(/^\(only you\) You are in no voice channel: join one/);
    expect(botChannel(bot)).toBeUndefined();
  });

  it('does not take Hark away from others who listen, but moderators may', async () => {
    const { team, voice } = bot.sandbox;
    voice.join(team.newcomer, team.voice[0]);
    await run('/join', {}, { as: team.newcomer });
    voice.join(team.member, team.voice[1]);
    const refused = told(await run('/join'));
    expect(refused).toMatch(/^\(only you\) I am speaking for others in/);
    expect(botChannel(bot)).toBe(team.voice[0].id);
    await run('/join', { channel: team.voice[1].id }, { as: team.administrator });
    expect(botChannel(bot)).toBe(team.voice[1].id);
  });

  it('ends in one channel when two members ask at the same time', async () => {
    const { team, voice } = bot.sandbox;
    voice.join(team.member, team.voice[0]);
    voice.join(team.newcomer, team.voice[1]);
    const answers = await Promise.all([run('/join'), run('/join', {}, { as: team.newcomer })]);
    const here = botChannel(bot);
    expect(team.voice.map(({ id }) => id)).toContain(here);
    const said = answers.map(told);
    expect(said).toContain(`I am in <#${here}> now.`);
    // Whoever did not get Hark is told so.
    for (const sentence of said) expect(sentence).toContain(`<#${here}>`);
  });

  it.each([
    ['Connect', Permission.Connect, /I may not join .* “Connect” there/],
    ['Speak', Permission.Speak, /I may not speak in .* “Speak” there/],
    ['View Channel', Permission.ViewChannel, /I cannot see .* “View Channel” there/],
  ])('says that Hark lacks the permission %s', async (_, permission, sentence) => {
    const { team, voice, world } = bot.sandbox;
    const [channel] = team.voice;
    voice.join(team.member, channel);
    world.setOverwrite(channel, voice.bot(), { deny: permission });
    try {
      expect(told(await run('/join'))).toMatch(sentence);
      expect(botChannel(bot)).toBeUndefined();
    } finally {
      world.setOverwrite(channel, voice.bot(), {});
    }
  });

  it('says that the channel is full', async () => {
    const { team, voice, world } = bot.sandbox;
    const [channel] = team.voice;
    voice.join(team.member, channel);
    world.setUserLimit(channel, 1);
    try {
      expect(told(await run('/join'))).toMatch(/^\(only you\) .* is full: someone has to leave/);
    } finally {
      world.setUserLimit(channel, 0);
    }
  });

  it('does not bring Hark where the member may not go', async () => {
    const { team, world } = bot.sandbox;
    const [, channel] = team.voice;
    world.setOverwrite(channel, team.newcomer, { deny: Permission.Connect });
    try {
      const answer = await run('/join', { channel: channel.id }, { as: team.newcomer });
      expect(told(answer)).toMatch(/^\(only you\) You may not join .* yourself/);
    } finally {
      world.setOverwrite(channel, team.newcomer, {});
    }
  });
});

describe('/say as voice channel', () => {
  it('joins by itself and is heard', async () => {
    const { team } = bot.sandbox;
    const listener = await listenAs(bot, team.voice[0], team.member);
    const answer = await say('The build is ready, and all of the tests are green.');
    expect(told(answer)).toBe(
      `In <#${team.voice[0].id}>: “The build is ready, and all of the tests are green.”`,
    );
    await hearsWords(listener, 2);
    expect(loudness(listener)).toBeGreaterThan(300);
  });

  it('waits its turn, and says after how many', async () => {
    const { team } = bot.sandbox;
    await listenAs(bot, team.voice[0], team.member);
    await say(LONG);
    expect(told(await say('second'))).toContain('after 1 other thing: “second”');
    expect(told(await say('third'))).toContain('after 2 other things: “third”');
  });

  it('says what to do to a member who is in no voice channel', async () => {
    expect(told(await say('hello'))).toMatch(/^\(only you\) You are in no voice channel/);
  });

  it('says so when the queue of the member or of the guild is full', async () => {
    const { team, voice } = bot.sandbox;
    await run('/settings voice', { queue: 3, member_queue: 2 }, { as: team.administrator });
    try {
      await listenAs(bot, team.voice[0], team.member);
      voice.join(team.newcomer, team.voice[0]);
      await say(LONG);
      await say('second');
      expect(told(await say('third'))).toMatch(/^\(only you\) 2 things of yours wait/);
      await say('other', { as: team.newcomer });
      expect(told(await say('more', { as: team.newcomer }))).toMatch(
        /^\(only you\) The queue is full: 3 things/,
      );
    } finally {
      await run('/settings voice', { queue: 50, member_queue: 10 }, { as: team.administrator });
    }
  });
});

describe('/skip, /stop, /pause and /resume', () => {
  it('skip goes on to the next', async () => {
    const { team } = bot.sandbox;
    const listener = await listenAs(bot, team.voice[0], team.member);
    await say(LONG);
    await say('Second sentence, which is short.');
    expect(told(await run('/skip'))).toMatch(/^Skipped: “This is a long report/);
    listener.clear();
    await hearsWords(listener, 0.5);
    await listener.until(({ speaking }) => speaking.at(-1)?.speaking === 0);
    expect(told(await run('/skip'))).toMatch(/^\(only you\) Nothing is being said/);
  });

  it('stop falls silent and empties the queue', async () => {
    const { team } = bot.sandbox;
    const listener = await listenAs(bot, team.voice[0], team.member);
    await say(LONG);
    await say('second');
    await hearsWords(listener);
    expect(told(await run('/stop'))).toBe('Stopped 2 things.');
    expect(told(await run('/stop'))).toMatch(/^\(only you\) Nothing is being said/);
  });

  it('pause holds on, resume goes on to the end', async () => {
    const { team } = bot.sandbox;
    const listener = await listenAs(bot, team.voice[0], team.member);
    await say('One, two, three, four, five, six, seven, eight, nine, ten.');
    await hearsWords(listener, 0.3);
    expect(told(await run('/pause'))).toBe('Paused: /resume goes on.');
    await listener.until(({ speaking }) => speaking.at(-1)?.speaking === 0);
    expect(told(await run('/pause'))).toMatch(/paused already/);
    listener.clear();
    expect(told(await run('/resume'))).toBe('Going on.');
    await hearsWords(listener, 0.5);
    expect(told(await run('/resume'))).toMatch(/^\(only you\) I am not paused/);
  });

  it.each(['/skip', '/stop', '/pause', '/queue', '/leave', '/resume'])(
    '%s says so when Hark is in no voice channel',
    async (command) => {
      expect(told(await run(command))).toMatch(/^\(only you\) I am in no voice channel: .*\/join/);
    },
  );

  it.each(['/skip', '/pause'])('%s says so when nothing is being said', async (command) => {
    await run('/join', { channel: bot.sandbox.team.voice[0].id });
    expect(told(await run(command))).toMatch(/^\(only you\) Nothing is being said/);
  });

  describe('what somebody else had said', () => {
    it.each(['/skip', '/stop', '/pause'])('%s is not for other members', async (command) => {
      const { team, voice } = bot.sandbox;
      await listenAs(bot, team.voice[0], team.member);
      voice.join(team.newcomer, team.voice[0]);
      await say(LONG);
      const refused = told(await run(command, {}, { as: team.newcomer }));
      expect(refused).toMatch(/^\(only you\) Only who had it said or a moderator/);
      expect(told(await run('/skip'))).toMatch(/^Skipped/);
    });

    it.each(['/skip', '/stop', '/pause'])('%s is for moderators', async (command) => {
      const { team } = bot.sandbox;
      await listenAs(bot, team.voice[0], team.member);
      await say(LONG);
      const done = told(await run(command, {}, { as: team.administrator }));
      expect(done).toMatch(/^(Skipped|Stopped|Paused)/);
    });

    it.each(['/skip', '/stop', '/pause'])('%s is for the control role', async (command) => {
      const { team, world } = bot.sandbox;
      const role = world.addRole(team.guild, { name: 'DJ', permissions: 0n });
      const dj = world.addMember(team.guild, { name: 'Dora', roles: [role] });
      await run('/settings voice', { control_role: role.id }, { as: team.administrator });
      await listenAs(bot, team.voice[0], team.member);
      await say(LONG);
      expect(told(await run(command, {}, { as: dj }))).toMatch(/^(Skipped|Stopped|Paused)/);
    });
  });
});

describe('/queue', () => {
  async function filled(): Promise<ShownMessage> {
    const { team } = bot.sandbox;
    await listenAs(bot, team.voice[0], team.member);
    await say(LONG);
    await say('**second** <:wave:5>');
    const { messages } = await run('/queue');
    if (!messages[0]) throw new Error('no list was shown');
    return messages[0];
  }
  const button = ({ components }: ShownMessage, label: string): string => {
    const row = components[0] as { components: { label: string; custom_id: string }[] };
    return row.components.find((one) => one.label === label)?.custom_id ?? '';
  };

  it('shows who had what said and how much of it is over, to the member alone', async () => {
    const list = await filled();
    const { team } = bot.sandbox;
    expect(list.ephemeral).toBe(true);
    const [embed] = list.embeds;
    expect(embed?.title).toBe('Speaking');
    const lines = embed?.description?.split('\n') ?? [];
    expect(lines[0]).toBe(`In <#${team.voice[0].id}>`);
    expect(lines[1]).toMatch(new RegExp(`^\\*\\*Now\\*\\* · <@${team.member.user.id}>: This is a`));
    expect(lines[1]).toMatch(/\(0:\d\d of (\?|\d:\d\d)\)$/);
    expect(lines[2]).toMatch(/^1\. <@\d+>: second wave \(\?\)$/);
    expect(list.pings.users).toEqual([]);
  });

  it('skips once, however often the button is pressed', async () => {
    const list = await filled();
    const skip = button(list, 'Skip');
    const [after] = (await bot.sandbox.click(list, skip)).messages;
    expect(after?.embeds[0]?.description).not.toContain('long report');
    const [again] = (await bot.sandbox.click(list, button(list, 'Refresh'))).messages;
    expect(again?.embeds[0]?.description).toContain('second');
  });

  it('clears what waits and lets what is being said come to its end', async () => {
    const list = await filled();
    const [after] = (await bot.sandbox.click(list, button(list, 'Clear'))).messages;
    expect(after?.embeds[0]?.description).toContain('long report');
    expect(after?.embeds[0]?.description).not.toContain('second');
  });

  it('says so when Hark has left in the meantime', async () => {
    const list = await filled();
    await run('/leave');
    const answer = await bot.sandbox.click(list, button(list, 'Refresh'));
    expect(told(answer)).toContain('(only you) I am in no voice channel');
  });
});

describe('/volume', () => {
  afterEach(() => run('/volume', { percent: 100 }, { as: bot.sandbox.team.administrator }));

  it('makes what is said next softer', async () => {
    const { team } = bot.sandbox;
    const listener = await listenAs(bot, team.voice[0], team.member);
    const heard = async () => {
      listener.clear();
      await say('Hello there, everybody.');
      await hearsWords(listener, 0.8);
      await listener.until(({ speaking }) => speaking.at(-1)?.speaking === 0);
      return loudness(listener);
    };
    const full = await heard();
    const answer = await run('/volume', { percent: 25 }, { as: team.administrator });
    expect(told(answer)).toBe('The volume is 25 % from the next thing that I say.');
    const soft = await heard();
    expect(soft / full).toBeGreaterThan(0.15);
    expect(soft / full).toBeLessThan(0.35);
    expect(told(await run('/volume'))).toBe('The volume is 25 %.');
  });

  it('is for the control role and moderators', async () => {
    expect(told(await run('/volume', { percent: 5 }))).toMatch(/^\(only you\) Only members with/);
    expect(told(await run('/volume'))).toBe('The volume is 100 %.');
  });

  it('refuses what Discord’s own client holds back', async () => {
    const answer = await bot.sandbox.run('/volume', { percent: 900 }, { unchecked: true });
    expect(told(answer)).toMatch(/^\(only you\) The volume must be from 0 to 200 percent/);
  });
});

describe('/leave', () => {
  it('sends Hark out', async () => {
    const { team, voice } = bot.sandbox;
    voice.join(team.member, team.voice[0]);
    await run('/join');
    expect(told(await run('/leave'))).toBe(`I have left <#${team.voice[0].id}>.`);
    await botIn(bot, undefined);
  });

  it('is not for who is not there, while others listen', async () => {
    const { team, voice } = bot.sandbox;
    voice.join(team.newcomer, team.voice[0]);
    await run('/join', {}, { as: team.newcomer });
    expect(told(await run('/leave'))).toMatch(/^\(only you\) Others listen to me/);
    expect(told(await run('/leave', {}, { as: team.administrator }))).toMatch(/^I have left/);
  });

  it('ends a join that is under way', async () => {
    const { team, voice } = bot.sandbox;
    voice.join(team.member, team.voice[0]);
    const release = voice.faults.withhold('ready');
    try {
      const joining = run('/join');
      await botIn(bot, team.voice[0]);
      expect(told(await run('/leave'))).toMatch(/^I have left/);
      expect(told(await joining)).toMatch(/^\(only you\) I have left the voice channel/);
      await botIn(bot, undefined);
    } finally {
      release();
    }
  });
});

describe('/settings voice', () => {
  it('shows what is set, and keeps what is not named', async () => {
    const { team } = bot.sandbox;
    const as = team.administrator;
    const change = { leave_after: 12, announce: true, skip_prefix: '//' };
    await run('/settings voice', change, { as });
    const { messages } = await run('/settings voice', {}, { as });
    expect(messages[0]?.ephemeral).toBe(true);
    const shown = messages[0]?.embeds[0]?.description;
    expect(shown).toContain('after 12 min');
    expect(shown).toContain('joins and leaves: yes');
    expect(shown).toContain('begins with “//”');
    await run('/settings voice', { leave_after: 5, announce: false, skip_prefix: '!' }, { as });
  });

  it('is shown to those who may manage the server alone', async () => {
    await expect(run('/settings voice')).rejects.toThrow('is not shown');
  });

  it('refuses what Discord’s own client holds back', async () => {
    const as = bot.sandbox.team.administrator;
    const answer = await bot.sandbox.run('/settings voice', { queue: 0 }, { as, unchecked: true });
    expect(told(answer)).toMatch(/^\(only you\) “leave_after” must be/);
  });
});

it('sends Discord only what its published description allows', ({ skip }) => {
  const faults = bot.requestFaults();
  skip(!faults, "Discord's description is not beside the checkout (../shared/data)");
  expect(faults).toEqual([]);
});
