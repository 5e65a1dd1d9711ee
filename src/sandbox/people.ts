import {
  type APIMessage,
  ApplicationCommandType,
  ButtonStyle,
  ComponentType,
  GatewayDispatchEvents,
  InteractionType,
  type Locale,
  PermissionFlagsBits,
} from 'discord-api-types/v10';
import { answerOf, type SandboxAnswer } from './answer.ts';
import type { RegisteredCommand } from './commands.ts';
import type { ComponentNode } from './component-schema.ts';
import { fillModal, usableComponent } from './component-use.ts';
import { NoResponse, SandboxRefusal } from './errors.ts';
import { commandData, interactionData } from './interaction-data.ts';
import type { Choice, Interaction, InteractionOrigin } from './interactions.ts';
import type { StoredMessage } from './messages.ts';
import { type OptionContext, type OptionValues, type PersonsFile, sendOptions } from './options.ts';
import { channelPermissions, guildPermissions, hasPermission } from './permissions.ts';
import type { RestContext } from './rest/context.ts';
import { type ShownMessage, showMessage } from './shown.ts';
import { waitFor } from './wait.ts';
import type { Channel, Guild, Member } from './world.ts';

/** Who acts, and where. */
export interface Place {
  member: Member;
  channel: Channel;
  /** Language of the person's client, instead of the member's own. */
  locale?: Locale | undefined;
}

/** Milliseconds that a person waits. */
export interface Patience {
  /** For the first answer. */
  answerWithin: number;
  /** For the answer to come after "is thinking". */
  finishWithin: number;
}

/** What people do with the bot, within what Discord's client lets them do. */
export class People {
  readonly #context: RestContext;
  readonly #patience: Patience;
  readonly #signal: AbortSignal;

  /** @param signal - ends every wait, when the sandbox closes */
  constructor(context: RestContext, patience: Patience, signal: AbortSignal) {
    this.#context = context;
    this.#patience = patience;
    this.#signal = signal;
  }

  /**
   * Types a slash command.
   *
   * @param line - the command with its group and subcommand: `/voice list`
   * @param unchecked - send also what Discord's client would hold back
   * @throws SandboxRefusal when the client would not send it; NoResponse when no answer comes
   */
  async run(
    line: string,
    values: OptionValues,
    place: Place,
    unchecked = false,
  ): Promise<SandboxAnswer> {
    const { command, path } = this.#command(line, place);
    const sent = sendOptions(command, path, values, { ...this.#optionContext(place), unchecked });
    const interaction = this.#open(place, {
      type: InteractionType.ApplicationCommand,
      name: line.slice(1),
    });
    this.#send(interaction, place, {
      data: { ...commandData(command), ...sent },
    });
    return this.#finished(interaction);
  }

  /** Types in an option that completes itself. @returns the choices that the bot offers */
  async autocomplete(
    line: string,
    values: OptionValues,
    focused: string,
    place: Place,
  ): Promise<Choice[]> {
    const { command, path } = this.#command(line, place);
    const context = { ...this.#optionContext(place), focused };
    const sent = sendOptions(command, path, { [focused]: '', ...values }, context);
    const interaction = this.#open(place, { type: InteractionType.ApplicationCommandAutocomplete });
    this.#send(interaction, place, { data: { ...commandData(command), ...sent } });
    return waitFor(interaction.events, () => interaction.choices, {
      timeout: this.#patience.answerWithin,
      late: () => new NoResponse('Loading options failed'),
      signal: this.#signal,
    });
  }

  /** Presses a button. */
  async click(message: StoredMessage, customId: string, place: Place): Promise<SandboxAnswer> {
    const button = usableComponent(message, customId, place.member);
    if (button.type !== ComponentType.Button) {
      throw new SandboxRefusal(`"${customId}" is not a button.`);
    }
    if ('style' in button && button.style === ButtonStyle.Link) {
      throw new SandboxRefusal('A link does not reach the bot.');
    }
    return this.#useComponent(message, place, { custom_id: customId, component_type: button.type });
  }

  /** Chooses in a menu of texts. */
  async select(
    message: StoredMessage,
    customId: string,
    values: readonly string[],
    place: Place,
  ): Promise<SandboxAnswer> {
    const menu = usableComponent(message, customId, place.member) as ComponentNode & {
      options?: { value: string }[];
      min_values?: number;
      max_values?: number;
    };
    if (menu.type !== ComponentType.StringSelect) {
      throw new SandboxRefusal(`"${customId}" is not a menu of texts.`);
    }
    const unknown = values.find((value) => !menu.options?.some((option) => option.value === value));
    if (unknown !== undefined) throw new SandboxRefusal(`The menu does not offer "${unknown}".`);
    if (values.length < (menu.min_values ?? 1) || values.length > (menu.max_values ?? 1)) {
      throw new SandboxRefusal(`The menu does not take ${values.length} choices.`);
    }
    const data = { custom_id: customId, component_type: menu.type, values };
    return this.#useComponent(message, place, data);
  }

  /** Fills in and sends the modal that an answer showed. */
  async submitModal(
    answer: SandboxAnswer,
    values: Record<string, string>,
    place: Place,
  ): Promise<SandboxAnswer> {
    const { modal } = answer;
    if (!modal) throw new SandboxRefusal('The answer shows no modal.');
    const data = { custom_id: modal.custom_id, components: fillModal(modal, values) };
    const interaction = this.#open(place, {
      type: InteractionType.ModalSubmit,
      opener: answer.interaction,
      source: answer.interaction.source,
    });
    this.#send(interaction, place, { data });
    return this.#finished(interaction);
  }

  /**
   * Writes a message.
   *
   * @param rest - what it carries beside its text: a reply, stickers, a poll, flags
   * @throws SandboxRefusal, ApiRefusal when it cannot be posted
   */
  post(
    content: string,
    files: readonly PersonsFile[],
    place: Place,
    rest: Partial<APIMessage> = {},
  ): ShownMessage {
    const { member, channel } = place;
    const permissions = channelPermissions(this.#guild(place), member, channel);
    const wanted = PermissionFlagsBits.ViewChannel | PermissionFlagsBits.SendMessages;
    if (!hasPermission(permissions, wanted)) {
      throw new SandboxRefusal(`This member may not write in #${channel.name}.`);
    }
    const uploads = files.map(({ name, contentType, data }, index) => ({
      field: `files[${index}]`,
      name,
      contentType,
      data: Buffer.from(data),
    }));
    return showMessage(
      this.#context.messages.create({
        channel,
        author: member.user,
        payload: { content, flags: rest.flags ?? 0 },
        uploads,
        extra: rest,
      }),
    );
  }

  /** Changes the text of an own message. */
  edit(message: StoredMessage, content: string): ShownMessage {
    return showMessage(this.#context.messages.edit(message, { content }, []));
  }

  /** Deletes an own message. */
  remove(message: StoredMessage): void {
    this.#context.messages.remove(message);
  }

  /** Finds the command that a line names, as the client's list of commands does. */
  #command(line: string, place: Place): { command: RegisteredCommand; path: string[] } {
    const [name = '', ...path] = line.replace(/^\//u, '').split(/\s+/u);
    const guild = this.#guild(place);
    const command = this.#context.commands.find(name, ApplicationCommandType.ChatInput, guild.id);
    if (!command) throw new SandboxRefusal(`There is no command /${name}.`);

    const permissions = channelPermissions(guild, place.member, place.channel);
    const wanted = PermissionFlagsBits.ViewChannel | PermissionFlagsBits.UseApplicationCommands;
    if (!hasPermission(permissions, wanted)) {
      throw new SandboxRefusal(`This member may not use commands in #${place.channel.name}.`);
    }
    const needed = command.default_member_permissions;
    // "0" shows a command to nobody but administrators.
    const wantedInGuild = needed === '0' ? PermissionFlagsBits.Administrator : BigInt(needed ?? 0);
    if (!hasPermission(guildPermissions(guild, place.member), wantedInGuild)) {
      throw new SandboxRefusal(`This member is not shown /${name}.`);
    }
    return { command, path };
  }

  #useComponent(message: StoredMessage, place: Place, data: object): Promise<SandboxAnswer> {
    const interaction = this.#open(place, {
      type: InteractionType.MessageComponent,
      source: message,
    });
    this.#send(interaction, place, { data, message: message.data });
    return this.#finished(interaction);
  }

  #open(
    { member, channel }: Place,
    origin: Omit<InteractionOrigin, 'member' | 'channel'>,
  ): Interaction {
    return this.#context.interactions.open({ member, channel, ...origin });
  }

  /** Tells the bot what the person did. */
  #send(interaction: Interaction, place: Place, rest: object): void {
    const data = interactionData(this.#context, interaction, place.locale);
    this.#context.dispatch(GatewayDispatchEvents.InteractionCreate, { ...data, ...rest });
  }

  async #finished(interaction: Interaction): Promise<SandboxAnswer> {
    const { answerWithin, finishWithin } = this.#patience;
    const signal = this.#signal;
    const state = () => interaction.state;
    await waitFor(interaction.events, () => (state() === 'awaited' ? undefined : state()), {
      timeout: answerWithin,
      late: () => new NoResponse('The application did not respond'),
      signal,
    });
    await waitFor(interaction.events, () => (state() === 'answered' ? state() : undefined), {
      timeout: finishWithin,
      late: () => new NoResponse(`The application did not finish within ${finishWithin} ms`),
      signal,
    });
    return answerOf(interaction, { timeout: finishWithin, signal });
  }

  #guild({ channel }: Place): Guild {
    return this.#context.world.guild(channel.guildId);
  }

  #optionContext(place: Place): OptionContext {
    return {
      guild: this.#guild(place),
      attach: (upload) => this.#context.attachments.add(upload, 'ephemeral'),
    };
  }
}
