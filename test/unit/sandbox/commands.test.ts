import { Routes } from 'discord.js';
import { expect, test } from 'vitest';
import { logIn, onSay, SAY } from './bot.ts';

const text = (name: string, more: object = {}) => ({
  type: 3,
  name,
  description: 'x',
  ...more,
});

function say(more: object): object {
  return { name: 'say', description: 'x', ...more };
}

test('registering the same command again keeps its id', async () => {
  await using bot = await logIn();
  const [before] = bot.sandbox.commands;

  await bot.client.application.commands.set([{ ...SAY, description: 'Changed' }]);

  expect(bot.sandbox.commands).toMatchObject([{ id: before?.id, description: 'Changed' }]);
  expect(bot.sandbox.commands[0]?.version).not.toBe(before?.version);
});

test('commands are created, changed, listed and deleted one by one', async () => {
  await using bot = await logIn();
  const { commands } = bot.client.application;

  const created = await commands.create({ name: '목소리', description: 'x' });
  await commands.edit(created.id, { description: 'y' });

  const all = await commands.fetch();
  expect(all.map(({ name, description }) => [name, description])).toEqual([
    ['say', 'Says a text'],
    ['목소리', 'y'],
  ]);
  await commands.delete(created.id);
  await expect(commands.fetch(created.id)).rejects.toMatchObject({ code: 10063, status: 404 });
});

test("a guild's own command goes before a global one of the same name", async () => {
  await using bot = await logIn(
    onSay((interaction) => interaction.reply(`${interaction.commandGuildId}`)),
  );
  const { guild } = bot.sandbox.team;
  await bot.client.application.commands.set([{ name: 'say', description: 'x' }], guild.id);

  const answer = await bot.sandbox.run('/say');

  expect(answer.messages).toMatchObject([{ content: guild.id }]);
});

test('a subcommand is typed with its group', async () => {
  await using bot = await logIn(
    onSay((interaction) => {
      const { options } = interaction;
      const path = [options.getSubcommandGroup(), options.getSubcommand()];
      return interaction.reply([...path, options.getString('name')].join(' '));
    }),
  );
  const set = { type: 1, name: 'set', description: 'x', options: [text('name')] };
  const group = { type: 2, name: 'voice', description: 'x', options: [set] };
  await bot.client.rest.put(Routes.applicationCommands(bot.client.application.id), {
    body: [say({ options: [group] })],
  });

  const answer = await bot.sandbox.run('/say voice set', { name: 'aria' });

  expect(answer.messages).toMatchObject([{ content: 'voice set aria' }]);
  await expect(bot.sandbox.run('/say voice')).rejects.toThrow('needs a subcommand');
  await expect(bot.sandbox.run('/say voice drop')).rejects.toThrow('no subcommand "drop"');
});

test('a command for administrators is not shown to members', async () => {
  await using bot = await logIn(onSay((interaction) => interaction.reply('ok')));
  const { team } = bot.sandbox;
  await bot.client.application.commands.set([
    { name: 'say', description: 'x', defaultMemberPermissions: 'Administrator' },
  ]);

  await expect(bot.sandbox.run('/say')).rejects.toThrow('not shown /say');
  const answer = await bot.sandbox.run('/say', {}, { as: team.administrator });
  expect(answer.messages).toMatchObject([{ content: 'ok' }]);
});

test.each([
  ['a name in capitals', say({ name: 'Say' }), 'name', 'APPLICATION_COMMAND_INVALID_NAME'],
  ['a name with a space', say({ name: 's ay' }), 'name', 'APPLICATION_COMMAND_INVALID_NAME'],
  ['a name of 33 letters', say({ name: 'x'.repeat(33) }), 'name', 'BASE_TYPE_BAD_LENGTH'],
  ['no description', { name: 'say' }, 'description', 'BASE_TYPE_REQUIRED'],
  [
    'a description of 101 letters',
    say({ description: 'x'.repeat(101) }),
    'description',
    'BASE_TYPE_BAD_LENGTH',
  ],
  [
    '26 options',
    say({ options: Array.from({ length: 26 }, (_, i) => text(`o${i}`)) }),
    'options',
    'BASE_TYPE_MAX_LENGTH',
  ],
  [
    'an unknown language',
    say({ name_localizations: { xx: 'x' } }),
    'name_localizations.xx',
    'BASE_TYPE_CHOICES',
  ],
  [
    '26 choices',
    say({
      options: [
        text('a', {
          choices: Array.from({ length: 26 }, (_, i) => ({ name: `${i}`, value: `${i}` })),
        }),
      ],
    }),
    'options.0.choices',
    'BASE_TYPE_MAX_LENGTH',
  ],
  [
    'a required option after another',
    say({ options: [text('a'), text('b', { required: true })] }),
    'options.1',
    'APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID',
  ],
  [
    'an option twice',
    say({ options: [text('a'), text('a')] }),
    'options.1',
    'APPLICATION_COMMAND_OPTION_NAME_ALREADY_EXISTS',
  ],
  [
    'max_length of 6001',
    say({ options: [text('a', { max_length: 6001 })] }),
    'options.0.max_length',
    'NUMBER_TYPE_MAX',
  ],
  [
    'more than 8,000 letters',
    say({
      options: Array.from({ length: 25 }, (_, i) =>
        text(`o${i}`, {
          choices: Array.from({ length: 4 }, (_c, j) => ({
            name: `${j}`.padEnd(100),
            value: `${j}`,
          })),
        }),
      ),
    }),
    '',
    'APPLICATION_COMMAND_TOO_LARGE',
  ],
])('%s: refused, and the commands stay as they were', async (_name, command, path, code) => {
  await using bot = await logIn();
  const put = bot.client.rest.put(Routes.applicationCommands(bot.client.application.id), {
    body: [command],
  });

  const error = await put.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );

  expect(error).toMatchObject({ code: 50035, status: 400 });
  const { errors } = (error as { rawError: { errors: unknown } }).rawError;
  const at = ['0', ...path.split('.').filter(Boolean), '_errors', '0'];
  expect(errors).toHaveProperty(at, expect.objectContaining({ code }));
  expect(bot.sandbox.commands).toHaveLength(1);
});

test('two commands of one name, and 101 commands, are refused', async () => {
  await using bot = await logIn();
  const { commands } = bot.client.application;
  const named = (name: string) => ({ name, description: 'x' });

  await expect(commands.set([named('a'), named('a')])).rejects.toMatchObject({ code: 50035 });
  const many = Array.from({ length: 101 }, (_, i) => named(`c${i}`));
  await expect(commands.set(many)).rejects.toMatchObject({ code: 30032 });
});

test("another application's commands cannot be touched", async () => {
  await using bot = await logIn();
  const other = bot.client.rest.get(Routes.applicationCommands('100000000000000000'));
  await expect(other).rejects.toMatchObject({ code: 20012, status: 403 });
});
