import { GatewayDispatchEvents as Event } from 'discord-api-types/v10';
import { VoiceCloseCodes } from 'discord-api-types/voice/v8';
import type { Gateway } from '../gateway/gateway.ts';
import type { Admission, VoiceClient } from './client.ts';
import { VoiceServer, type VoiceServerOptions } from './server.ts';
import type { VoiceStateChange } from './states.ts';

export interface BotConnectionsOptions extends VoiceServerOptions {
  gateway: () => Gateway;
}

/** The bot's voice connections, one a guild at most, and the voice server that they are on. */
export class BotConnections {
  readonly #options: BotConnectionsOptions;
  #server: VoiceServer;

  private constructor(options: BotConnectionsOptions, server: VoiceServer) {
    this.#options = options;
    this.#server = server;
  }

  static async start(options: BotConnectionsOptions): Promise<BotConnections> {
    return new BotConnections(options, await VoiceServer.start(options));
  }

  get all(): VoiceClient[] {
    return this.#server.clients;
  }

  /**
   * A bot that is not connected where it is now gets a voice server. It is told so again when it asks
   * again for the channel in which its connection was lost.
   */
  stateChanged({ member, from, state, previousSession }: VoiceStateChange): void {
    const { channelId, sessionId } = state;
    const { guildId, user } = member;
    const client = this.all.find(({ admission }) => admission.guildId === guildId);
    const stays = from === channelId && previousSession === sessionId;
    if (stays && client?.isConnected) return;
    if (client) this.#server.end(client, VoiceCloseCodes.Disconnected);
    if (channelId === null) return;
    this.#sendServerUpdate({ guildId, channelId, userId: user.id, sessionId });
  }

  /** @param code - none for a broken network */
  drop(code: number | undefined): void {
    for (const client of this.all) {
      if (code === undefined) client.socket?.terminate();
      else if (code < 4000 || code === VoiceCloseCodes.VoiceServerCrashed)
        client.socket?.close(code);
      else this.#server.end(client, code);
    }
  }

  async changeServer(): Promise<void> {
    const before = this.#server;
    this.#server = await VoiceServer.start(this.#options);
    const admissions = before.clients.map(({ admission }) => admission);
    for (const client of before.clients) before.end(client, VoiceCloseCodes.CallTerminated);
    for (const admission of admissions) this.#sendServerUpdate(admission);
    await before.close();
  }

  async close(): Promise<void> {
    await this.#server.close();
  }

  #sendServerUpdate(admission: Omit<Admission, 'token'>): void {
    const { faults, gateway } = this.#options;
    const token = this.#server.admit(admission);
    const data = { token, guild_id: admission.guildId, endpoint: this.#server.endpoint };
    const dispatch = () => gateway().dispatch(Event.VoiceServerUpdate, data, admission.sessionId);
    // It never overtakes the state: a bot that gets it first does nothing with it.
    faults.pass('stateUpdate', () => faults.pass('serverUpdate', dispatch));
  }
}
