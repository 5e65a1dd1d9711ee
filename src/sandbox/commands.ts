import { ApplicationCommandType } from 'discord-api-types/v10';
import { z } from 'zod';
import { CommandPayload } from './command-schema.ts';
import { fieldRefusal, refusal } from './errors.ts';
import { check } from './validate.ts';

/** A command as Discord keeps it and lists it. */
export type RegisteredCommand = CommandPayload & {
  id: string;
  application_id: string;
  version: string;
  description: string;
  guild_id?: string;
};

const MAX_COMMANDS: Record<number, number> = {
  [ApplicationCommandType.ChatInput]: 100,
  [ApplicationCommandType.User]: 15,
  [ApplicationCommandType.Message]: 15,
};

function sameCommand(a: CommandPayload, b: CommandPayload): boolean {
  return a.name === b.name && a.type === b.type;
}

/** The commands of the application: global ones, and those of single guilds. */
export class Commands {
  readonly #nextId: () => string;
  readonly #applicationId: string;
  /** By guild; `undefined` holds the global ones. */
  readonly #scopes = new Map<string | undefined, RegisteredCommand[]>();
  readonly #changed: () => void;

  constructor(options: { nextId: () => string; applicationId: string; changed: () => void }) {
    this.#nextId = options.nextId;
    this.#applicationId = options.applicationId;
    this.#changed = options.changed;
  }

  list(guildId?: string): RegisteredCommand[] {
    return this.#scopes.get(guildId) ?? [];
  }

  get(id: string, guildId?: string): RegisteredCommand {
    const command = this.list(guildId).find((candidate) => candidate.id === id);
    if (!command) throw refusal(10063);
    return command;
  }

  /** The command that a person in a guild means by a name: the guild's own goes before a global one. */
  find(name: string, type: ApplicationCommandType, guildId: string): RegisteredCommand | undefined {
    return [...this.list(guildId), ...this.list()].find(
      (command) => command.name === name && command.type === type,
    );
  }

  /** Puts a list in the place of all commands. Those that were there under the same name keep their id. */
  replaceAll(given: unknown, guildId?: string): RegisteredCommand[] {
    const payloads = check(z.array(CommandPayload), given);
    for (const [index, payload] of payloads.entries()) {
      if (payloads.findIndex((other) => sameCommand(other, payload)) === index) continue;
      const message = 'Application command names must be unique';
      throw fieldRefusal([index, 'name'], 'APPLICATION_COMMANDS_DUPLICATE_NAME', message);
    }
    const before = this.list(guildId);
    return this.#keep(
      payloads.map((payload) => this.#register(payload, before, guildId)),
      guildId,
    );
  }

  /** Adds a command, or puts it in the place of the one with the same name and type. */
  upsert(given: unknown, guildId?: string): { command: RegisteredCommand; isNew: boolean } {
    const payload = check(CommandPayload, given);
    const before = this.list(guildId);
    const command = this.#register(payload, before, guildId);
    const others = before.filter((other) => !sameCommand(other, payload));
    this.#keep([...others, command], guildId);
    return { command, isNew: others.length === before.length };
  }

  edit(id: string, given: unknown, guildId?: string): RegisteredCommand {
    const before = this.get(id, guildId);
    const changes = check(z.record(z.string(), z.unknown()), given);
    const payload = check(CommandPayload, { ...before, ...changes, type: before.type });
    const command = { ...this.#register(payload, [], guildId), id };
    const commands = this.list(guildId).map((other) => (other.id === id ? command : other));
    this.#keep(commands, guildId);
    return command;
  }

  remove(id: string, guildId?: string): void {
    const command = this.get(id, guildId);
    this.#keep(
      this.list(guildId).filter((other) => other !== command),
      guildId,
    );
  }

  #keep(commands: RegisteredCommand[], guildId: string | undefined): RegisteredCommand[] {
    for (const [type, maximum] of Object.entries(MAX_COMMANDS)) {
      const count = commands.filter((command) => command.type === Number(type)).length;
      if (count > maximum) throw refusal(30032);
    }
    this.#scopes.set(guildId, commands);
    this.#changed();
    return commands;
  }

  #register(
    payload: CommandPayload,
    before: readonly RegisteredCommand[],
    guildId: string | undefined,
  ): RegisteredCommand {
    const command: RegisteredCommand = {
      ...payload,
      id: before.find((other) => sameCommand(other, payload))?.id ?? this.#nextId(),
      application_id: this.#applicationId,
      version: this.#nextId(),
      description: payload.description ?? '',
      default_member_permissions: payload.default_member_permissions ?? null,
      nsfw: payload.nsfw ?? false,
    };
    if (guildId !== undefined) return { ...command, guild_id: guildId };
    return {
      ...command,
      dm_permission: payload.dm_permission ?? true,
      contexts: payload.contexts ?? null,
      integration_types: payload.integration_types ?? [0],
    };
  }
}
