import {
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
import { type ComponentNode, walkComponents } from './component-schema.ts';
import { NoResponse, SandboxRefusal } from './errors.ts';
import type { Choice, Interaction } from './interactions.ts';
import type { StoredMessage } from './messages.ts';
import { type OptionContext, type OptionValues, type PersonsFile, sendOptions } from './options.ts';
import { channelPermissions, guildPermissions, hasPermission } from './permissions.ts';
import type { RestContext } from './rest/context.ts';
import { channelData, memberData } from './serialize.ts';
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
    const interaction = this.#open(place, InteractionType.ApplicationCommand, line.slice(1));
    this.#send(interaction, place, {
      data: { ...commandData(command), ...withoutEmpty(sent) },
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
    const type = InteractionType.ApplicationCommandAutocomplete;
    const interaction = this.#open(place, type, line.slice(1));
    this.#send(interaction, place, { data: { ...commandData(command), ...withoutEmpty(sent) } });
    return waitFor(interaction.events, () => interaction.choices, {
      timeout: this.#patience.answerWithin,
      late: () => new NoResponse('Loading options failed'),
      signal: this.#signal,
    });
  }

  /** Presses a button. */
  async click(message: StoredMessage, customId: string, place: Place): Promise<SandboxAnswer> {
    const button = this.#component(message, customId, place);
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
    const menu = this.#component(message, customId, place) as ComponentNode & {
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
    const shown = modal.components as unknown as ComponentNode[];
    const fill = (component: ComponentNode): object => {
      const { type, custom_id: id, components, component: inner } = component;
      if (id !== undefined) return { type, custom_id: id, value: values[id] ?? '' };
      return {
        type,
        ...(components && { components: components.map(fill) }),
        ...(inner && { component: fill(inner) }),
      };
    };
    const ids = [...walkComponents(shown)].map((component) => component.custom_id);
    const unknown = Object.keys(values).find((id) => !ids.includes(id));
    if (unknown !== undefined) throw new SandboxRefusal(`The modal has no field "${unknown}".`);
    const interaction = this.#open(place, InteractionType.ModalSubmit);
    const data = { custom_id: modal.custom_id, components: shown.map(fill) };
    this.#send(interaction, place, { data });
    return this.#finished(interaction);
  }

  /** Writes a message. @throws SandboxRefusal, ApiRefusal when it cannot be posted */
  post(content: string, files: readonly PersonsFile[], place: Place): ShownMessage {
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
        payload: { content },
        uploads,
      }),
    );
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
    const needed = BigInt(command.default_member_permissions ?? 0);
    if (!hasPermission(guildPermissions(guild, place.member), needed)) {
      throw new SandboxRefusal(`This member is not shown /${name}.`);
    }
    return { command, path };
  }

  #component(message: StoredMessage, customId: string, { member }: Place): ComponentNode {
    if (message.deleted || (message.onlyFor ?? member.user.id) !== member.user.id) {
      throw new SandboxRefusal('This member does not see the message.');
    }
    const components = (message.data.components ?? []) as unknown as ComponentNode[];
    for (const component of walkComponents(components)) {
      if (component.custom_id !== customId) continue;
      if ('disabled' in component && component.disabled) {
        throw new SandboxRefusal(`"${customId}" is disabled.`);
      }
      return component;
    }
    throw new SandboxRefusal(`The message has no component "${customId}".`);
  }

  #useComponent(message: StoredMessage, place: Place, data: object): Promise<SandboxAnswer> {
    const interaction = this.#open(place, InteractionType.MessageComponent, undefined, message);
    this.#send(interaction, place, { data, message: message.data });
    return this.#finished(interaction);
  }

  #open(
    { member, channel }: Place,
    type: InteractionType,
    name?: string,
    source?: StoredMessage,
  ): Interaction {
    return this.#context.interactions.open({ type, member, channel, source, name });
  }

  /** Tells the bot what the person did: INTERACTION_CREATE. */
  #send(interaction: Interaction, place: Place, rest: object): void {
    const { world, application, dispatch } = this.#context;
    const { member, channel } = interaction;
    const guild = this.#guild(place);
    const bot = world.member(guild.id, world.bot.id);
    dispatch(GatewayDispatchEvents.InteractionCreate, {
      id: interaction.id,
      application_id: application.id,
      type: interaction.type,
      token: interaction.token,
      version: 1,
      guild_id: guild.id,
      guild: { id: guild.id, locale: guild.locale, features: [] },
      channel_id: channel.id,
      channel: {
        ...channelData(channel),
        permissions: channelPermissions(guild, member, channel).toString(),
      },
      member: {
        ...memberData(member),
        permissions: channelPermissions(guild, member, channel).toString(),
      },
      app_permissions: channelPermissions(guild, bot, channel).toString(),
      locale: place.locale ?? member.locale,
      guild_locale: guild.locale,
      entitlements: [],
      authorizing_integration_owners: { 0: guild.id },
      context: 0,
      attachment_size_limit: guild.attachmentSizeLimit,
      ...rest,
    });
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

function commandData({ id, name, type, guild_id }: RegisteredCommand): object {
  return { id, name, type, ...(guild_id !== undefined && { guild_id }) };
}

/** Discord leaves out empty lists of options and nothing resolved. */
function withoutEmpty({ options, resolved }: { options: object[]; resolved: object }): object {
  return {
    ...(options.length > 0 && { options }),
    ...(Object.keys(resolved).length > 0 && { resolved }),
  };
}
