import { InteractionContextType, type Locale } from 'discord-api-types/v10';
import type { RegisteredCommand } from './commands.ts';
import type { Interaction } from './interactions.ts';
import type { RestContext } from './rest/context.ts';
import { channelData, memberData } from './serialize.ts';

/**
 * INTERACTION_CREATE without what differs by type: who did something where, and what they and the
 * bot may do there (documentation, "Interaction Structure").
 *
 * @param locale - language of the person's client, when it is not the member's own
 */
export function interactionData(
  { world, application }: RestContext,
  { id, type, token, member, channel }: Interaction,
  locale: Locale = member.locale,
): object {
  const guild = world.guild(channel.guildId);
  const permissions = world.permissionsIn(channel, member.user.id).toString();
  return {
    id,
    application_id: application.id,
    type,
    token,
    version: 1,
    guild_id: guild.id,
    guild: { id: guild.id, locale: guild.locale, features: [] },
    channel_id: channel.id,
    channel: { ...channelData(channel), permissions },
    member: { ...memberData(member), permissions },
    app_permissions: world.permissionsIn(channel, world.bot.id).toString(),
    locale,
    guild_locale: guild.locale,
    entitlements: [],
    authorizing_integration_owners: { 0: guild.id },
    context: InteractionContextType.Guild,
    attachment_size_limit: guild.attachmentSizeLimit,
  };
}

/** What an interaction names its command by. */
export function commandData({ id, name, type, guild_id }: RegisteredCommand): object {
  return { id, name, type, ...(guild_id !== undefined && { guild_id }) };
}
