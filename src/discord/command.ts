import type {
  AutocompleteInteraction,
  ChatInputCommandInteraction,
  MessageComponentInteraction,
  RESTPostAPIChatInputApplicationCommandsJSONBody,
} from 'discord.js';
import type { AudioEncoder } from '../audio/encoder.ts';
import type { VoiceClient } from '../client/client.ts';
import type { Logger } from '../log.ts';

/** What a command works with. Each asks for the slice that it needs. */
export interface CommandServices {
  /** The voice service. */
  voice: VoiceClient;
  /** Turns sound into files and voice messages, off the main thread. */
  encoder: AudioEncoder;
  /** Carries the interaction's id and the command's name. */
  log: Logger;
  /** Aborted when the interaction can no longer be answered, or when the bot stops. */
  signal: AbortSignal;
}

/** A slash command: its payload, what dispatch does before it runs, and what it does. */
export interface Command {
  data: RESTPostAPIChatInputApplicationCommandsJSONBody;
  /** How dispatch answers at once, so that the command may take its time. */
  defer: 'public' | 'ephemeral' | 'none';
  execute(interaction: ChatInputCommandInteraction, services: CommandServices): Promise<void>;
  autocomplete?(interaction: AutocompleteInteraction, services: CommandServices): Promise<void>;
  /** Buttons and menus whose custom id starts with the command's name and a colon. */
  component?(interaction: MessageComponentInteraction, services: CommandServices): Promise<void>;
}
