import type { DiscordGatewayAdapterCreator } from '@discordjs/voice';
import type { SessionEnd } from './endings.ts';

/** A voice channel to join. */
export interface VoiceChannelTarget {
  guildId: string;
  channelId: string;
  /** discord.js's `guild.voiceAdapterCreator`. */
  adapterCreator: DiscordGatewayAdapterCreator;
  /** Whether Discord can tell the bot where it is now; always, when it is left out. */
  online?: () => boolean;
}

/** Milliseconds that a link may take; tests make them short. */
export interface LinkDeadlines {
  /** From the request to join or to move to a usable connection. */
  joinMs: number;
  /** From the loss of a connection to the next usable one. */
  reconnectMs: number;
  /** From a close that a move or a new server may have caused (4014, 4022) to a usable connection. */
  moveMs: number;
}

export const LINK_DEADLINES: LinkDeadlines = {
  joinMs: 12_000,
  reconnectMs: 60_000,
  moveMs: 5_000,
};

export interface LinkEvents {
  /** Packets can be sent, for the first time or again. */
  onUp(): void;
  /** Someone moved the bot, or it arrived where it was asked to go. */
  onChannel(channelId: string): void;
  onEnd(end: SessionEnd): void;
}

/** A connection to a guild's voice: joins, keeps itself up, and says why when it cannot. */
export interface VoiceLink {
  /** Where the bot is, or is on its way to. */
  readonly channelId: string;
  readonly up: boolean;
  /** Resolves when packets can be sent; rejects with a SessionEndedError when they will not be. */
  arrived(): Promise<void>;
  /** Sends one packet now; false when the connection is down. */
  send(packet: Uint8Array): boolean;
  setSpeaking(speaking: boolean): void;
  /** Goes to another channel of the guild; `arrived` tells how it went. */
  move(channelId: string): void;
  /** Asks for the channel again: the bot has begun a new session with Discord. */
  rejoin(): void;
  /** Leaves the channel. */
  end(end: SessionEnd): void;
}
