import type { DiscordGatewayAdapterCreator } from '@discordjs/voice';

/** What Discord's main gateway says of the bot's voice. */
export interface AdapterEvents {
  onChannel(channelId: string): void;
  /** The bot is in no channel of the guild. */
  onNoChannel(): void;
  /** The news was nothing that the voice library can take. */
  onBroken(error: unknown): void;
}

/** The same adapter, which also tells what comes through it. */
export function watchAdapter(
  createAdapter: DiscordGatewayAdapterCreator,
  { onChannel, onNoChannel, onBroken }: AdapterEvents,
): DiscordGatewayAdapterCreator {
  return (library) =>
    createAdapter({
      onVoiceStateUpdate(data) {
        library.onVoiceStateUpdate(data);
        if (data.channel_id) onChannel(data.channel_id);
        else onNoChannel();
      },
      onVoiceServerUpdate(data) {
        try {
          library.onVoiceServerUpdate(data);
        } catch (error) {
          onBroken(error);
        }
      },
      destroy: () => library.destroy(),
    });
}
