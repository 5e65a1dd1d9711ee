import { VoiceOpcodes } from 'discord-api-types/voice/v8';
import type { Participant } from '../call.ts';

interface Member {
  participant: Participant;
  /** It was told of the external sender. */
  knowsSender: boolean;
  /** Waits to be added with it. */
  keyPackage: Buffer | undefined;
}

/** Those who are connected, and what the server knows of the encryption of each. */
export class Members {
  readonly #members = new Map<string, Member>();
  readonly #senderPackage: Buffer;

  /** @param senderPackage - who signs proposals, as opcode 25 tells it */
  constructor(senderPackage: Buffer) {
    this.#senderPackage = senderPackage;
  }

  get size(): number {
    return this.#members.size;
  }

  get users(): string[] {
    return [...this.#members.keys()];
  }

  /** Those who gave a key package. */
  get waiting(): { userId: string; keyPackage: Buffer }[] {
    return [...this.#members].flatMap(([userId, { keyPackage }]) =>
      keyPackage ? [{ userId, keyPackage }] : [],
    );
  }

  has(userId: string): boolean {
    return this.#members.has(userId);
  }

  add(participant: Participant): void {
    const member = { participant, knowsSender: false, keyPackage: undefined };
    this.#members.set(participant.userId, member);
  }

  delete(userId: string): void {
    this.#members.delete(userId);
  }

  clear(): void {
    this.#members.clear();
  }

  keyPackage(userId: string): Buffer | undefined {
    return this.#members.get(userId)?.keyPackage;
  }

  setKeyPackage(userId: string, keyPackage: Buffer | undefined): void {
    const member = this.#members.get(userId);
    if (member) member.keyPackage = keyPackage;
  }

  /** Tells whoever does not know it yet who signs proposals: opcode 25, never before opcode 4 or 24. */
  introduceSender(): void {
    for (const member of this.#members.values()) {
      if (member.knowsSender) continue;
      member.knowsSender = true;
      member.participant.sendBinary(VoiceOpcodes.DaveMlsExternalSender, this.#senderPackage);
    }
  }

  send(op: VoiceOpcodes, data: unknown): void {
    for (const { participant } of this.#members.values()) participant.send(op, data);
  }

  sendBinary(userId: string, op: VoiceOpcodes, ...parts: Buffer[]): void {
    this.#members.get(userId)?.participant.sendBinary(op, Buffer.concat(parts));
  }
}
