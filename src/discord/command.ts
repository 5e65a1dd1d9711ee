import type {
  AutocompleteInteraction,
  ChatInputCommandInteraction,
  MessageComponentInteraction,
  RESTPostAPIChatInputApplicationCommandsJSONBody,
} from 'discord.js';
import type { AudioEncoder } from '../audio/encoder.ts';
import type { VoiceCatalogue } from '../client/catalogue.ts';
import type { VoiceClient } from '../client/client.ts';
import type { Logger } from '../log.ts';
import type { SpeechSource } from '../playback/speech.ts';
import type { GuildSettings } from '../store/guild-settings.ts';
import type { MemberSettings } from '../store/member-settings.ts';
import type { Records } from '../store/records.ts';
import type { Answer } from './answer.ts';
import type { Company } from './company.ts';
import type { Requirement } from './requirements.ts';
import type { VoiceHost } from './voice-host.ts';

/** What every command can use, for as long as the bot runs. */
export interface BotServices {
  /** The voice service. */
  voice: VoiceClient;
  /** The voices that the service has, at hand at once. */
  catalogue: VoiceCatalogue;
  /** Turns sound into files and voice messages, off the main thread. */
  encoder: AudioEncoder;
  /** Hark in voice channels. */
  host: VoiceHost;
  /** Minds who is with Hark in a voice channel. */
  company: Pick<Company, 'look'>;
  /** Makes the sound of speech for a voice channel. */
  speak: SpeechSource;
  /** What guilds have set. */
  settings: Records<GuildSettings>;
  /** What members have set: `memberKey` makes the id. */
  members: Records<MemberSettings>;
}

/** What a command gets for one interaction. Each asks for the slice that it needs. */
export interface CommandServices extends BotServices {
  /** Carries the interaction's id and the command's name. */
  log: Logger;
  /** Aborted when the interaction can no longer be answered, or when the bot stops. */
  signal: AbortSignal;
}

/** The interactions that can be answered with a message. */
export type AnswerableInteraction = ChatInputCommandInteraction<'cached'> | ComponentInteraction;
export type ComponentInteraction = MessageComponentInteraction<'cached'>;

/** A slash command: its payload, how it says that it is at work, and what it does. */
export interface Command {
  data: RESTPostAPIChatInputApplicationCommandsJSONBody;
  /** Who sees "is thinking" when the command takes its time; the answer is seen by the same people. */
  defer: 'public' | 'ephemeral';
  /** What must be so before `execute` and `component`; a sentence tells the member what is not. */
  requires?: readonly Requirement[];
  execute(
    interaction: ChatInputCommandInteraction<'cached'>,
    answer: Answer,
    services: CommandServices,
  ): Promise<void>;
  /** Buttons and menus whose custom id starts with the command's name and a colon. */
  component?(
    interaction: ComponentInteraction,
    answer: Answer,
    services: CommandServices,
  ): Promise<void>;
  /** Choices for the focused option; at most 25 of them reach the member. */
  autocomplete?(
    interaction: AutocompleteInteraction<'cached'>,
    services: CommandServices,
  ): Promise<Choice[]>;
}

/** A choice of an autocompleted option: what the member reads and what the command gets. */
export interface Choice {
  name: string;
  value: string;
}
