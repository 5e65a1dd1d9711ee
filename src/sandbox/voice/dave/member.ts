import { DAVESession, type MediaType } from '@snazzah/davey';
import {
  type VoiceClientDisconnectData,
  type VoiceClientsConnectData,
  type VoiceDaveExecuteTransitionData,
  type VoiceDavePrepareEpochData,
  type VoiceDavePrepareTransitionData,
  VoiceOpcodes,
} from 'discord-api-types/voice/v8';
import type { Call } from '../call.ts';

/** Ends a frame that is encrypted (DAVE protocol, "Payload Format"). */
const MARKER = 0xfafa;

/** What a sender says when it stops; never encrypted. */
const SILENCE = Buffer.from([0xf8, 0xff, 0xfe]);

/** Of the package's enumeration, which exists for the compiler alone. */
const AUDIO: MediaType = 0;

/** Seconds for which clear frames are still taken after the encryption began, and before it ends. */
const AFTER_UPGRADE = 10;
const BEFORE_DOWNGRADE = 24;

/** Whether a frame on the wire is encrypted from end to end. */
export function isEncrypted(frame: Buffer): boolean {
  return frame.length > 2 && frame.readUInt16BE(frame.length - 2) === MARKER;
}

/** A client's side of end-to-end encryption, with keys of its own: it can read what is said to it. */
export class DaveMember {
  /** What it could not deal with, the last ones. */
  readonly faults: Error[] = [];
  readonly #userId: string;
  readonly #call: Call;
  readonly #connected = new Set<string>();
  readonly #pending = new Map<number, number>();
  #session: DAVESession | undefined;
  /** In force; what is said under another one is in flight. */
  #version: number;
  /** In force once the next transition is executed. */
  #nextVersion: number;
  #wasDowngraded = false;

  constructor(userId: string, call: Call) {
    this.#userId = userId;
    this.#call = call;
    this.#version = call.dave.version;
    this.#nextVersion = this.#version;
    if (this.#version > 0) queueMicrotask(() => this.#offerKeyPackage());
  }

  /** What all who share the keys see alike: 30 digits; empty without a group. */
  get privacyCode(): string {
    return this.#version > 0 ? (this.#session?.voicePrivacyCode ?? '') : '';
  }

  receive(op: VoiceOpcodes, data: unknown): void {
    if (op === VoiceOpcodes.ClientsConnect) {
      for (const id of (data as VoiceClientsConnectData).user_ids) this.#connected.add(id);
    } else if (op === VoiceOpcodes.ClientDisconnect) {
      this.#connected.delete((data as VoiceClientDisconnectData).user_id);
    } else if (op === VoiceOpcodes.DavePrepareTransition) {
      this.#prepare(data as VoiceDavePrepareTransitionData);
    } else if (op === VoiceOpcodes.DaveExecuteTransition) {
      this.#execute((data as VoiceDaveExecuteTransitionData).transition_id);
    } else if (op === VoiceOpcodes.DavePrepareEpoch) {
      const { epoch, protocol_version } = data as VoiceDavePrepareEpochData;
      if (epoch !== 1) return;
      this.#nextVersion = protocol_version;
      this.#offerKeyPackage();
    }
  }

  receiveBinary(op: VoiceOpcodes, payload: Buffer): void {
    try {
      this.#handle(op, payload);
    } catch (error) {
      if (this.faults.length === 100) this.faults.shift();
      this.faults.push(error as Error);
    }
  }

  /** The Opus of a frame; undefined when it is for other members, or clear where it must not be. */
  decrypt(userId: string, frame: Buffer): Buffer | undefined {
    const session = this.#session;
    if (!session?.ready || frame.equals(SILENCE)) return isEncrypted(frame) ? undefined : frame;
    if (this.#version === 0 && !isEncrypted(frame)) return frame;
    try {
      return session.decrypt(userId, AUDIO, frame);
    } catch {
      // Frames of an epoch before or after this member's time are expected around transitions.
      return undefined;
    }
  }

  #handle(op: VoiceOpcodes, payload: Buffer): void {
    const session = this.#session;
    if (!session) throw new Error(`Opcode ${op} came before the encryption began`);
    if (op === VoiceOpcodes.DaveMlsExternalSender) {
      session.setExternalSender(payload);
    } else if (op === VoiceOpcodes.DaveMlsProposals) {
      const users = [...this.#connected];
      const proposals = payload.subarray(1);
      const { commit, welcome } = session.processProposals(payload.readUInt8(), proposals, users);
      if (!commit) return;
      const answer = welcome ? Buffer.concat([commit, welcome]) : commit;
      this.#reply(VoiceOpcodes.DaveMlsCommitWelcome, answer);
    } else if (op === VoiceOpcodes.DaveMlsAnnounceCommitTransition) {
      this.#change(payload.readUInt16BE(), () => session.processCommit(payload.subarray(2)));
    } else if (op === VoiceOpcodes.DaveMlsWelcome) {
      this.#change(payload.readUInt16BE(), () => session.processWelcome(payload.subarray(2)));
    }
  }

  #change(transitionId: number, apply: () => void): void {
    try {
      apply();
    } catch (error) {
      this.#call.dave.invalid(this.#userId);
      this.#offerKeyPackage();
      throw error;
    }
    this.#pending.set(transitionId, this.#nextVersion);
    this.#call.dave.ready(this.#userId, transitionId);
  }

  #prepare({ transition_id: id, protocol_version: version }: VoiceDavePrepareTransitionData): void {
    this.#pending.set(id, version);
    if (id === 0) {
      this.#execute(id);
      return;
    }
    if (version === 0) this.#session?.setPassthroughMode(true, BEFORE_DOWNGRADE);
    this.#call.dave.ready(this.#userId, id);
  }

  #execute(id: number): void {
    const version = this.#pending.get(id);
    if (version === undefined) return;
    this.#pending.delete(id);
    const before = this.#version;
    this.#version = version;
    this.#nextVersion = version;
    if (before > 0 && version === 0) this.#wasDowngraded = true;
    if (id > 0 && version > 0 && this.#wasDowngraded) {
      this.#wasDowngraded = false;
      this.#session?.setPassthroughMode(true, AFTER_UPGRADE);
    }
  }

  /** Begins with an empty group and offers to be added to that of the others. */
  #offerKeyPackage(): void {
    const { channelId } = this.#call;
    if (this.#session) this.#session.reinit(this.#nextVersion, this.#userId, channelId);
    else this.#session = new DAVESession(this.#nextVersion, this.#userId, channelId);
    this.#reply(VoiceOpcodes.DaveMlsKeyPackage, this.#session.getSerializedKeyPackage());
  }

  #reply(op: VoiceOpcodes, payload: Buffer): void {
    this.#call.dave.receiveBinary(this.#userId, op, payload);
  }
}
