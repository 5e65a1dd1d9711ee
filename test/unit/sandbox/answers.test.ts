import {
  ActionRowBuilder,
  ButtonBuilder,
  ButtonStyle,
  MessageFlags,
  ModalBuilder,
  StringSelectMenuBuilder,
  TextInputBuilder,
  TextInputStyle,
} from 'discord.js';
import { expect, test } from 'vitest';
import { NoResponse } from '../../../src/sandbox/sandbox.ts';
import { logIn, onSay } from './bot.ts';

const EPHEMERAL = { flags: MessageFlags.Ephemeral } as const;

test('a member types a command and everybody sees the reply', async () => {
  await using bot = await logIn(
    onSay((interaction) => interaction.reply(`You said: ${interaction.options.getString('text')}`)),
  );

  const answer = await bot.sandbox.run('/say', { text: '안녕, 여러분 👋' });

  expect(answer.messages).toMatchObject([
    { content: 'You said: 안녕, 여러분 👋', ephemeral: false, thinking: false, edited: false },
  ]);
  expect(bot.sandbox.messages()).toEqual(answer.messages);
});

test('an ephemeral reply stands in no channel', async () => {
  await using bot = await logIn(
    onSay((interaction) => interaction.reply({ content: 'Only you', ...EPHEMERAL })),
  );

  const answer = await bot.sandbox.run('/say', { text: 'x' });

  expect(answer.messages).toMatchObject([{ content: 'Only you', ephemeral: true }]);
  expect(bot.sandbox.messages()).toEqual([]);
});

test('a deferred answer is "thinking" until it is edited, and is then not marked as edited', async () => {
  const seen: unknown[] = [];
  await using bot = await logIn(
    onSay(async (interaction) => {
      await interaction.deferReply();
      seen.push(...bot.sandbox.messages());
      await interaction.editReply('Done');
    }),
  );

  const answer = await bot.sandbox.run('/say', { text: 'x' });

  expect(seen).toMatchObject([{ thinking: true, content: '' }]);
  expect(answer.messages).toMatchObject([{ thinking: false, content: 'Done', edited: false }]);
});

test('the first follow-up takes the place of "thinking" and keeps its visibility', async () => {
  await using bot = await logIn(
    onSay(async (interaction) => {
      await interaction.deferReply(EPHEMERAL);
      await interaction.followUp('First');
      await interaction.followUp('Second');
    }),
  );

  const answer = await bot.sandbox.run('/say', { text: 'x' });
  const messages = await answer.until((shown) => shown.length === 2);

  expect(messages).toMatchObject([
    { content: 'First', ephemeral: true },
    { content: 'Second', ephemeral: false },
  ]);
});

test('a deferred answer that is deleted makes way for an ephemeral follow-up', async () => {
  await using bot = await logIn(
    onSay(async (interaction) => {
      await interaction.deferReply();
      await interaction.deleteReply();
      await interaction.followUp({ content: 'Not like this', ...EPHEMERAL });
    }),
  );

  const answer = await bot.sandbox.run('/say', { text: 'x' });

  expect(answer.messages).toMatchObject([{ content: 'Not like this', ephemeral: true }]);
  expect(answer.history).toMatchObject([{ deleted: true }, { deleted: false }]);
  expect(bot.sandbox.messages()).toEqual([]);
});

test('later edits and deletions show in the answer', async () => {
  await using bot = await logIn(
    onSay(async (interaction) => {
      await interaction.reply('One');
      await interaction.editReply('Two');
      await interaction.deleteReply();
    }),
  );

  const answer = await bot.sandbox.run('/say', { text: 'x' });
  await answer.until((messages) => messages.length === 0);

  expect(answer.history).toMatchObject([{ content: 'Two', edited: true, deleted: true }]);
});

test('a bot that stays silent has not responded', async () => {
  await using bot = await logIn(undefined, { answerWithin: 50 });

  const answer = bot.sandbox.run('/say', { text: 'x' });

  await expect(answer).rejects.toThrow(new NoResponse('The application did not respond'));
});

test('a bot that goes on thinking is given up', async () => {
  await using bot = await logIn(
    onSay((interaction) => interaction.deferReply()),
    { finishWithin: 50 },
  );

  await expect(bot.sandbox.run('/say', { text: 'x' })).rejects.toThrow(NoResponse);
});

test('who waits when the sandbox closes is told so', async () => {
  await using bot = await logIn();
  const answer = expect(bot.sandbox.run('/say', { text: 'x' })).rejects.toThrow(
    'The sandbox was closed',
  );
  await bot.sandbox.close();
  await answer;
});

test('an option completes itself in the language of the person', async () => {
  await using bot = await logIn(async (interaction) => {
    if (!interaction.isAutocomplete()) return;
    const { name, value } = interaction.options.getFocused(true);
    await interaction.respond([{ name: `${interaction.locale} ${name} ${value}`, value: 'aria' }]);
  });

  const choices = await bot.sandbox.autocomplete('/say', { text: 'x', voice: 'ar' }, 'voice', {
    locale: 'ko',
  });

  expect(choices).toEqual([{ name: 'ko voice ar', value: 'aria' }]);
});

test('files travel both ways and can be fetched', async () => {
  await using bot = await logIn(
    onSay(async (interaction) => {
      const sample = interaction.options.getAttachment('sample', true);
      const data = Buffer.from(await (await fetch(sample.url)).bytes());
      await interaction.reply({ files: [{ attachment: data.reverse(), name: 'back wards.txt' }] });
    }),
  );

  const answer = await bot.sandbox.run('/say', {
    text: 'x',
    sample: { name: 'a.txt', data: Buffer.from('abc'), contentType: 'text/plain' },
  });

  const [attachment] = answer.messages[0]?.attachments ?? [];
  expect(attachment).toMatchObject({ filename: 'back_wards.txt', size: 3 });
  const file = await fetch(attachment?.url ?? '');
  expect(await file.text()).toBe('cba');
  expect(file.headers.get('content-type')).toContain('text/plain');
});

test('people, channels, roles and permissions reach the bot resolved', async () => {
  const seen: unknown[] = [];
  await using bot = await logIn(
    onSay(async (interaction) => {
      seen.push(
        interaction.options.getUser('who')?.globalName,
        interaction.options.getChannel('where')?.name,
        interaction.memberPermissions?.has('Administrator'),
        interaction.appPermissions.has('SendVoiceMessages'),
        interaction.attachmentSizeLimit,
        interaction.guild?.name,
      );
      await interaction.reply('ok');
    }),
  );
  const { team } = bot.sandbox;

  const values = { text: 'x', who: team.newcomer, where: team.text[1] };
  await bot.sandbox.run('/say', values, { as: team.administrator });

  expect(seen).toEqual(['Noor', 'random', true, true, 10 * 1024 * 1024, 'Team']);
});

test('what a channel forbids the bot shows in its permissions', async () => {
  const allowed: boolean[] = [];
  await using bot = await logIn(
    onSay(async (interaction) => {
      allowed.push(interaction.appPermissions.has('SendVoiceMessages'));
      await interaction.reply('ok');
    }),
  );
  const { world, team } = bot.sandbox;
  const self = world.member(team.guild.id, world.bot.id);
  world.setOverwrite(team.text[0], self, { deny: 1n << 46n });

  await bot.sandbox.run('/say', { text: 'x' }, { channel: team.text[0] });
  await bot.sandbox.run('/say', { text: 'x' }, { channel: team.text[1] });

  expect(allowed).toEqual([false, true]);
});

test('a button changes its message', async () => {
  const row = new ActionRowBuilder<ButtonBuilder>().addComponents(
    new ButtonBuilder().setCustomId('next').setLabel('Next').setStyle(ButtonStyle.Primary),
  );
  await using bot = await logIn(async (interaction) => {
    if (interaction.isChatInputCommand()) {
      await interaction.reply({ content: 'Page 1', components: [row], ...EPHEMERAL });
    } else if (interaction.isButton()) {
      await interaction.update({ content: 'Page 2', components: [] });
    }
  });
  const first = await bot.sandbox.run('/say', { text: 'x' });
  const [page] = first.messages;
  if (!page) throw new Error('no page');

  const second = await bot.sandbox.click(page, 'next');

  expect(second.messages).toMatchObject([{ id: page.id, content: 'Page 2', components: [] }]);
  await expect(bot.sandbox.click(page, 'next')).rejects.toThrow('no component "next"');
});

test('a menu takes one of its values, and a click can be answered later', async () => {
  const menu = new StringSelectMenuBuilder()
    .setCustomId('voice')
    .addOptions({ label: 'Aria', value: 'aria' }, { label: 'Bo', value: 'bo' });
  const row = new ActionRowBuilder<StringSelectMenuBuilder>().addComponents(menu);
  await using bot = await logIn(async (interaction) => {
    if (interaction.isChatInputCommand()) {
      await interaction.reply({ components: [row] });
    } else if (interaction.isStringSelectMenu()) {
      await interaction.deferUpdate();
      await interaction.editReply({ content: interaction.values.join(), components: [] });
    }
  });
  const [message] = (await bot.sandbox.run('/say', { text: 'x' })).messages;
  if (!message) throw new Error('no message');

  await expect(bot.sandbox.select(message, 'voice', ['zoe'])).rejects.toThrow('"zoe"');
  const chosen = await bot.sandbox.select(message, 'voice', ['bo']);

  expect(chosen.messages).toMatchObject([{ id: message.id, content: 'bo' }]);
});

test('a modal is filled in and sent', async () => {
  const input = new TextInputBuilder()
    .setCustomId('name')
    .setLabel('Name')
    .setStyle(TextInputStyle.Short);
  const modal = new ModalBuilder()
    .setCustomId('form')
    .setTitle('Form')
    .addComponents(new ActionRowBuilder<TextInputBuilder>().addComponents(input));
  await using bot = await logIn(async (interaction) => {
    if (interaction.isChatInputCommand()) await interaction.showModal(modal);
    if (interaction.isModalSubmit())
      await interaction.reply(interaction.fields.getTextInputValue('name'));
  });

  const form = await bot.sandbox.run('/say', { text: 'x' });
  const answer = await bot.sandbox.submitModal(form, { name: '민준' });

  expect(form.modal?.title).toBe('Form');
  expect(answer.messages).toMatchObject([{ content: '민준' }]);
});

test('a reply pings nobody when its allowed mentions are none', async () => {
  await using bot = await logIn(
    onSay(async (interaction) => {
      const content = `@everyone <@${interaction.user.id}>`;
      await interaction.reply(content);
      await interaction.followUp({ content, allowedMentions: { parse: [] } });
    }),
  );

  const answer = await bot.sandbox.run('/say', { text: 'x' });
  const messages = await answer.until((shown) => shown.length === 2);

  const { id } = bot.sandbox.team.member.user;
  expect(messages.map(({ pings }) => pings)).toEqual([
    { users: [id], roles: [], everyone: true },
    { users: [], roles: [], everyone: false },
  ]);
});

test('every REST request is kept with its times, body and files', async () => {
  await using bot = await logIn(
    onSay((interaction) =>
      interaction.reply({ content: 'x', files: [{ attachment: Buffer.alloc(9), name: 'a.bin' }] }),
    ),
  );
  const begun: string[] = [];
  bot.sandbox.events.on('request', ({ path }) => begun.push(path));

  const answer = await bot.sandbox.run('/say', { text: 'x' });

  const request = bot.sandbox.requests.at(-1);
  expect(request).toMatchObject({
    method: 'POST',
    body: { type: 4, data: { content: 'x' } },
    files: [{ field: 'files[0]', name: 'a.bin', size: 9 }],
  });
  expect(request?.path).toContain(`/interactions/${answer.interaction.id}/`);
  expect(begun).toEqual([request?.path]);
});
