import { EventEmitter } from 'node:events';
import { NoResponse, SandboxRefusal } from '../errors.ts';
import type { VoiceStateRequest } from '../gateway/frames.ts';
import type { Gateway } from '../gateway/gateway.ts';
import { waitFor } from '../wait.ts';
import type { Channel, Dispatch, Guild, Member, VoiceState, World } from '../world.ts';
import { BotConnections } from './bot-connections.ts';
import type { Call } from './call.ts';
import { Calls } from './calls.ts';
import type { Certificate } from './certificate.ts';
import type { VoiceClient } from './client.ts';
import { DAVE_VERSION } from './dave/group.ts';
import { VoiceFaults } from './faults.ts';
import { Listener } from './listener.ts';
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

/** Voice of a sandbox: who is where, what is heard, and what goes wrong. */
export class Voice {
  /** What is made to go wrong. */
  readonly faults: VoiceFaults;
  /** Says `change` after states, connections or keys changed. */
  readonly events: EventEmitter<{ change: [] }>;
  readonly #world: World;
  readonly #states: VoiceStates;
  readonly #calls: Calls;
  readonly #listeners = new Map<string, Listener>();
  readonly #connections: BotConnections;
  readonly #closing = new AbortController();

  private constructor(parts: {
    world: World;
    faults: VoiceFaults;
    events: EventEmitter<{ change: [] }>;
    dispatch: Dispatch;
    calls: Calls;
    connections: BotConnections;
  }) {
    this.faults = parts.faults;
    this.events = parts.events;
    this.#world = parts.world;
    this.#calls = parts.calls;
    this.#connections = parts.connections;
    this.#states = new VoiceStates({
      world: parts.world,
      dispatch: (event, data, guildId) =>
        this.faults.pass('stateUpdate', () => parts.dispatch(event, data, guildId)),
      changed: (change) => this.#stateChanged(change),
    });
  }

  static async start(options: VoiceOptions): Promise<Voice> {
    const { world, dispatch, dave, ...server } = options;
    const faults = new VoiceFaults();
    const events = new EventEmitter<{ change: [] }>();
    const changed = () => void events.emit('change');
    const calls = new Calls(dave ? DAVE_VERSION : 0, changed);
    const connections = await BotConnections.start({
      ...server,
      faults,
      changed,
      requiresDave: dave,
      callOf: (channelId) => calls.of(channelId),
      mayBeHeard: ({ admission: { guildId, userId } }) => {
        const state = world.guild(guildId).voiceStates.get(userId);
        return state !== undefined && !state.mute && !state.selfMute && !state.suppress;
      },
    });
    return new Voice({ world, faults, events, dispatch, calls, connections });
  }

  /** The bot as a member of a guild: the first one, unless told. */
  bot(guild?: Guild): Member {
    const world = this.#world;
    const there = guild ?? world.guilds.values().next().value;
    if (!there) throw new SandboxRefusal('There is no guild.');
    return world.member(there.id, world.bot.id);
  }

  /** The bot's voice connections, one a guild, with what came over them. */
  get connections(): VoiceClient[] {
    return this.#connections.all;
  }

  /** Those who are connected in a channel, and their end-to-end encryption. */
  call(channel: Channel): Call {
    return this.#calls.of(channel.id);
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
   * A person joins a channel, or goes to another, without a client that hears or encrypts: see
   * `listen`.
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
  change(
    member: Member,
    changes: Partial<Pick<VoiceState, 'mute' | 'deaf' | 'suppress' | 'requestToSpeakAt'>>,
  ): void {
    this.#states.change(member, changes);
  }

  /**
   * Joins a channel as a person whose client keeps what is heard. Resolves once they could hear.
   *
   * @param options.as - the person; a new member of the guild by default
   */
  async listen(channel: Channel, options: { as?: Member } = {}): Promise<Listener> {
    const world = this.#world;
    const guild = world.guild(channel.guildId);
    const member = options.as ?? world.addMember(guild, { name: 'Listener' });
    const listener =
      this.#listeners.get(keyOf(member)) ?? new Listener(member, this.#closing.signal);
    this.#listeners.set(keyOf(member), listener);
    if (this.#states.of(member)?.channelId === channel.id) {
      listener.enter(this.call(channel));
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
    await this.#calls.settled(channel.id, timeout, this.#closing.signal);
  }

  /**
   * Turns end-to-end encryption in a channel off while people talk, as Discord does when somebody
   * comes who does not know it. Resolves once it is off.
   */
  async downgrade(channel: Channel): Promise<void> {
    await this.settled(channel);
    this.call(channel).dave.downgrade();
    await this.settled(channel);
  }

  /** Turns it on again, with a new group. Resolves once all speak under its keys. */
  async upgrade(channel: Channel): Promise<void> {
    await this.settled(channel);
    this.call(channel).dave.startOver();
    await this.settled(channel);
  }

  /** Lets everybody in a channel begin a new group. Resolves once all speak under its keys. */
  async renewGroup(channel: Channel): Promise<void> {
    this.call(channel).dave.startOver();
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
    this.#connections.drop(code);
  }

  /** Moves all calls to a new voice server, as Discord does when one fails: a new endpoint. */
  async changeServer(): Promise<void> {
    await this.#connections.changeServer();
  }

  /** Opcode 4 of the main gateway. */
  request(request: VoiceStateRequest, sessionId: string): void {
    this.#states.request(request, sessionId);
  }

  /** A session of the main gateway is over: the bot falls out of voice wherever it was with it. */
  sessionEnded(sessionId: string): void {
    for (const guild of this.#world.guilds.values()) {
      const member = guild.members.get(this.#world.bot.id);
      if (member && this.#states.of(member)?.sessionId === sessionId) this.#states.leave(member);
    }
  }

  /** Everybody falls out of a channel that is about to go. */
  channelGoes(channel: Channel): void {
    for (const member of this.#states.in(channel)) this.#states.leave(member);
    this.#calls.remove(channel.id);
  }

  /** Ends every wait and every connection; may be called more than once. */
  async close(): Promise<void> {
    this.#closing.abort(new NoResponse('The sandbox was closed'));
    this.#calls.close();
    await this.#connections.close();
  }

  #stateChanged(change: VoiceStateChange): void {
    const { member, state } = change;
    const listener = this.#listeners.get(keyOf(member));
    if (state.channelId === null) listener?.exit();
    else listener?.enter(this.#calls.of(state.channelId));
    if (member.user.id === this.#world.bot.id) this.#connections.stateChanged(change);
    this.events.emit('change');
  }
}
