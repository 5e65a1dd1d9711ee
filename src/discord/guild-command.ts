import {
  ApplicationIntegrationType,
  InteractionContextType,
  type RESTPostAPIChatInputApplicationCommandsJSONBody,
} from 'discord.js';

/** The payload of a command that is there in guilds alone. */
export function guildCommand(
  data: Omit<
    RESTPostAPIChatInputApplicationCommandsJSONBody,
    'contexts' | 'integration_types' | 'type'
  >,
): RESTPostAPIChatInputApplicationCommandsJSONBody {
  return {
    ...data,
    contexts: [InteractionContextType.Guild],
    integration_types: [ApplicationIntegrationType.GuildInstall],
  };
}
