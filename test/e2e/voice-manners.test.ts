import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ChannelType, PermissionFlagsBits as Permission } from 'discord.js';
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  onTestFinished,
} from 'vitest';
import type { OptionValues } from '../../src/sandbox/options.ts';
import type { Acting, SandboxAnswer } from '../../src/sandbox/sandbox.ts';
import { startTestBot, type TestBot } from '../helpers/bot.ts';
import { botChannel, botIn, hearsWords, LONG, listenAs, told } from './voice-room.ts';

let bot: TestBot;
beforeAll(async () => {
  bot = await startTestBot();
});
afterAll(() => bot[Symbol.asyncDispose]());
afterEach(async () => {
  const { voice, team } = bot.sandbox;
  if (bot.app.host.get(team.guild.id)) await run('/leave', {}, { as: team.administrator });
  for (const channel of team.voice) {
    for (const member of voice.members(channel)) voice.leave(member);
  }
});

const run = (line: string, values?: OptionValues, acting?: Acting) =>
  bot.sandbox.run(line, values, acting);
const administer = (values: OptionValues) =>
  run('/settings voice', values, { as: bot.sandbox.team.administrator });
const say = (text: string, acting?: Acting) => run('/say', { text, as: 'voice_channel' }, acting);

let before = 0;
beforeEach(() => {
  before = bot.sandbox.messages().length;
});

/** Waits until Hark has said something of its own accord in the first text channel. */
async function isTold(sentence: RegExp, of: TestBot = bot, from = before): Promise<void> {
  const said = () =>
    of.sandbox
      .messages()
      .slice(from)
      .filter(({ authorId }) => authorId === of.sandbox.world.bot.id)
      .map(({ content }) => content);
  await expect.poll(said, { timeout: 10_000 }).toContainEqual(expect.stringMatching(sentence));
}

/** An answer with the note beneath it. */
async function noted(answer: SandboxAnswer): Promise<string> {
  await answer.until(({ length }) => length > 1);
  return told(answer);
}

describe('alone in a voice channel', () => {
  it('Hark leaves after a while, and says so', async () => {
    const { team, voice } = bot.sandbox;
    await administer({ leave_after: 0.005 });
    onTestFinished(async () => void (await administer({ leave_after: 5 })));
    voice.join(team.member, team.voice[0]);
    await run('/join');
    expect(botChannel(bot)).toBe(team.voice[0].id);
    voice.leave(team.member);
    await botIn(bot, undefined);
    await isTold(/^Nobody was left in <#\d+>, so I left, too\.$/);
  });

  it('it stays when somebody comes back in time', async () => {
    const { team, voice } = bot.sandbox;
    voice.join(team.member, team.voice[0]);
    await run('/join');
    await administer({ leave_after: 0.02 });
    onTestFinished(async () => void (await administer({ leave_after: 5 })));
    voice.leave(team.member);
    voice.join(team.newcomer, team.voice[0]);
    const listener = await listenAs(bot, team.voice[0], team.member);
    await say(LONG);
    await hearsWords(listener, 1.5);
    expect(botChannel(bot)).toBe(team.voice[0].id);
  });
});

describe('who comes and goes', () => {
  it('is announced when that is on', async () => {
    const { team, voice } = bot.sandbox;
    await administer({ announce: true });
    onTestFinished(async () => void (await administer({ announce: false })));
    const listener = await listenAs(bot, team.voice[0], team.member);
    await run('/join');
    await say(LONG);
    voice.join(team.newcomer, team.voice[0]);
    voice.move(team.newcomer, team.voice[1]);
    const waiting = () =>
      bot.app.host
        .get(team.guild.id)
        ?.queue()
        .waiting.map(({ label }) => label);
    await expect.poll(waiting).toEqual(['Noor joined', 'Noor left']);
    await run('/skip');
    listener.clear();
    await hearsWords(listener, 0.4);
  });

  it('is not announced otherwise', async () => {
    const { team, voice } = bot.sandbox;
    voice.join(team.member, team.voice[0]);
    await run('/join');
    voice.join(team.newcomer, team.voice[0]);
    await say('Hello');
    await expect.poll(() => bot.app.host.get(team.guild.id)?.queue().waiting).toEqual([]);
    expect(bot.logged.join()).not.toContain('was not announced');
  });
});

describe('when others act', () => {
  it('Hark follows when it is moved, and goes on speaking there', async () => {
    const { team, voice } = bot.sandbox;
    await listenAs(bot, team.voice[0], team.member);
    await say(LONG);
    const there = await listenAs(bot, team.voice[1]);
    voice.move(voice.bot(), team.voice[1]);
    await hearsWords(there, 0.5);
    expect(bot.app.host.get(team.guild.id)?.channelId).toBe(team.voice[1].id);
  });

  it('it says so when it was thrown out, and can be asked back', async () => {
    const { team, voice } = bot.sandbox;
    const listener = await listenAs(bot, team.voice[0], team.member);
    await say(LONG);
    await hearsWords(listener, 0.3);
    voice.disconnect(voice.bot());
    await isTold(/^I was disconnected from the voice channel/);
    listener.clear();
    await say('Back again, all of us.');
    await hearsWords(listener, 0.5);
  });

  it('it says so when the channel is deleted', async () => {
    const { team, world } = bot.sandbox;
    const options = { name: 'Gone', type: ChannelType.GuildVoice } as const;
    const channel = world.addChannel(team.guild, options);
    await listenAs(bot, channel, team.member);
    await say(LONG);
    world.removeChannel(channel);
    await isTold(/^The voice channel was deleted, so I left/);
    expect(bot.app.host.get(team.guild.id)).toBeUndefined();
  });

  it('it says why it is not heard when the server has muted it', async () => {
    const { team, voice } = bot.sandbox;
    voice.join(team.member, team.voice[0]);
    voice.join(voice.bot(), team.voice[0]);
    voice.change(voice.bot(), { mute: true });
    expect(await noted(await run('/join'))).toMatch(/\(only you\) I am muted by the server/);
    voice.change(voice.bot(), { mute: false });
  });
});

describe('on a stage', () => {
  const stageOf = (name: string) => {
    const { team, world } = bot.sandbox;
    return world.addChannel(team.guild, { name, type: ChannelType.GuildStageVoice });
  };

  it('Hark says that it sits in the audience', async () => {
    const stage = stageOf('Stage');
    const answer = await run('/join', { channel: stage.id });
    expect(await noted(answer)).toMatch(/\(only you\) I am in the audience of <#\d+>/);
  });

  it('it asks to speak where it may', async () => {
    const { voice, world } = bot.sandbox;
    const stage = stageOf('Panel');
    world.setOverwrite(stage, voice.bot(), { allow: Permission.RequestToSpeak });
    await run('/join', { channel: stage.id });
    expect(voice.state(voice.bot())?.requestToSpeakAt).toBeInstanceOf(Date);
  });

  it('it makes itself a speaker where it is a moderator', async () => {
    const { team, voice, world } = bot.sandbox;
    const stage = stageOf('Assembly');
    world.setOverwrite(stage, voice.bot(), { allow: Permission.MuteMembers });
    const listener = await listenAs(bot, stage, team.member);
    const answer = await say('Welcome to the assembly, everybody.');
    expect(told(answer)).not.toContain('only you');
    await hearsWords(listener, 0.5);
    expect(voice.state(voice.bot())?.suppress).toBe(false);
  });
});

describe('when Discord’s voice servers fail', () => {
  it.each([
    [4017, /refused my end-to-end encryption/],
    [4021, /Discord wants me to join no voice channel for now/],
    [4022, /Discord ended the call/],
  ])('close code %i ends the session with a sentence', async (code, sentence) => {
    const { team, voice } = bot.sandbox;
    voice.join(team.member, team.voice[0]);
    await run('/join');
    voice.dropGateway(code);
    await isTold(sentence);
    expect(bot.app.host.get(team.guild.id)).toBeUndefined();
  });

  it('Hark speaks on after the connection broke, and after a change of the server', async () => {
    const { team, voice } = bot.sandbox;
    const listener = await listenAs(bot, team.voice[0], team.member);
    await say(LONG);
    await hearsWords(listener, 0.3);
    voice.dropGateway();
    listener.clear();
    await hearsWords(listener, 0.5);
    await voice.changeServer();
    listener.clear();
    await hearsWords(listener, 0.5);
  });
});

it('after a new start of its session with Discord, Hark speaks on where it was', async () => {
  const { team, gateway } = bot.sandbox;
  const listener = await listenAs(bot, team.voice[0], team.member);
  await say(LONG);
  await hearsWords(listener, 0.3);
  gateway.invalidateSessions();
  listener.clear();
  await hearsWords(listener, 0.5);
  expect(botChannel(bot)).toBe(team.voice[0].id);
});

describe('after a restart', () => {
  it('Hark is back where it was, and speaks as loud as before', async () => {
    const { team } = bot.sandbox;
    const listener = await listenAs(bot, team.voice[1], team.member);
    await run('/join');
    await run('/volume', { percent: 80 }, { as: team.administrator });
    await bot.restart();
    await botIn(bot, team.voice[1]);
    expect(bot.app.host.get(team.guild.id)?.volume).toBe(80);
    listener.clear();
    await say('Here I am again.');
    await hearsWords(listener, 0.5);
  });

  it('it is where it was moved to', async () => {
    const { team, voice } = bot.sandbox;
    voice.join(team.member, team.voice[0]);
    await run('/join');
    voice.move(voice.bot(), team.voice[1]);
    await expect.poll(() => bot.app.host.get(team.guild.id)?.channelId).toBe(team.voice[1].id);
    await bot.restart();
    await botIn(bot, team.voice[1]);
  });

  it('it leaves again where nobody is left', async () => {
    const { team, voice } = bot.sandbox;
    voice.join(team.member, team.voice[0]);
    await run('/join');
    await administer({ leave_after: 0.01 });
    onTestFinished(async () => void (await administer({ leave_after: 5 })));
    await bot.app.stop();
    voice.leave(team.member);
    await bot.restart();
    await botIn(bot, team.voice[0]);
    await isTold(/^Nobody was left/);
    await botIn(bot, undefined);
  });

  it('it stays away when it had left', async () => {
    const { team, voice } = bot.sandbox;
    voice.join(team.member, team.voice[0]);
    await run('/join');
    await run('/leave');
    await bot.restart();
    expect(told(await run('/queue'))).toMatch(/I am in no voice channel/);
  });

  it('it says why it cannot come back', async () => {
    const { team, voice, world } = bot.sandbox;
    voice.join(team.member, team.voice[0]);
    await run('/join');
    world.setOverwrite(team.voice[0], voice.bot(), { deny: Permission.Connect });
    onTestFinished(() => world.setOverwrite(team.voice[0], voice.bot(), {}));
    await bot.restart();
    await isTold(/^I may not join <#\d+>/);
  });
});

describe('when the voice service dies in the middle of a stream', () => {
  it('what had come is heard, and a sentence says what happened', async () => {
    await using broken = await brokenService(bot.app.voiceApi);
    await using other = await startTestBot({
      VOICE_API_URL: broken.url,
      VOICE_API_KEY: bot.app.voiceApi.key,
    });
    const { team } = other.sandbox;
    const listener = await listenAs(other, team.voice[0], team.member);
    await other.sandbox.run('/say', {
      text: 'One two three four five six seven eight nine ten, and so on and so forth.',
      as: 'voice_channel',
    });
    await hearsWords(listener, 0.3);
    await isTold(/^I could not say “One two three .*” to its end\. The voice service/, other, 0);
    expect(other.app.host.get(team.guild.id)).toBeDefined();
  });
});

/** A voice service that breaks every stream of speech off after a second of sound. */
async function brokenService({ url }: { url: string }) {
  const server = createServer((asked, answer) => {
    const { method, headers } = asked;
    const forwarded = request(new URL(asked.url ?? '/', url), { method, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 500, response.headers);
      let sent = 0;
      response.on('data', (chunk: Buffer) => {
        answer.write(chunk);
        sent += chunk.length;
        if (asked.url?.endsWith('/stream') && sent > 88_200) answer.destroy();
      });
      response.on('end', () => answer.end());
      response.on('error', () => answer.destroy());
    });
    forwarded.on('error', () => answer.destroy());
    asked.pipe(forwarded);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

it('sends Discord only what its published description allows', ({ skip }) => {
  const faults = bot.requestFaults();
  skip(!faults, "Discord's description is not beside the checkout (../shared/data)");
  expect(faults).toEqual([]);
});
