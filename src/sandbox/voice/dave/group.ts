import { EventEmitter } from 'node:events';
import { VoiceOpcodes } from 'discord-api-types/voice/v8';
import type { Participant } from '../call.ts';
import { readCommit } from './commit.ts';
import { u8, u16, vector } from './encoding.ts';
import { type Change, ExternalSender } from './external-sender.ts';
import { Leaves } from './leaves.ts';
import { Members } from './members.ts';

/** Version of DAVE that is spoken here. */
export const DAVE_VERSION = 1;

/** Milliseconds until a group that does not get on starts over. */
const PATIENCE = 5000;

/** First byte of opcode 27: proposals follow, and no references to take back. */
const PROPOSALS_APPENDED = 0;

/** A change of the group or the version that everybody prepares for before it is executed. */
interface Transition {
  id: number;
  /** What a commit may contain, while one is waited for: whom it adds, or which leaf it takes. */
  proposals: Map<string, Change> | undefined;
  /** Who may still commit; after a commit, who has not said yet that they are ready. */
  awaited: Set<string>;
  /** Version after it. */
  version: number;
  timer: NodeJS.Timeout;
}

/**
 * The voice server's side of end-to-end encryption in one call: external sender and delivery service
 * of an MLS group (DAVE protocol, "Voice Gateway"). It sees who is a member, never a key. One change
 * at a time: who comes or goes during a transition is dealt with after it.
 */
export class DaveGroup {
  readonly events = new EventEmitter<{ change: [] }>();
  readonly #channelId: string;
  readonly #sender = new ExternalSender();
  readonly #members = new Members(this.#sender.package);
  readonly #leaves = new Leaves();
  #epoch = 0n;
  #generation = 0;
  #version: number;
  #transition: Transition | undefined;
  #transitions = 0;

  /** @param version - of DAVE to begin with; 0 for none */
  constructor(channelId: string, version: number) {
    this.#channelId = channelId;
    this.#version = version;
  }

  /** Version of DAVE that is spoken now; 0 for none. */
  get version(): number {
    return this.#version;
  }

  /** Of the MLS group; 0 while nobody shares one. */
  get epoch(): bigint {
    return this.#epoch;
  }

  /** How often everybody had to begin anew. */
  get generation(): number {
    return this.#generation;
  }

  /** Users who share the group's keys. */
  get users(): string[] {
    return this.#leaves.users;
  }

  /** Whether no transition is under way, and everybody who should share the keys does. */
  get isSettled(): boolean {
    if (this.#transition) return false;
    if (this.#version === 0 || this.#members.size < 2) return true;
    const { users, obsolete } = this.#leaves;
    return obsolete.length === 0 && users.length === this.#members.size;
  }

  /** Takes somebody in, who has just been told of the version. */
  join(participant: Participant): void {
    this.#members.add(participant);
    if (this.#version > 0) this.#members.introduceSender();
  }

  leave(userId: string): void {
    this.#members.delete(userId);
    this.#leaves.lose(userId);
    this.#noLongerAwait(userId);
    this.#advance();
    this.events.emit('change');
  }

  /** Opcodes 26 and 28. @throws RangeError when it is nothing that a member says */
  receiveBinary(userId: string, op: number, payload: Buffer): void {
    if (!this.#members.has(userId) || this.#version === 0) return;
    if (op === VoiceOpcodes.DaveMlsKeyPackage) {
      this.#members.setKeyPackage(userId, payload);
      this.#advance();
    } else if (op === VoiceOpcodes.DaveMlsCommitWelcome) {
      this.#commit(userId, payload);
    }
  }

  /** Opcode 23. */
  ready(userId: string, transitionId: number): void {
    if (this.#transition?.id !== transitionId) return;
    this.#transition.awaited.delete(userId);
    this.#executeWhenReady();
  }

  /** Opcode 31: somebody could not use a commit or welcome, and begins anew with a key package. */
  invalid(userId: string): void {
    this.#leaves.lose(userId);
    this.#members.setKeyPackage(userId, undefined);
    this.#noLongerAwait(userId);
    this.#advance();
  }

  /** Turns the encryption off, once everybody is ready for it. */
  downgrade(): void {
    this.#clearTransition();
    const transition = this.#begin(0, this.#members.users);
    const data = { protocol_version: 0, transition_id: transition.id };
    this.#members.send(VoiceOpcodes.DavePrepareTransition, data);
    this.#executeWhenReady();
  }

  /** Lets everybody begin a new group, also after a downgrade: opcode 24 with epoch 1. */
  startOver(): void {
    this.#clearTransition();
    this.#forgetGroup();
    this.#generation += 1;
    this.#version = DAVE_VERSION;
    const data = { protocol_version: DAVE_VERSION, epoch: 1 };
    this.#members.send(VoiceOpcodes.DavePrepareEpoch, data);
    for (const userId of this.#members.users) this.#members.setKeyPackage(userId, undefined);
    this.#members.introduceSender();
    if (this.#members.size > 1) return;
    const alone = { protocol_version: DAVE_VERSION, transition_id: 0 };
    this.#members.send(VoiceOpcodes.DavePrepareTransition, alone);
  }

  /** Ends what it waits for. */
  close(): void {
    this.#clearTransition();
    this.#members.clear();
  }

  #forgetGroup(): void {
    this.#leaves.clear();
    this.#epoch = 0n;
  }

  /** Proposes what the group lacks, unless a transition is under way. */
  #advance(): void {
    if (this.#transition || this.#version === 0) return;
    const present = this.users;
    if (present.length === 0) this.#forgetGroup();
    const obsolete = this.#leaves.obsolete.map((removeLeaf) => ({ removeLeaf }));
    if (this.#members.size === 1 && obsolete.length > 0) {
      this.startOver();
      return;
    }
    const adds = this.#members.waiting
      .filter(({ userId }) => !this.#leaves.has(userId))
      .map(({ userId, keyPackage }) => ({ add: keyPackage, userId }));
    if (present.length > 0) {
      this.#propose([...obsolete, ...adds], present);
    } else if (adds.length > 1) {
      // Without a group everybody proposes to take in all others: the first commit founds it.
      const founders = adds.map(({ userId }) => userId);
      this.#propose(adds, founders);
    }
  }

  #propose(changes: readonly Change[], committers: readonly string[]): void {
    if (changes.length === 0) return;
    const proposals = changes.map((change) => ({
      change,
      ...this.#sender.propose(this.#channelId, this.#epoch, change),
    }));
    const known = new Map(proposals.map(({ reference, change }) => [reference, change]));
    this.#begin(this.#version, committers, known);
    for (const committer of committers) {
      const messages = proposals.flatMap(({ message, change }) =>
        'userId' in change && change.userId === committer ? [] : [message],
      );
      this.#members.sendBinary(
        committer,
        VoiceOpcodes.DaveMlsProposals,
        u8(PROPOSALS_APPENDED),
        vector(...messages),
      );
    }
  }

  #begin(
    version: number,
    awaited: readonly string[],
    proposals?: Transition['proposals'],
  ): Transition {
    this.#transitions = (this.#transitions % 0xffff) + 1;
    this.#transition = {
      id: this.#transitions,
      proposals,
      awaited: new Set(awaited),
      version,
      timer: setTimeout(() => this.startOver(), PATIENCE),
    };
    return this.#transition;
  }

  /** The first commit of an epoch wins; what comes later is dropped. */
  #commit(userId: string, payload: Buffer): void {
    const commit = readCommit(payload);
    const transition = this.#transition;
    if (!transition?.proposals || commit.epoch !== this.#epoch) return;
    const changes = commit.references.flatMap((reference) => {
      const change = transition.proposals?.get(reference);
      return change ? [change] : [];
    });
    if (changes.length < commit.references.length) return;
    if (this.#epoch === 0n) this.#leaves.add(userId);
    const before = this.users;
    this.#leaves.apply(changes);
    for (const change of changes) {
      if (!('userId' in change)) continue;
      // Whoever left and came back, or began anew, while the commit was made, cannot use it.
      const { userId: newcomer, add } = change;
      if (this.#members.keyPackage(newcomer) !== add) this.#leaves.lose(newcomer);
    }
    this.#epoch = commit.epoch + 1n;
    transition.proposals = undefined;
    transition.awaited = new Set(this.users);
    const id = u16(transition.id);
    const members = this.users.filter((user) => before.includes(user));
    const newcomers = this.users.filter((user) => !before.includes(user));
    for (const user of this.users) this.#members.setKeyPackage(user, undefined);
    for (const user of newcomers) {
      this.#members.sendBinary(user, VoiceOpcodes.DaveMlsWelcome, id, commit.welcome);
    }
    for (const user of members) {
      this.#members.sendBinary(
        user,
        VoiceOpcodes.DaveMlsAnnounceCommitTransition,
        id,
        commit.message,
      );
    }
    this.#executeWhenReady();
  }

  /** Somebody will not answer any more. Without anybody to commit, those who are left begin anew. */
  #noLongerAwait(userId: string): void {
    const transition = this.#transition;
    if (!transition) return;
    transition.awaited.delete(userId);
    if (transition.proposals && transition.awaited.size === 0) this.startOver();
    else this.#executeWhenReady();
  }

  #executeWhenReady(): void {
    const transition = this.#transition;
    if (!transition || transition.proposals || transition.awaited.size > 0) return;
    const { id, version } = transition;
    this.#clearTransition();
    this.#version = version;
    if (version === 0) this.#forgetGroup();
    this.#members.send(VoiceOpcodes.DaveExecuteTransition, { transition_id: id });
    this.events.emit('change');
    this.#advance();
  }

  #clearTransition(): void {
    clearTimeout(this.#transition?.timer);
    this.#transition = undefined;
  }
}
