import {
  type APIAttachment,
  type APIInteractionDataResolved,
  ApplicationCommandOptionType as Type,
} from 'discord-api-types/v10';
import type { Upload } from './attachments.ts';
import type { CommandOption, ValueOption } from './command-schema.ts';
import type { RegisteredCommand } from './commands.ts';
import { SandboxRefusal } from './errors.ts';
import { channelData, memberData } from './serialize.ts';
import type { Channel, Guild, Member } from './world.ts';

/** A file that a person attaches. */
export interface PersonsFile {
  name: string;
  data: Uint8Array;
  contentType: string;
}

/** What a person gives for an option: text, number, yes or no, somebody, a channel, a role's id, a file. */
export type OptionValue = string | number | boolean | Member | Channel | PersonsFile;

/** Values by the name of their option; undefined ones are not given. */
export type OptionValues = Record<string, OptionValue | undefined>;

export interface SentOption {
  name: string;
  type: number;
  value?: string | number | boolean;
  focused?: true;
  options?: SentOption[];
}

/** Options and what their ids stand for; left out where there are none, as Discord does. */
export interface SentOptions {
  options?: SentOption[];
  resolved?: APIInteractionDataResolved;
}

export interface OptionContext {
  guild: Guild;
  /** Keeps a person's file until the bot fetches it. */
  attach: (upload: Upload) => APIAttachment;
  /** Name of the option that is being completed: nothing is required yet. */
  focused?: string;
  /** Send what is given although Discord's client would not. */
  unchecked?: boolean;
}

function refuse(name: string, problem: string): never {
  throw new SandboxRefusal(`Option "${name}" ${problem}.`);
}

function checkText(option: ValueOption & { type: Type.String }, value: string): void {
  const length = [...value].length;
  const minimum = option.min_length ?? 1;
  const maximum = option.max_length ?? 6000;
  if (length < minimum)
    refuse(option.name, `has ${length} characters, at least ${minimum} are needed`);
  if (length > maximum)
    refuse(option.name, `has ${length} characters, at most ${maximum} are allowed`);
}

function checkNumber(
  option: ValueOption & { type: Type.Integer | Type.Number },
  value: number,
): void {
  if (option.type === Type.Integer && !Number.isSafeInteger(value)) {
    refuse(option.name, 'takes a whole number');
  }
  const { min_value: minimum, max_value: maximum } = option;
  if (minimum !== undefined && value < minimum) refuse(option.name, `must be at least ${minimum}`);
  if (maximum !== undefined && value > maximum) refuse(option.name, `must be at most ${maximum}`);
}

/** Holds a plain value to what its option allows, as Discord's client does. */
function checkPlain(option: ValueOption, value: OptionValue, focused: boolean): void {
  const expected =
    option.type === Type.String ? 'string' : option.type === Type.Boolean ? 'boolean' : 'number';
  if (focused) return;
  if (typeof value !== expected) refuse(option.name, `takes a ${expected}`);
  if (option.type === Type.String) checkText(option, String(value));
  if (option.type === Type.Integer || option.type === Type.Number) {
    checkNumber(option, Number(value));
  }
  if (!('choices' in option) || !option.choices?.length || option.autocomplete) return;
  if (option.choices.some((choice) => choice.value === value)) return;
  refuse(option.name, `takes one of: ${option.choices.map((choice) => choice.value).join(', ')}`);
}

function idOf(option: ValueOption, value: OptionValue): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'object' && 'user' in value) return value.user.id;
  if (typeof value === 'object' && 'id' in value) return value.id;
  return refuse(option.name, 'takes a person, a channel or a role');
}

function resolveId(
  option: ValueOption,
  id: string,
  { guild }: OptionContext,
  resolved: APIInteractionDataResolved,
): void {
  const member = guild.members.get(id);
  const role = guild.roles.get(id);
  const channel = guild.channels.get(id);
  if (member && (option.type === Type.User || option.type === Type.Mentionable)) {
    const { user, deaf: _deaf, mute: _mute, ...data } = memberData(member);
    resolved.users = { ...resolved.users, [id]: user };
    resolved.members = { ...resolved.members, [id]: { ...data, permissions: '0' } };
  } else if (role && (option.type === Type.Role || option.type === Type.Mentionable)) {
    resolved.roles = { ...resolved.roles, [id]: role };
  } else if (channel && option.type === Type.Channel) {
    const types = option.channel_types;
    if (types && !types.includes(channel.type)) {
      refuse(option.name, 'does not take a channel of this type');
    }
    resolved.channels = {
      ...resolved.channels,
      [id]: { ...channelData(channel), permissions: '0' },
    } as NonNullable<APIInteractionDataResolved['channels']>;
  } else {
    refuse(option.name, 'names nobody and nothing in this guild');
  }
}

function sendOption(
  option: ValueOption,
  value: OptionValue,
  context: OptionContext,
  resolved: APIInteractionDataResolved,
): SentOption {
  const focused = context.focused === option.name;
  const sent = { name: option.name, type: option.type, ...(focused && ({ focused } as const)) };
  switch (option.type) {
    case Type.String:
    case Type.Integer:
    case Type.Number:
    case Type.Boolean: {
      if (!context.unchecked) checkPlain(option, value, focused);
      if (typeof value === 'object') refuse(option.name, 'takes a plain value');
      return { ...sent, value };
    }
    case Type.Attachment: {
      if (typeof value !== 'object' || !('data' in value)) refuse(option.name, 'takes a file');
      const { name, data, contentType } = value;
      const file = context.attach({ field: '', name, contentType, data: Buffer.from(data) });
      resolved.attachments = { ...resolved.attachments, [file.id]: file };
      return { ...sent, value: file.id };
    }
    default: {
      const id = idOf(option, value);
      resolveId(option, id, context, resolved);
      return { ...sent, value: id };
    }
  }
}

function sendValues(
  options: readonly ValueOption[],
  values: OptionValues,
  context: OptionContext,
  resolved: APIInteractionDataResolved,
): SentOption[] {
  for (const option of options) {
    if (!option.required || context.focused !== undefined || context.unchecked) continue;
    if (values[option.name] === undefined) refuse(option.name, 'is required');
  }
  return Object.entries(values).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const option = options.find((candidate) => candidate.name === name);
    if (!option) return refuse(name, 'does not exist in this command');
    return [sendOption(option, value, context, resolved)];
  });
}

function isBranch(option: CommandOption): option is CommandOption & {
  type: Type.Subcommand | Type.SubcommandGroup;
} {
  return option.type === Type.Subcommand || option.type === Type.SubcommandGroup;
}

/**
 * What Discord sends of a slash command that a person typed.
 *
 * @param path - names of group and subcommand, where the command has them
 * @throws SandboxRefusal when Discord's client would not let it be sent
 */
export function sendOptions(
  command: RegisteredCommand,
  path: readonly string[],
  values: OptionValues,
  context: OptionContext,
): SentOptions {
  const resolved: APIInteractionDataResolved = {};
  const descend = (options: readonly CommandOption[], rest: readonly string[]): SentOption[] => {
    const [name, ...deeper] = rest;
    const branches = options.filter(isBranch);
    if (name === undefined) {
      if (branches.length > 0) throw new SandboxRefusal(`/${command.name} needs a subcommand.`);
      return sendValues(options as readonly ValueOption[], values, context, resolved);
    }
    const branch = branches.find((candidate) => candidate.name === name);
    if (!branch) throw new SandboxRefusal(`/${command.name} has no subcommand "${name}".`);
    return [{ name, type: branch.type, options: descend(branch.options ?? [], deeper) }];
  };
  const options = descend('options' in command ? (command.options ?? []) : [], path);
  return {
    ...(options.length > 0 && { options }),
    ...(Object.keys(resolved).length > 0 && { resolved }),
  };
}
