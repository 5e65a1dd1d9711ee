import { expect, test } from 'vitest';
import { startSandbox } from '../../../src/sandbox/sandbox.ts';
import { logIn, SAY } from './bot.ts';

test('a member types a command and sees the reply of a real discord.js bot', async () => {
  await using sandbox = await startSandbox();
  await using client = await logIn(sandbox, async (interaction) => {
    if (!interaction.isChatInputCommand()) return;
    await interaction.reply(`You said: ${interaction.options.getString('text')}`);
  });
  await client.application.commands.set([SAY]);
  await sandbox.ready();

  const answer = await sandbox.run('/say', { text: '안녕, 여러분 👋' });

  expect(answer.messages).toMatchObject([
    { content: 'You said: 안녕, 여러분 👋', ephemeral: false },
  ]);
  expect(sandbox.messages()).toEqual(answer.messages);
});
