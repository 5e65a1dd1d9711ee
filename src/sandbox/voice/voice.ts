import { EventEmitter } from 'node:events';
import { GatewayDispatchEvents as Event } from 'discord-api-types/v10';
import { VoiceCloseCodes } from 'discord-api-types/voice/v8';
import { NoResponse, SandboxRefusal } from '../errors.ts';
import type { Gateway, VoiceStateRequest } from '../gateway/gateway.ts';
import { waitFor } from '../wait.ts';
import type { Channel, Dispatch, Guild, Member, VoiceState, World } from '../world.ts';
import { Call } from './call.ts';
import type { Certificate } from './certificate.ts';
import type { Admission, VoiceClient } from './client.ts';
import { DAVE_VERSION } from './dave/group.ts';
import { VoiceFaults } from './faults.ts';
import { Listener } from './listener.ts';
import { VoiceServer } from './server.ts';
import { type VoiceStateChange, VoiceStates } from './states.ts';

export interface VoiceOptions {
  world: World;
  gateway: () => Gateway;
  dispatch: Dispatch;
  host: string;
  certificate: Certificate;
  /** Milliseconds between two heartbeats of a client. */
  heartbeatInterval: number;
  /** Whether calls are encrypted from end to end. */
  dave: boolean;
}

/** A person of two guilds may be in voice in each. */
function keyOf(member: Member): string {
  return `${member.guildId} ${member.user.id}`;
}

/** Voice of a sandbox: who is where, the voice servers, the listeners, and what goes wrong. */
export class Voice {
  readonly faults = new VoiceFaults();
  readonly events = new EventEmitter<{ change: [] }>();
  readonly #options: VoiceOptions;
  readonly #states: VoiceStates;
  readonly #calls = new Map<string, Call>();
  readonly #listeners = new Map<string, Listener>();
  #server!: VoiceServer;
  readonly #closing = new AbortController();

  private constructor(options: VoiceOptions) {
    this.#options = options;
    this.#states = new VoiceStates({
      world: options.world,
      dispatch: (event, data, guildId) =>
        this.faults.pass('stateUpdate', () => options.dispatch(event, data, guildId)),
      changed: (change) => this.#stateChanged(change),
    });
  }

  static async start(options: VoiceOptions): Promise<Voice> {
    const voice = new Voice(options);
    voice.#server = await voice.#startServer();
    return voice;
  }

  /** The bot as a member of a guild: the first one, unless told. */
  bot(guild?: Guild): Member {
    const { world } = this.#options;
    const there = guild ?? world.guilds.values().next().value;
    if (!there) throw new SandboxRefusal('There is no guild.');
    return world.member(there.id, world.bot.id);
  }

  /** The bot's voice connections, one a guild, with what came over them. */
  get connections(): VoiceClient[] {
    return this.#server.clients;
  }

  /** Those who are connected in a channel, and their end-to-end encryption. */
  call(channel: Channel): Call {
    return this.#call(channel.id);
  }

  /** Where somebody is in voice; undefined for nowhere. */
  state(member: Member): VoiceState | undefined {
    return this.#states.of(member);
  }

  /** Those who are in a channel. */
  members(channel: Channel): Member[] {
    return this.#states.in(channel);
  }

  /**
   * A person joins a channel, or goes to another.
   *
   * @throws SandboxRefusal when Discord would not let them in
   */
  join(member: Member, channel: Channel): void {
    if (!this.#states.mayJoin(member, channel)) {
      throw new SandboxRefusal(`${member.user.username} may not join ${channel.name}.`);
    }
    this.#states.put(member, channel);
  }

  /** A person leaves voice. */
  leave(member: Member): void {
    this.#states.leave(member);
  }

  /** Somebody with the right to it moves a person or the bot to another channel. */
  move(member: Member, channel: Channel): void {
    if (!this.#states.of(member)) throw new SandboxRefusal('Only who is in voice can be moved.');
    this.#states.put(member, channel);
  }

  /** Somebody with the right to it throws a person or the bot out of voice. */
  disconnect(member: Member): void {
    this.#states.leave(member);
  }

  /** Somebody with the right to it mutes a member for all, or lets them speak on a stage. */
  change(member: Member, changes: Partial<Pick<VoiceState, 'mute' | 'deaf' | 'suppress'>>): void {
    this.#states.change(member, changes);
  }

  /**
   * Joins a channel as a person whose client keeps what is heard. Resolves once they could hear.
   *
   * @param options.as - the person; a new member of the guild by default
   */
  async listen(channel: Channel, options: { as?: Member } = {}): Promise<Listener> {
    const { world } = this.#options;
    const guild = world.guild(channel.guildId);
    const member = options.as ?? world.addMember(guild, { name: 'Listener' });
    const listener =
      this.#listeners.get(keyOf(member)) ?? new Listener(member, this.#closing.signal);
    this.#listeners.set(keyOf(member), listener);
    if (this.#states.of(member)?.channelId === channel.id) {
      listener.enter(this.#call(channel.id));
    } else {
      this.join(member, channel);
    }
    await this.settled(channel);
    return listener;
  }

  /**
   * Waits until everybody who is connected in a channel has the keys that they need to hear each
   * other.
   *
   * @param timeout - milliseconds, 10,000 by default
   * @throws NoResponse when they do not agree in time
   */
  async settled(channel: Channel, timeout = 10_000): Promise<void> {
    const { dave } = this.#call(channel.id);
    await waitFor(dave.events, () => dave.isSettled || undefined, {
      timeout,
      late: () => new NoResponse(`The encryption was not agreed on within ${timeout} ms`),
      signal: this.#closing.signal,
    });
  }

  /**
   * Turns end-to-end encryption in a channel off while people talk, as Discord does when somebody
   * comes who does not know it. Resolves once it is off.
   */
  async downgrade(channel: Channel): Promise<void> {
    await this.settled(channel);
    this.#call(channel.id).dave.downgrade();
    await this.settled(channel);
  }

  /** Turns it on again, with a new group. Resolves once all speak under its keys. */
  async upgrade(channel: Channel): Promise<void> {
    await this.settled(channel);
    this.#call(channel.id).dave.upgrade();
    await this.settled(channel);
  }

  /** Lets everybody in a channel begin a new group. Resolves once all speak under its keys. */
  async renewGroup(channel: Channel): Promise<void> {
    this.#call(channel.id).dave.startOver();
    await this.settled(channel);
  }

  /**
   * Waits until something of voice is as wanted: connections, states.
   *
   * @param look - gives what is waited for, or undefined while it is not there
   * @param timeout - milliseconds, 10,000 by default
   * @throws NoResponse when it does not become so in time
   */
  async until<Found>(look: (voice: this) => Found | undefined, timeout = 10_000): Promise<Found> {
    return waitFor(this.events, () => look(this), {
      timeout,
      late: () => new NoResponse(`Voice did not become so within ${timeout} ms`),
      signal: this.#closing.signal,
    });
  }

  /**
   * Cuts the bot's connections to the voice gateway: without a code as a broken network does, with
   * one of which a bot may resume (4015), or with one that ends the session.
   */
  dropGateway(code?: number): void {
    for (const client of this.#server.clients) {
      const resumable =
        code === undefined || code < 4000 || code === VoiceCloseCodes.VoiceServerCrashed;
      if (!resumable) this.#server.end(client, code);
      else if (code === undefined) client.socket?.terminate();
      else client.socket?.close(code);
    }
  }

  /** Moves all calls to a new voice server, as Discord does when one fails: a new endpoint. */
  async changeServer(): Promise<void> {
    const before = this.#server;
    this.#server = await this.#startServer();
    const admissions = before.clients.map(({ admission }) => admission);
    for (const client of before.clients) before.end(client, VoiceCloseCodes.CallTerminated);
    for (const admission of admissions) this.#sendServerUpdate(admission);
    await before.close();
  }

  /** Opcode 4 of the main gateway. */
  request(request: VoiceStateRequest, sessionId: string): void {
    this.#states.request(request, sessionId);
  }

  /** A session of the main gateway is over: the bot falls out of voice wherever it was with it. */
  sessionEnded(sessionId: string): void {
    for (const guild of this.#options.world.guilds.values()) {
      const member = guild.members.get(this.#options.world.bot.id);
      if (member && this.#states.of(member)?.sessionId === sessionId) this.#states.leave(member);
    }
  }

  /** Everybody falls out of a channel that is about to go. */
  channelGoes(channel: Channel): void {
    for (const member of this.#states.in(channel)) this.#states.leave(member);
    this.#calls.get(channel.id)?.dave.close();
    this.#calls.delete(channel.id);
  }

  /** Ends every wait and every connection; may be called more than once. */
  async close(): Promise<void> {
    this.#closing.abort(new NoResponse('The sandbox was closed'));
    for (const { dave } of this.#calls.values()) dave.close();
    await this.#server.close();
  }

  #startServer(): Promise<VoiceServer> {
    const { host, certificate, heartbeatInterval } = this.#options;
    return VoiceServer.start({
      host,
      certificate,
      heartbeatInterval,
      faults: this.faults,
      requiresDave: this.#options.dave,
      callOf: (channelId) => this.#call(channelId),
      mayBeHeard: ({ admission }) => this.#mayBeHeard(admission.guildId, admission.userId),
      changed: () => void this.events.emit('change'),
    });
  }

  #mayBeHeard(guildId: string, userId: string): boolean {
    const state = this.#options.world.guild(guildId).voiceStates.get(userId);
    return state !== undefined && !state.mute && !state.selfMute && !state.suppress;
  }

  #call(channelId: string): Call {
    const known = this.#calls.get(channelId);
    if (known) return known;
    const call = new Call(channelId, this.#options.dave ? DAVE_VERSION : 0);
    call.dave.events.on('change', () => void this.events.emit('change'));
    this.#calls.set(channelId, call);
    return call;
  }

  #stateChanged({ member, from, state, previousSession }: VoiceStateChange): void {
    const listener = this.#listeners.get(keyOf(member));
    if (state.channelId === null) listener?.exit();
    else listener?.enter(this.#call(state.channelId));
    if (member.user.id === this.#options.world.bot.id) {
      this.#botChanged(member, from, state, previousSession);
    }
    this.events.emit('change');
  }

  /**
   * A bot that is not connected where it is now gets a voice server. It is told so again when it asks
   * again for the channel in which its connection was lost.
   */
  #botChanged(
    member: Member,
    from: string | undefined,
    state: VoiceState,
    previousSession: string | undefined,
  ): void {
    const { channelId, sessionId } = state;
    const { guildId, user } = member;
    const client = this.#server.clients.find(({ admission }) => admission.guildId === guildId);
    const stays = from === channelId && previousSession === sessionId;
    if (stays && client?.isConnected) return;
    if (client) this.#server.end(client, VoiceCloseCodes.Disconnected);
    if (channelId === null) return;
    this.#sendServerUpdate({ guildId, channelId, userId: user.id, sessionId });
  }

  #sendServerUpdate(admission: Omit<Admission, 'token'>): void {
    const token = this.#server.admit(admission);
    const data = { token, guild_id: admission.guildId, endpoint: this.#server.endpoint };
    const { faults } = this;
    const dispatch = () =>
      this.#options.gateway().dispatch(Event.VoiceServerUpdate, data, admission.sessionId);
    // It never overtakes the state: a bot that gets it first does nothing with it.
    faults.pass('stateUpdate', () => faults.pass('serverUpdate', dispatch));
  }
}
