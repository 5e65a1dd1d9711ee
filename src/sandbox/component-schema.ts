import { ButtonStyle, ComponentType } from 'discord-api-types/v10';
import { z } from 'zod';
import { addFieldError, list, text } from './validate.ts';

const emoji = z.looseObject({ id: z.string().nullish(), name: z.string().nullish() }).optional();
const customId = text(1, 100);

const Button = z
  .looseObject({
    type: z.literal(ComponentType.Button),
    style: z.enum(ButtonStyle),
    label: text(0, 80).optional(),
    emoji,
    custom_id: customId.optional(),
    url: z.url().max(512).optional(),
    disabled: z.boolean().optional(),
  })
  .superRefine((button, context) => {
    const required = (field: 'custom_id' | 'url') => {
      if (button[field] !== undefined) return;
      const message = 'This field is required';
      addFieldError(context, 'BASE_TYPE_REQUIRED', message, [field]);
    };
    if (button.style === ButtonStyle.Premium) return;
    required(button.style === ButtonStyle.Link ? 'url' : 'custom_id');
    if (!button.label && !button.emoji) {
      const message = 'A button needs a label or an emoji';
      addFieldError(context, 'BUTTON_COMPONENT_INVALID', message, ['label']);
    }
  });

const selectCommon = {
  custom_id: customId,
  placeholder: text(0, 150).optional(),
  min_values: z.int().min(0).max(25).optional(),
  max_values: z.int().min(1).max(25).optional(),
  disabled: z.boolean().optional(),
};

const StringSelect = z.looseObject({
  type: z.literal(ComponentType.StringSelect),
  ...selectCommon,
  options: list(
    z.looseObject({
      label: text(1, 100),
      value: text(1, 100),
      description: text(0, 100).optional(),
      emoji,
      default: z.boolean().optional(),
    }),
    1,
    25,
  ),
});

function autoSelect<Type extends ComponentType>(type: Type) {
  return z.looseObject({ type: z.literal(type), ...selectCommon });
}

const ActionRow = z
  .looseObject({
    type: z.literal(ComponentType.ActionRow),
    components: list(
      z.discriminatedUnion('type', [
        Button,
        StringSelect,
        autoSelect(ComponentType.UserSelect),
        autoSelect(ComponentType.RoleSelect),
        autoSelect(ComponentType.MentionableSelect),
        autoSelect(ComponentType.ChannelSelect),
      ]),
      1,
      5,
    ),
  })
  .superRefine(({ components }, context) => {
    const selects = components.filter(({ type }) => type !== ComponentType.Button);
    if (selects.length === 0 || components.length === 1) return;
    const message = 'A select menu takes a whole row';
    addFieldError(context, 'COMPONENT_LAYOUT_WIDTH_EXCEEDED', message, ['components']);
  });

const TextDisplay = z.looseObject({
  type: z.literal(ComponentType.TextDisplay),
  content: text(1, 4000),
});

const media = z.looseObject({ url: z.string() });

const Thumbnail = z.looseObject({ type: z.literal(ComponentType.Thumbnail), media });

const Section = z.looseObject({
  type: z.literal(ComponentType.Section),
  components: list(TextDisplay, 1, 3),
  accessory: z.discriminatedUnion('type', [Button, Thumbnail]),
});

const layout = [
  ActionRow,
  TextDisplay,
  Section,
  z.looseObject({
    type: z.literal(ComponentType.MediaGallery),
    items: list(z.looseObject({ media }), 1, 10),
  }),
  z.looseObject({ type: z.literal(ComponentType.File), file: media }),
  z.looseObject({ type: z.literal(ComponentType.Separator) }),
] as const;

const Container = z.looseObject({
  type: z.literal(ComponentType.Container),
  components: list(z.discriminatedUnion('type', [...layout]), 1, 40),
});

/** A component as its parts are walked over, whatever its type. */
export interface ComponentNode {
  type: number;
  custom_id?: string;
  components?: ComponentNode[];
  accessory?: ComponentNode;
  component?: ComponentNode;
}

/** Every component of a message, outer ones before those inside them. */
export function* walkComponents(components: readonly ComponentNode[]): Generator<ComponentNode> {
  for (const component of components) {
    yield component;
    yield* walkComponents(component.components ?? []);
    if (component.accessory) yield* walkComponents([component.accessory]);
    if (component.component) yield* walkComponents([component.component]);
  }
}

function checkIds(components: readonly ComponentNode[], context: z.RefinementCtx): void {
  const ids = new Set<string>();
  for (const { custom_id: id } of walkComponents(components)) {
    if (id === undefined) continue;
    if (ids.has(id)) {
      const message = 'Component custom id cannot be duplicated';
      addFieldError(context, 'COMPONENT_CUSTOM_ID_DUPLICATED', message);
    }
    ids.add(id);
  }
}

/** Components of a message without the flag IS_COMPONENTS_V2: at most five rows. */
export const ClassicComponents = list(ActionRow, 0, 5).superRefine((components, context) =>
  checkIds(components as ComponentNode[], context),
);

/** Components of a message with the flag IS_COMPONENTS_V2: 40 in all, 4,000 characters of text. */
export const LayoutComponents = z
  .array(z.discriminatedUnion('type', [...layout, Container]))
  .superRefine((given, context) => {
    const components = given as ComponentNode[];
    checkIds(components, context);
    const all = [...walkComponents(components)];
    if (all.length > 40) {
      const message = 'The maximum number of components is 40';
      addFieldError(context, 'COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED', message);
    }
    const characters = all.reduce(
      (sum, component) =>
        'content' in component && typeof component.content === 'string'
          ? sum + [...component.content].length
          : sum,
      0,
    );
    if (characters > 4000) {
      const message = 'The maximum length of all text is 4000';
      addFieldError(context, 'COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED', message);
    }
  });

const TextInput = z.looseObject({
  type: z.literal(ComponentType.TextInput),
  custom_id: customId,
  style: z.int().min(1).max(2),
  label: text(0, 45).nullish(),
  min_length: z.int().min(0).max(4000).optional(),
  max_length: z.int().min(1).max(4000).optional(),
  required: z.boolean().optional(),
  value: text(0, 4000).nullish(),
  placeholder: text(0, 100).nullish(),
});

/** A modal: rows of one text input each, or labels around an input. */
export const ModalData = z.looseObject({
  custom_id: customId,
  title: text(1, 45),
  components: list(
    z.discriminatedUnion('type', [
      z.looseObject({
        type: z.literal(ComponentType.ActionRow),
        components: list(TextInput, 1, 1),
      }),
      z.looseObject({
        type: z.literal(ComponentType.Label),
        label: text(1, 45),
        component: z.looseObject({ type: z.int(), custom_id: customId }),
      }),
      TextDisplay,
    ]),
    1,
    5,
  ),
});
