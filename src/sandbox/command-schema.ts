import {
  ApplicationCommandOptionType,
  ApplicationCommandType,
  ChannelType,
  Locale,
} from 'discord-api-types/v10';
import { z } from 'zod';
import { addFieldError, list, text } from './validate.ts';

/** Documentation, "Application Command Naming". */
const COMMAND_NAME = /^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$/u;

const MAX_COMMAND_SIZE = 8000;

const slashName = z.string().superRefine((name, context) => {
  const length = [...name].length;
  if (length < 1 || length > 32) {
    addFieldError(context, 'BASE_TYPE_BAD_LENGTH', 'Must be between 1 and 32 in length.');
  } else if (!COMMAND_NAME.test(name) || name !== name.toLowerCase()) {
    addFieldError(context, 'APPLICATION_COMMAND_INVALID_NAME', 'Command name is invalid');
  }
});

const locales = new Set<string>(Object.values(Locale));

function localized(value: z.ZodType<string>) {
  return z
    .record(z.string(), value.nullable())
    .superRefine((names, context) => {
      for (const locale of Object.keys(names)) {
        if (locales.has(locale)) continue;
        addFieldError(context, 'BASE_TYPE_CHOICES', 'The language is not one of Discord.', [
          locale,
        ]);
      }
    })
    .nullish();
}

function namesAndDescriptions() {
  return {
    name: slashName,
    name_localizations: localized(slashName),
    description: text(1, 100),
    description_localizations: localized(text(1, 100)),
  };
}

function choices<Value extends z.ZodType>(value: Value) {
  const choice = z.object({
    name: text(1, 100),
    name_localizations: localized(text(1, 100)),
    value,
  });
  return list(choice, 0, 25).optional();
}

const valueOption = { ...namesAndDescriptions(), required: z.boolean().optional() };

function numberOption<Value extends z.ZodType<number>>(value: Value) {
  return {
    ...valueOption,
    choices: choices(value),
    autocomplete: z.boolean().optional(),
    min_value: value.optional(),
    max_value: value.optional(),
  };
}

const Type = ApplicationCommandOptionType;

const valueOptions = [
  z.object({
    type: z.literal(Type.String),
    ...valueOption,
    choices: choices(text(1, 100)),
    autocomplete: z.boolean().optional(),
    min_length: z.int().min(0).max(6000).optional(),
    max_length: z.int().min(1).max(6000).optional(),
  }),
  z.object({ type: z.literal(Type.Integer), ...numberOption(z.int()) }),
  z.object({ type: z.literal(Type.Number), ...numberOption(z.number()) }),
  z.object({ type: z.literal(Type.Boolean), ...valueOption }),
  z.object({ type: z.literal(Type.User), ...valueOption }),
  z.object({
    type: z.literal(Type.Channel),
    ...valueOption,
    channel_types: z.array(z.enum(ChannelType)).optional(),
  }),
  z.object({ type: z.literal(Type.Role), ...valueOption }),
  z.object({ type: z.literal(Type.Mentionable), ...valueOption }),
  z.object({ type: z.literal(Type.Attachment), ...valueOption }),
] as const;

export const ValueOption = z.discriminatedUnion('type', valueOptions);

export type ValueOption = z.output<typeof ValueOption>;

interface Named {
  name: string;
  required?: boolean | undefined;
}

/** Documentation, "Application Command Option Structure": names once, required options first. */
function checkOrder(options: readonly Named[], context: z.RefinementCtx): void {
  const names = new Set<string>();
  let optional = false;
  for (const [index, option] of options.entries()) {
    if (names.has(option.name)) {
      const message = 'Option name already exists';
      addFieldError(context, 'APPLICATION_COMMAND_OPTION_NAME_ALREADY_EXISTS', message, [index]);
    }
    if (option.required && optional) {
      const message = 'Required options must be placed before non-required options';
      addFieldError(context, 'APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID', message, [index]);
    }
    names.add(option.name);
    if (!option.required) optional = true;
  }
}

/** Autocompletion excludes a fixed list of choices. */
function checkChoices(options: readonly object[], context: z.RefinementCtx): void {
  for (const [index, option] of options.entries()) {
    if (!('choices' in option && 'autocomplete' in option)) continue;
    if (!option.autocomplete || !Array.isArray(option.choices) || option.choices.length === 0)
      continue;
    const message = 'An option with autocomplete cannot have choices';
    addFieldError(context, 'APPLICATION_COMMAND_OPTIONS_AUTOCOMPLETE_CHOICES', message, [index]);
  }
}

function optionsOf<Option extends z.ZodType<Named>>(option: Option) {
  return list(option, 0, 25).superRefine(checkOrder).superRefine(checkChoices).optional();
}

const Subcommand = z.object({
  type: z.literal(Type.Subcommand),
  ...namesAndDescriptions(),
  options: optionsOf(ValueOption),
});

const SubcommandGroup = z.object({
  type: z.literal(Type.SubcommandGroup),
  ...namesAndDescriptions(),
  options: optionsOf(Subcommand),
});

const CommandOption = z.discriminatedUnion('type', [...valueOptions, Subcommand, SubcommandGroup]);

export type CommandOption = z.output<typeof CommandOption>;

const common = {
  default_member_permissions: z
    .union([z.string().regex(/^\d+$/), z.int().min(0).transform(String)])
    .nullish(),
  dm_permission: z.boolean().nullish(),
  contexts: z.array(z.int().min(0).max(2)).nullish(),
  integration_types: z.array(z.int().min(0).max(1)).optional(),
  nsfw: z.boolean().optional(),
};

/** Characters that count for the size of a command: names, descriptions and values. */
function commandSize(node: unknown): number {
  if (Array.isArray(node)) return node.reduce((size, item) => size + commandSize(item), 0);
  if (typeof node !== 'object' || node === null) return 0;
  return Object.entries(node).reduce((size, [key, value]) => {
    const counts = key === 'name' || key === 'description' || key === 'value';
    const own = counts && typeof value === 'string' ? [...value].length : 0;
    return size + own + (key === 'options' || key === 'choices' ? commandSize(value) : 0);
  }, 0);
}

const ChatInput = z.object({
  type: z.literal(ApplicationCommandType.ChatInput),
  ...namesAndDescriptions(),
  ...common,
  options: optionsOf(CommandOption),
});

function contextMenu<Kind extends ApplicationCommandType>(type: Kind) {
  return z.object({
    type: z.literal(type),
    name: text(1, 32),
    name_localizations: localized(text(1, 32)),
    description: z.string().max(0).optional(),
    ...common,
  });
}

/** A command as a bot registers it; without a type it is a slash command. */
export const CommandPayload = z.preprocess(
  (given) =>
    typeof given === 'object' && given !== null && !('type' in given)
      ? { type: ApplicationCommandType.ChatInput, ...given }
      : given,
  z
    .discriminatedUnion('type', [
      ChatInput,
      contextMenu(ApplicationCommandType.User),
      contextMenu(ApplicationCommandType.Message),
    ])
    .superRefine((command, context) => {
      if (commandSize(command) <= MAX_COMMAND_SIZE) return;
      const message = `Command exceeds maximum size (${MAX_COMMAND_SIZE})`;
      addFieldError(context, 'APPLICATION_COMMAND_TOO_LARGE', message);
    }),
);

export type CommandPayload = z.output<typeof CommandPayload>;
