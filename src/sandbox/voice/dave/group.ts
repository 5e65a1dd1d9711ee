import { EventEmitter } from 'node:events';
import { VoiceOpcodes } from 'discord-api-types/voice/v8';
import type { Participant } from '../call.ts';
import { readCommit } from './commit.ts';
import { u8, u16, vector } from './encoding.ts';
import { type Change, ExternalSender, type Proposal } from './external-sender.ts';
import { Leaves } from './leaves.ts';

/** Version of DAVE that is spoken here. */
export const DAVE_VERSION = 1;

/** Milliseconds until a group that does not get on starts over. */
const PATIENCE = 5000;

interface Member {
  participant: Participant;
  /** It was told of the external sender. */
  knowsSender: boolean;
  /** Waits to be added. */
  keyPackage: Buffer | undefined;
}

type ProposedChange = { userId: string; keyPackage: Buffer } | { removeLeaf: number };

/** A change of the group or the version that everybody prepares for before it is executed. */
interface Transition {
  id: number;
  /** What a commit may contain, while one is waited for: whom it adds, or which leaf it takes. */
  proposals: Map<string, ProposedChange> | undefined;
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
  readonly #members = new Map<string, Member>();
  readonly #leaves = new Leaves();
  #epoch = 0n;
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
    const member = { participant, knowsSender: false, keyPackage: undefined };
    this.#members.set(participant.userId, member);
    if (this.#version > 0) this.#introduceSender(member);
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
    const member = this.#members.get(userId);
    if (!member || this.#version === 0) return;
    if (op === VoiceOpcodes.DaveMlsKeyPackage) {
      member.keyPackage = payload;
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
    const member = this.#members.get(userId);
    if (member) member.keyPackage = undefined;
    this.#noLongerAwait(userId);
    this.#advance();
  }

  /** Turns the encryption off, once everybody is ready for it. */
  downgrade(): void {
    this.#clearTransition();
    const transition = this.#begin(0, [...this.#members.keys()]);
    const data = { protocol_version: 0, transition_id: transition.id };
    this.#sendAll(VoiceOpcodes.DavePrepareTransition, data);
    this.#executeWhenReady();
  }

  /** Turns the encryption on again, with a new group. */
  upgrade(): void {
    this.#version = DAVE_VERSION;
    this.startOver();
  }

  /** Lets everybody begin a new group: opcode 24 with epoch 1. */
  startOver(): void {
    this.#clearTransition();
    this.#forgetGroup();
    const data = { protocol_version: DAVE_VERSION, epoch: 1 };
    this.#sendAll(VoiceOpcodes.DavePrepareEpoch, data);
    for (const member of this.#members.values()) {
      member.keyPackage = undefined;
      if (!member.knowsSender) this.#introduceSender(member);
    }
    if (this.#members.size > 1) return;
    const alone = { protocol_version: DAVE_VERSION, transition_id: 0 };
    this.#sendAll(VoiceOpcodes.DavePrepareTransition, alone);
  }

  /** Ends what it waits for. */
  close(): void {
    this.#clearTransition();
    this.#members.clear();
  }

  #introduceSender(member: Member): void {
    member.knowsSender = true;
    member.participant.sendBinary(VoiceOpcodes.DaveMlsExternalSender, this.#sender.package);
  }

  #sendAll(op: VoiceOpcodes, data: unknown): void {
    for (const { participant } of this.#members.values()) participant.send(op, data);
  }

  #forgetGroup(): void {
    this.#leaves.clear();
    this.#epoch = 0n;
  }

  /** Does what membership lacks, unless a transition is under way. */
  #advance(): void {
    if (this.#transition || this.#version === 0) return;
    const present = this.users;
    if (present.length === 0) {
      this.#forgetGroup();
      this.#found();
    } else if (this.#members.size === 1 && this.#leaves.obsolete.length > 0) {
      this.startOver();
    } else {
      this.#change(present);
    }
  }

  /** Without a group everybody proposes to take in all others: the first commit founds it. */
  #found(): void {
    const waiting = this.#waiting();
    if (waiting.length < 2) return;
    const adds = waiting.map(({ userId, keyPackage }) => ({
      userId,
      keyPackage,
      ...this.#propose({ add: keyPackage }),
    }));
    const known = new Map(
      adds.map(({ reference, userId, keyPackage }) => [reference, { userId, keyPackage }]),
    );
    const users = waiting.map(({ userId }) => userId);
    this.#begin(this.#version, users, known);
    for (const userId of users) {
      const others = adds.filter((add) => add.userId !== userId);
      this.#sendProposals(userId, others);
    }
  }

  /** Proposes to the group's members who goes and who comes. */
  #change(present: readonly string[]): void {
    const proposals: Proposal[] = [];
    const known = new Map<string, ProposedChange>();
    const propose = (change: Change, meaning: ProposedChange) => {
      const proposal = this.#propose(change);
      proposals.push(proposal);
      known.set(proposal.reference, meaning);
    };
    for (const removeLeaf of this.#leaves.obsolete) propose({ removeLeaf }, { removeLeaf });
    for (const { userId, keyPackage } of this.#waiting()) {
      propose({ add: keyPackage }, { userId, keyPackage });
    }
    if (proposals.length === 0) return;
    this.#begin(this.#version, present, known);
    for (const userId of present) this.#sendProposals(userId, proposals);
  }

  /** Those who gave a key package and have no leaf, not even an old one. */
  #waiting(): { userId: string; keyPackage: Buffer }[] {
    return [...this.#members].flatMap(([userId, { keyPackage }]) =>
      keyPackage && !this.#leaves.has(userId) ? [{ userId, keyPackage }] : [],
    );
  }

  #propose(change: Change): Proposal {
    return this.#sender.propose(this.#channelId, this.#epoch, change);
  }

  #sendProposals(userId: string, proposals: readonly Proposal[]): void {
    const payload = Buffer.concat([u8(0), vector(...proposals.map(({ message }) => message))]);
    this.#members.get(userId)?.participant.sendBinary(VoiceOpcodes.DaveMlsProposals, payload);
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
    for (const change of changes) {
      if ('removeLeaf' in change) this.#leaves.remove(change.removeLeaf);
    }
    const added = changes.flatMap((change) => ('userId' in change ? [change] : []));
    for (const newcomer of added) this.#leaves.add(newcomer.userId);
    for (const { userId: id, keyPackage } of added) {
      // Whoever left and came back, or began anew, while the commit was made, cannot use it.
      if (this.#members.get(id)?.keyPackage !== keyPackage) this.#leaves.lose(id);
    }
    this.#epoch = commit.epoch + 1n;
    transition.proposals = undefined;
    transition.awaited = new Set(this.users);
    const id = u16(transition.id);
    for (const user of this.users) {
      if (before.includes(user)) continue;
      this.#deliver(user, VoiceOpcodes.DaveMlsWelcome, id, commit.welcome);
    }
    for (const user of this.users) {
      if (!before.includes(user)) continue;
      this.#deliver(user, VoiceOpcodes.DaveMlsAnnounceCommitTransition, id, commit.message);
    }
    this.#executeWhenReady();
  }

  #deliver(userId: string, op: VoiceOpcodes, transitionId: Buffer, message: Buffer): void {
    const member = this.#members.get(userId);
    if (!member) return;
    member.keyPackage = undefined;
    member.participant.sendBinary(op, Buffer.concat([transitionId, message]));
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
    this.#sendAll(VoiceOpcodes.DaveExecuteTransition, { transition_id: id });
    this.events.emit('change');
    this.#advance();
  }

  #clearTransition(): void {
    clearTimeout(this.#transition?.timer);
    this.#transition = undefined;
  }
}
