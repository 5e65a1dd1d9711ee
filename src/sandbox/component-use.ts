import type { APIModalInteractionResponseCallbackData } from 'discord-api-types/v10';
import { type ComponentNode, walkComponents } from './component-schema.ts';
import { SandboxRefusal } from './errors.ts';
import type { StoredMessage } from './messages.ts';
import type { Member } from './world.ts';

/**
 * The component of a message that a member may use.
 *
 * @throws SandboxRefusal when the member does not see it, or it is disabled
 */
export function usableComponent(
  message: StoredMessage,
  customId: string,
  member: Member,
): ComponentNode {
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

/** The components of a modal as they are sent, with what was typed by custom id. */
export function fillModal(
  modal: APIModalInteractionResponseCallbackData,
  values: Record<string, string>,
): object[] {
  const shown = modal.components as unknown as ComponentNode[];
  const ids = [...walkComponents(shown)].map((component) => component.custom_id);
  const unknown = Object.keys(values).find((id) => !ids.includes(id));
  if (unknown !== undefined) throw new SandboxRefusal(`The modal has no field "${unknown}".`);

  const fill = ({ type, custom_id: id, components, component }: ComponentNode): object => ({
    type,
    ...(id !== undefined && { custom_id: id, value: values[id] ?? '' }),
    ...(components && { components: components.map(fill) }),
    ...(component && { component: fill(component) }),
  });
  return shown.map(fill);
}
