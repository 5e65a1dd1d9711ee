import { isDeepStrictEqual } from 'node:util';
import {
  ApplicationCommandType,
  type REST,
  type RESTGetAPIApplicationCommandsResult,
  Routes,
} from 'discord.js';
import type { Command } from './command.ts';

/** What of a registered command is ours; the rest (ids, versions, deprecated fields) is Discord's. */
const OWN_FIELDS = [
  'name',
  'name_localizations',
  'description',
  'description_localizations',
  'options',
  'default_member_permissions',
  'contexts',
  'integration_types',
] as const;

/**
 * Registers all commands in one request, if what Discord has differs from what they are now.
 *
 * @returns whether anything was sent
 */
export async function registerCommands(
  rest: REST,
  applicationId: string,
  commands: readonly Command[],
): Promise<boolean> {
  const route = Routes.applicationCommands(applicationId);
  const registered = (await rest.get(route, {
    query: new URLSearchParams({ with_localizations: 'true' }),
  })) as RESTGetAPIApplicationCommandsResult;
  if (isDeepStrictEqual(byName(registered), byName(commands.map(({ data }) => data)))) return false;
  await rest.put(route, { body: registrationPayload(commands) });
  return true;
}

/**
 * The commands as Discord takes them: its published description has permissions as a number in a
 * request, and as text in an answer.
 */
export function registrationPayload(commands: readonly Command[]): object[] {
  return commands.map(({ data: { default_member_permissions: needed, ...data } }) => ({
    ...data,
    ...(needed != null && { default_member_permissions: Number(needed) }),
  }));
}

type Registrable = { type?: ApplicationCommandType; name: string };

function byName(commands: readonly Registrable[]): unknown {
  return Object.fromEntries(
    commands.map((command) => {
      const fields: Partial<Record<string, unknown>> = command;
      const { type = ApplicationCommandType.ChatInput, name } = command;
      return [
        `${type} ${name}`,
        withoutDefaults(Object.fromEntries(OWN_FIELDS.map((field) => [field, fields[field]]))),
      ];
    }),
  );
}

/** Discord fills in or leaves out fields at their default; neither is a difference. */
function withoutDefaults(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDefaults);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, field]) => field !== undefined && field !== null && field !== false)
      .map(([name, field]) => [name, withoutDefaults(field)]),
  );
}
