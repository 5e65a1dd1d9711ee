import { existsSync, readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { type LoggedIn, logIn, oggOpus, onSay } from './bot.ts';

/** Discord's published description of its HTTP API v10; it stands beside the checkout, not in it. */
const DESCRIPTION = new URL('../../../../shared/data/discord-openapi.json', import.meta.url);

/** Checks an answer by the description: `pointer` leads to its schema. */
function createCheck(): (pointer: string[], body: unknown) => string[] {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
  ajv.addSchema(JSON.parse(readFileSync(DESCRIPTION, 'utf8')), 'discord');
  return (pointer, body) => {
    const path = pointer.map((part) => encodeURIComponent(part.replaceAll('/', '~1'))).join('/');
    const validate = ajv.compile({ $ref: `discord#/${path}` });
    if (validate(body)) return [];
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  };
}

async function ask(bot: LoggedIn, method: string, path: string, body?: object) {
  const response = await fetch(`${bot.sandbox.apiUrl}/v10${path}`, {
    method,
    headers: {
      authorization: `Bot ${bot.sandbox.token}`,
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

describe.skipIf(!existsSync(DESCRIPTION))("answers fit Discord's own description", async () => {
  const check = existsSync(DESCRIPTION) ? createCheck() : () => [];

  test.each([
    ['GET', '/gateway/bot'],
    ['GET', '/users/@me'],
    ['GET', '/applications/@me'],
    ['GET', '/applications/{application_id}/commands'],
    ['POST', '/applications/{application_id}/commands', { name: 'x', description: 'x' }],
    ['GET', '/channels/{channel_id}'],
    ['POST', '/channels/{channel_id}/messages', { content: 'x', embeds: [{ title: 'x' }] }],
    ['GET', '/channels/{channel_id}/messages'],
    ['GET', '/guilds/{guild_id}'],
    ['GET', '/guilds/{guild_id}/channels'],
    ['GET', '/guilds/{guild_id}/roles'],
    ['GET', '/guilds/{guild_id}/members'],
    ['GET', '/guilds/{guild_id}/members/{user_id}'],
    ['GET', '/users/{user_id}'],
  ])('%s %s', async (method, template, given?: object) => {
    await using bot = await logIn();
    const { application, team } = bot.sandbox;
    bot.sandbox.post('hello');
    const path = template
      .replace('{application_id}', application.id)
      .replace('{channel_id}', team.text[0].id)
      .replace('{guild_id}', team.guild.id)
      .replace('{user_id}', team.member.user.id);

    const { status, body } = await ask(bot, method, path, given);

    const responses = ['paths', template, method.toLowerCase(), 'responses'];
    const schema = [...responses, String(status), 'content', 'application/json', 'schema'];
    expect(check(schema, body)).toEqual([]);
  });

  test('messages of an interaction, and errors', async () => {
    const seen: unknown[] = [];
    await using bot = await logIn(
      onSay(async (interaction) => {
        await interaction.deferReply();
        const path = `/webhooks/${interaction.applicationId}/${interaction.token}/messages/@original`;
        seen.push((await ask(bot, 'GET', path)).body);
        await interaction.editReply({ files: [{ attachment: oggOpus(), name: 'a.ogg' }] });
        seen.push((await ask(bot, 'GET', path)).body);
      }),
    );
    await bot.sandbox.run('/say', { text: 'x' });
    await expect.poll(() => seen.length).toBe(2);
    for (const message of seen) {
      expect(check(['components', 'schemas', 'MessageResponse'], message)).toEqual([]);
    }
    const error = await ask(bot, 'GET', '/channels/100000000000000000');
    expect(check(['components', 'schemas', 'ErrorResponse'], error.body)).toEqual([]);
  });
});
