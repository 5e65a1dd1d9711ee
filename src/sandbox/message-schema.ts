import { MessageFlags } from 'discord-api-types/v10';
import { z } from 'zod';
import { ClassicComponents, LayoutComponents } from './component-schema.ts';
import { addFieldError, list, snowflake, text } from './validate.ts';

const named = { icon_url: z.string().nullish(), url: z.string().nullish() };

const Embed = z.looseObject({
  title: text(0, 256).nullish(),
  description: text(0, 4096).nullish(),
  url: z.url().nullish(),
  timestamp: z.string().nullish(),
  color: z.int().min(0).max(0xffffff).nullish(),
  footer: z.looseObject({ text: text(0, 2048), ...named }).nullish(),
  author: z.looseObject({ name: text(0, 256), ...named }).nullish(),
  fields: list(
    z.looseObject({ name: text(1, 256), value: text(1, 1024), inline: z.boolean().optional() }),
    0,
    25,
  ).nullish(),
});

type Embed = z.output<typeof Embed>;

const MAX_EMBED_TEXT = 6000;

/** Characters that count for the limit that all embeds of a message share. */
function embedLength(embed: Embed): number {
  const texts = [
    embed.title,
    embed.description,
    embed.footer?.text,
    embed.author?.name,
    ...(embed.fields ?? []).flatMap((field) => [field.name, field.value]),
  ];
  return texts.reduce((length, value) => length + [...(value ?? '')].length, 0);
}

const Embeds = list(Embed, 0, 10).superRefine((embeds, context) => {
  const total = embeds.reduce((length, embed) => length + embedLength(embed), 0);
  if (total <= MAX_EMBED_TEXT) return;
  const message = `Embed size exceeds maximum size of ${MAX_EMBED_TEXT}`;
  addFieldError(context, 'MAX_EMBED_SIZE_EXCEEDED', message);
});

const AllowedMentions = z.looseObject({
  parse: z.array(z.enum(['users', 'roles', 'everyone'])).optional(),
  users: list(snowflake, 0, 100).optional(),
  roles: list(snowflake, 0, 100).optional(),
  replied_user: z.boolean().optional(),
});

export type AllowedMentions = z.output<typeof AllowedMentions>;

const AttachmentInfo = z.looseObject({
  id: z.union([z.string(), z.int()]).transform(String),
  filename: z.string().optional(),
  description: text(0, 1024).nullish(),
  duration_secs: z.number().nullish(),
  waveform: z.string().nullish(),
});

export type AttachmentInfo = z.output<typeof AttachmentInfo>;

const common = {
  content: text(0, 2000).nullish(),
  embeds: Embeds.nullish(),
  allowed_mentions: AllowedMentions.nullish(),
  attachments: z.array(AttachmentInfo).nullish(),
  flags: z.int().min(0).nullish(),
  tts: z.boolean().nullish(),
  nonce: z.union([z.string(), z.int()]).nullish(),
  message_reference: z
    .looseObject({ message_id: snowflake, fail_if_not_exists: z.boolean().optional() })
    .nullish(),
};

const ClassicMessage = z.object({ ...common, components: ClassicComponents.nullish() });
const LayoutMessage = z.object({ ...common, components: LayoutComponents.nullish() });

export type MessagePayload = z.output<typeof ClassicMessage> | z.output<typeof LayoutMessage>;

/** Content and embeds have no place in a message that is laid out by its components. */
const LayoutOnly = LayoutMessage.superRefine((payload, context) => {
  for (const field of ['content', 'embeds'] as const) {
    if (!payload[field]?.length) continue;
    const message = `The '${field}' field cannot be used when using MessageFlags.IS_COMPONENTS_V2`;
    addFieldError(context, 'MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2', message, [field]);
  }
});

/** The schema for a message with these flags. */
export function messageSchema(flags: number): typeof ClassicMessage | typeof LayoutOnly {
  return flags & MessageFlags.IsComponentsV2 ? LayoutOnly : ClassicMessage;
}
