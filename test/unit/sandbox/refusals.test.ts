import { setTimeout as sleep } from 'node:timers/promises';
import { type ChatInputCommandInteraction, MessageFlags, Routes } from 'discord.js';
import { expect, test } from 'vitest';
import { SandboxRefusal } from '../../../src/sandbox/sandbox.ts';
import { type LoggedIn, logIn, oggOpus, onSay } from './bot.ts';

/** What the bot's attempt to answer in its own way ends with. */
async function attempt(
  answer: (interaction: ChatInputCommandInteraction, bot: LoggedIn) => Promise<unknown>,
  options: Parameters<typeof logIn>[1] = {},
): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  await using bot = await logIn(
    onSay((interaction) => answer(interaction, bot).then(reject, resolve)),
    options,
  );
  // Many attempts leave the person without an answer: only how the attempt ends is looked at.
  bot.sandbox.run('/say', { text: 'x' }).catch(() => undefined);
  return await promise;
}

function callback({ id, token }: ChatInputCommandInteraction): `/${string}` {
  return Routes.interactionCallback(id, token);
}

function followUp({ applicationId, token }: ChatInputCommandInteraction): `/${string}` {
  return Routes.webhook(applicationId, token);
}

test('a second first answer is refused', async () => {
  const error = await attempt(async (interaction, { client }) => {
    await interaction.reply('one');
    await client.rest.post(callback(interaction), {
      body: { type: 4, data: { content: 'two' } },
      auth: false,
    });
  });
  expect(error).toMatchObject({ code: 40060, status: 400 });
});

test('an answer that comes too late is refused', async () => {
  const error = await attempt(
    async (interaction) => {
      await sleep(60);
      await interaction.reply('late');
    },
    { answerWithin: 30 },
  );
  expect(error).toMatchObject({ code: 10062, status: 404, message: 'Unknown interaction' });
});

test('a token is refused when its life is over', async () => {
  const error = await attempt(
    async (interaction) => {
      await interaction.reply('in time');
      await sleep(120);
      await interaction.followUp('late');
    },
    { tokenLife: 100 },
  );
  expect(error).toMatchObject({ code: 50027, status: 401 });
});

test('a follow-up before any answer is refused', async () => {
  const error = await attempt((interaction, { client }) =>
    client.rest.post(followUp(interaction), { body: { content: 'x' }, auth: false }),
  );
  expect(error).toMatchObject({ code: 10015, status: 404 });
});

test('messages that are not there cannot be changed', async () => {
  const error = await attempt(async (interaction) => {
    await interaction.reply('x');
    await interaction.editReply({ message: '100000000000000000', content: 'y' });
  });
  expect(error).toMatchObject({ code: 10008, status: 404 });
});

test('an empty message is refused', async () => {
  const error = await attempt((interaction) => interaction.reply({ content: '' }));
  expect(error).toMatchObject({ code: 50006, status: 400 });
});

test('over-long fields are refused by name, counted in code points', async () => {
  const tooLong = '👋'.repeat(2001);
  const error = await attempt((interaction) =>
    interaction.reply({ content: tooLong, embeds: [{ description: 'x'.repeat(4097) }] }),
  );
  expect(error).toMatchObject({
    code: 50035,
    rawError: {
      message: 'Invalid Form Body',
      errors: {
        data: {
          content: {
            _errors: [
              { code: 'BASE_TYPE_MAX_LENGTH', message: 'Must be 2000 or fewer in length.' },
            ],
          },
          embeds: {
            0: {
              description: {
                _errors: [
                  { code: 'BASE_TYPE_MAX_LENGTH', message: 'Must be 4096 or fewer in length.' },
                ],
              },
            },
          },
        },
      },
    },
  });
});

test('2,000 emoji fit into a message', async () => {
  await using bot = await logIn(onSay((interaction) => interaction.reply('👋'.repeat(2000))));
  const answer = await bot.sandbox.run('/say', { text: 'x' });
  expect([...(answer.messages[0]?.content ?? '')]).toHaveLength(2000);
});

test.each([
  ['eleven embeds', { embeds: Array.from({ length: 11 }, () => ({ title: 'x' })) }],
  [
    'embeds of 6,001 characters',
    { embeds: [{ description: 'x'.repeat(4000) }, { description: 'x'.repeat(2001) }] },
  ],
  [
    'six rows',
    {
      content: 'x',
      components: Array.from({ length: 6 }, (_, i) => ({
        type: 1,
        components: [{ type: 2, style: 1, label: 'x', custom_id: `${i}` }],
      })),
    },
  ],
  [
    'six buttons in a row',
    {
      content: 'x',
      components: [
        {
          type: 1,
          components: Array.from({ length: 6 }, (_, i) => ({
            type: 2,
            style: 1,
            label: 'x',
            custom_id: `${i}`,
          })),
        },
      ],
    },
  ],
  [
    'the same custom id twice',
    {
      content: 'x',
      components: [
        {
          type: 1,
          components: [1, 2].map(() => ({ type: 2, style: 1, label: 'x', custom_id: 'same' })),
        },
      ],
    },
  ],
  [
    'a button without an id',
    { content: 'x', components: [{ type: 1, components: [{ type: 2, style: 1, label: 'x' }] }] },
  ],
  [
    '26 choices in a menu',
    {
      content: 'x',
      components: [
        {
          type: 1,
          components: [
            {
              type: 3,
              custom_id: 'x',
              options: Array.from({ length: 26 }, (_, i) => ({ label: 'x', value: `${i}` })),
            },
          ],
        },
      ],
    },
  ],
  [
    'content beside a layout',
    { content: 'x', flags: 1 << 15, components: [{ type: 10, content: 'x' }] },
  ],
  ['an attachment that is not there', { content: 'x', attachments: [{ id: 3, filename: 'x' }] }],
])('%s: refused', async (_name, data) => {
  const error = await attempt((interaction, { client }) =>
    client.rest.post(callback(interaction), { body: { type: 4, data }, auth: false }),
  );
  expect(error).toMatchObject({ code: 50035, status: 400 });
});

test('26 choices for an option are refused', async () => {
  const refused = Promise.withResolvers<unknown>();
  await using bot = await logIn(async (interaction) => {
    if (!interaction.isAutocomplete()) return;
    const choices = Array.from({ length: 26 }, (_, i) => ({ name: `${i}`, value: `${i}` }));
    await interaction.respond(choices).then(refused.reject, refused.resolve);
    await interaction.respond([]);
  });
  expect(await bot.sandbox.autocomplete('/say', {}, 'voice')).toEqual([]);
  expect(await refused.promise).toMatchObject({ code: 50035 });
});

test('eleven files and a file over the limit are refused', async () => {
  const files = Array.from({ length: 11 }, (_, i) => ({ attachment: oggOpus(), name: `${i}.ogg` }));
  expect(await attempt((interaction) => interaction.reply({ files }))).toMatchObject({
    code: 30015,
  });
  const large = await attempt((interaction, { sandbox }) => {
    sandbox.team.guild.attachmentSizeLimit = 1000;
    return interaction.reply({ files: [{ attachment: oggOpus(1001), name: 'a.ogg' }] });
  });
  expect(large).toMatchObject({ code: 40005, status: 413 });
});

const WAVEFORM = Buffer.alloc(256, 7).toString('base64');
const VOICE_MESSAGE = {
  attachment: oggOpus(),
  name: 'voice-message.ogg',
  waveform: WAVEFORM,
  duration: 1.5,
};
const IS_VOICE_MESSAGE = MessageFlags.IsVoiceMessage;

test('a voice message follows "thinking", with its waveform and length', async () => {
  await using bot = await logIn(
    onSay(async (interaction) => {
      await interaction.deferReply();
      await interaction.followUp({ files: [VOICE_MESSAGE], flags: IS_VOICE_MESSAGE });
    }),
  );
  const answer = await bot.sandbox.run('/say', { text: 'x' });
  expect(answer.messages).toMatchObject([
    {
      voiceMessage: true,
      attachments: [{ contentType: 'audio/ogg', durationSecs: 1.5, waveform: WAVEFORM, size: 100 }],
    },
  ]);
});

test.each([
  ['with content', 50159, { content: 'x', files: [VOICE_MESSAGE] }],
  ['with an embed', 50159, { embeds: [{ title: 'x' }], files: [VOICE_MESSAGE] }],
  ['without a file', 50160, {}],
  ['with two files', 50160, { files: [VOICE_MESSAGE, VOICE_MESSAGE] }],
  ['that is no Ogg Opus', 50160, { files: [{ ...VOICE_MESSAGE, attachment: Buffer.alloc(100) }] }],
  ['without waveform', 50161, { files: [{ ...VOICE_MESSAGE, waveform: undefined }] }],
  ['without length', 50161, { files: [{ ...VOICE_MESSAGE, duration: undefined }] }],
  [
    'with 257 points',
    50161,
    { files: [{ ...VOICE_MESSAGE, waveform: Buffer.alloc(257).toString('base64') }] },
  ],
])('a voice message %s is refused with %i', async (_name, code, message) => {
  const error = await attempt((interaction) =>
    interaction.reply({ ...message, flags: IS_VOICE_MESSAGE }),
  );
  expect(error).toMatchObject({ code, status: 400 });
});

test('a voice message where the channel forbids them is refused', async () => {
  const error = await attempt((interaction, { sandbox: { world, team } }) => {
    const self = world.member(team.guild.id, world.bot.id);
    world.setOverwrite(team.text[0], self, { deny: 1n << 46n });
    return interaction.reply({ files: [VOICE_MESSAGE], flags: IS_VOICE_MESSAGE });
  });
  expect(error).toMatchObject({ code: 50173 });
});

test('a voice message cannot be edited', async () => {
  const error = await attempt(async (interaction) => {
    await interaction.reply({ files: [VOICE_MESSAGE], flags: IS_VOICE_MESSAGE });
    await interaction.editReply('x');
  });
  expect(error).toMatchObject({ code: 50162 });
});

test('unknown routes and wrong tokens are refused', async () => {
  await using bot = await logIn();
  const ask = async (path: string, authorization: string) => {
    const answer = await fetch(`${bot.sandbox.apiUrl}/v10${path}`, { headers: { authorization } });
    return [answer.status, await answer.json()];
  };
  expect(await ask('/users/@me', 'Bot wrong')).toEqual([
    401,
    { message: '401: Unauthorized', code: 0 },
  ]);
  expect(await ask('/nowhere', `Bot ${bot.sandbox.token}`)).toEqual([
    404,
    { message: '404: Not Found', code: 0 },
  ]);
});

test('a body that is no JSON is refused', async () => {
  await using bot = await logIn();
  const answer = await fetch(`${bot.sandbox.apiUrl}/v10/interactions/1/x/callback`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{',
  });
  expect([answer.status, await answer.json()]).toMatchObject([400, { code: 50109 }]);
});

test.each([
  ['an unknown command', '/shout', {}, 'There is no command /shout'],
  ['an unknown option', '/say', { text: 'x', loud: true }, '"loud" does not exist'],
  ['a missing option', '/say', {}, '"text" is required'],
  ['an empty text', '/say', { text: '' }, 'at least 1'],
  ['a text over the limit', '/say', { text: '👋'.repeat(21) }, 'at most 20'],
  ['a number for a text', '/say', { text: 5 }, 'takes a string'],
  ['a fraction', '/say', { text: 'x', pitch: 0.5 }, 'whole number'],
  ['a number over the limit', '/say', { text: 'x', pitch: 25 }, 'at most 24'],
  ['a number under the limit', '/say', { text: 'x', pitch: -25 }, 'at least -24'],
  ['something else than the choices', '/say', { text: 'x', as: 'mp3' }, 'takes one of: voice, wav'],
  ['nobody', '/say', { text: 'x', who: '1' }, 'names nobody'],
])("Discord's client does not send %s", async (_name, line, values, message) => {
  await using bot = await logIn(onSay((interaction) => interaction.reply('x')));
  const answer = bot.sandbox.run(line, values);
  await expect(answer).rejects.toThrow(SandboxRefusal);
  await expect(answer).rejects.toThrow(message);
});

test('a client that checks nothing sends what the option forbids', async () => {
  await using bot = await logIn(
    onSay((interaction) => interaction.reply(`${interaction.options.getInteger('pitch')}`)),
  );
  const values = { text: '', pitch: 99 };
  const answer = await bot.sandbox.run('/say', values, { unchecked: true });
  expect(answer.messages).toMatchObject([{ content: '99' }]);
});

test('a member who may not use commands sees none', async () => {
  await using bot = await logIn(onSay((interaction) => interaction.reply('x')));
  const { world, team } = bot.sandbox;
  world.setOverwrite(team.text[0], team.newcomer, { deny: 1n << 31n });
  const answer = bot.sandbox.run('/say', { text: 'x' }, { as: team.newcomer });
  await expect(answer).rejects.toThrow(SandboxRefusal);
});
