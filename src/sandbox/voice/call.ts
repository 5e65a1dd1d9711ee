import { VoiceOpcodes } from 'discord-api-types/voice/v8';
import { DaveGroup } from './dave/group.ts';

/** A packet of sound as it came from a participant, without its transport encryption. */
export interface MediaPacket {
  userId: string;
  /** RTP source. */
  ssrc: number;
  /** RTP, 16 bits. */
  sequence: number;
  /** RTP, 32 bits, of a clock of 48 kHz. */
  timestamp: number;
  /** Milliseconds of `performance.now()`. */
  arrivedAt: number;
  /** Opus, or with end-to-end encryption what only the members of the call can read. */
  frame: Buffer;
}

/** Somebody with a connection to the voice server: a bot over the network, or a listener in here. */
export interface Participant {
  readonly userId: string;
  send(op: VoiceOpcodes, data: unknown): void;
  sendBinary(op: VoiceOpcodes, payload: Uint8Array): void;
  /** Takes what others say; left out by those that only speak. */
  hear?(packet: MediaPacket): void;
}

/** Those who are connected for one voice channel. */
export class Call {
  readonly channelId: string;
  /** End-to-end encryption of the call. */
  readonly dave: DaveGroup;
  readonly #participants = new Map<string, Participant>();

  /** @param daveVersion - that the call begins with; 0 for none */
  constructor(channelId: string, daveVersion: number) {
    this.channelId = channelId;
    this.dave = new DaveGroup(channelId, daveVersion);
  }

  get participants(): Participant[] {
    return [...this.#participants.values()];
  }

  /** Whether anybody listens to what others say: only then a packet is worth decrypting. */
  hasListener(speakerId: string): boolean {
    for (const { userId, hear } of this.#participants.values()) {
      if (hear && userId !== speakerId) return true;
    }
    return false;
  }

  /** Takes somebody in, who knows the call's version of DAVE already. */
  join(participant: Participant): void {
    const others = this.participants;
    this.#participants.set(participant.userId, participant);
    for (const other of others) {
      other.send(VoiceOpcodes.ClientsConnect, { user_ids: [participant.userId] });
    }
    if (others.length > 0) {
      const user_ids = others.map(({ userId }) => userId);
      participant.send(VoiceOpcodes.ClientsConnect, { user_ids });
    }
    this.dave.join(participant);
  }

  leave(participant: Participant): void {
    if (this.#participants.get(participant.userId) !== participant) return;
    this.#participants.delete(participant.userId);
    for (const other of this.#participants.values()) {
      other.send(VoiceOpcodes.ClientDisconnect, { user_id: participant.userId });
    }
    this.dave.leave(participant.userId);
  }

  /** Tells the others who speaks, and under which RTP source. */
  speaking(userId: string, data: { speaking: number; ssrc: number }): void {
    for (const other of this.#participants.values()) {
      if (other.userId !== userId) other.send(VoiceOpcodes.Speaking, { ...data, user_id: userId });
    }
  }

  forward(packet: MediaPacket): void {
    for (const participant of this.#participants.values()) {
      if (participant.userId !== packet.userId) participant.hear?.(packet);
    }
  }
}
