import type { AllowedMentions } from './message-schema.ts';
import type { Guild } from './world.ts';

/** Who a message pings. */
export interface Pings {
  users: string[];
  roles: string[];
  everyone: boolean;
}

function mentioned(content: string, pattern: RegExp): string[] {
  return [...new Set([...content.matchAll(pattern)].flatMap((match) => match[1] ?? []))];
}

/** Whom the mentions in a text ping, within what `allowed_mentions` lets through. */
export function pingsOf(
  guild: Guild,
  content: string,
  allowed: AllowedMentions | null | undefined,
): Pings {
  const parse = new Set(allowed ? (allowed.parse ?? []) : ['users', 'roles', 'everyone']);
  const lets = (kind: 'users' | 'roles', id: string) =>
    parse.has(kind) || (allowed?.[kind]?.includes(id) ?? false);
  return {
    users: mentioned(content, /<@!?(\d+)>/gu).filter(
      (id) => guild.members.has(id) && lets('users', id),
    ),
    roles: mentioned(content, /<@&(\d+)>/gu).filter(
      (id) => guild.roles.has(id) && lets('roles', id),
    ),
    everyone: parse.has('everyone') && /@(?:everyone|here)\b/u.test(content),
  };
}
