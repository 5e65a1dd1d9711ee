import { EventEmitter } from 'node:events';
import { VoiceOpcodes, type VoiceSpeakingData } from 'discord-api-types/voice/v8';
import { NoResponse } from '../errors.ts';
import { waitFor } from '../wait.ts';
import type { Member } from '../world.ts';
import type { Call, MediaPacket, Participant } from './call.ts';
import { DaveMember, isEncrypted } from './dave/member.ts';
import { playOut, type TimedPacket, wavOf } from './sound.ts';

/** A packet as a listener got it: on the wire and readable. */
export interface HeardPacket extends MediaPacket, TimedPacket {
  /** Whether it was encrypted from end to end: its frame ends in 0xFAFA. */
  encrypted: boolean;
}

/** Somebody began or ended to speak (opcode 5). */
export interface SpeakingChange {
  userId: string;
  /** Flags: 1 microphone, 2 sound of a screen, 4 priority; 0 for silence. */
  speaking: number;
  ssrc: number;
  /** Milliseconds of `performance.now()`. */
  at: number;
}

export interface ListenerEvents {
  /** A packet came. */
  packet: [HeardPacket];
  /** A packet, a speaking flag or a message came. */
  change: [];
}

/** Packets kept: ten minutes; older ones go. */
const MAX_PACKETS = 30_000;

/** Milliseconds by which a packet may be late and still be heard in its place. */
const JITTER_BUFFER = 200;

/** A member who is in a voice channel with a client, and keeps all that is heard there. */
export class Listener implements Participant {
  readonly member: Member;
  readonly events = new EventEmitter<ListenerEvents>();
  /** In order of arrival; the last ten minutes. */
  readonly packets: HeardPacket[] = [];
  readonly speaking: SpeakingChange[] = [];
  readonly #signal: AbortSignal;
  #call: Call | undefined;
  #dave: DaveMember | undefined;

  /** @param signal - ends every wait */
  constructor(member: Member, signal: AbortSignal) {
    this.member = member;
    this.#signal = signal;
  }

  /** What its end-to-end encryption could not deal with; empty when all is well. */
  get faults(): readonly Error[] {
    return this.#dave?.faults ?? [];
  }

  /** The call's privacy code as this member's client shows it: 30 digits; empty without encryption. */
  get privacyCode(): string {
    return this.#dave?.privacyCode ?? '';
  }

  get userId(): string {
    return this.member.user.id;
  }

  /** The call that the member is in; undefined after leaving. */
  get call(): Call | undefined {
    return this.#call;
  }

  /** Connects to a call, instead of the one before. */
  enter(call: Call): void {
    if (this.#call === call) return;
    this.#call?.leave(this);
    this.#call = call;
    this.#dave = new DaveMember(this.userId, call);
    call.join(this);
  }

  exit(): void {
    this.#call?.leave(this);
    this.#call = undefined;
    this.#dave = undefined;
    this.events.emit('change');
  }

  /**
   * What was heard, mono at 48 kHz, from the first kept packet on: silence where packets were lost or
   * nobody spoke. An Opus encoder's delay, usually 312 samples, comes first.
   *
   * @param options.from - only this speaker; all are laid over each other's time line otherwise
   * @param options.jitterBuffer - milliseconds that a packet may be late, 200 by default
   */
  sound(options: { from?: string; jitterBuffer?: number } = {}): Int16Array {
    const { from, jitterBuffer = JITTER_BUFFER } = options;
    const packets = this.packets.filter(({ userId }) => from === undefined || userId === from);
    return playOut(packets, jitterBuffer);
  }

  /** The same as a WAV file. */
  wav(options: { from?: string; jitterBuffer?: number } = {}): Buffer {
    return wavOf(this.sound(options));
  }

  /** Forgets what was heard so far. */
  clear(): void {
    this.packets.length = 0;
    this.speaking.length = 0;
  }

  /**
   * Waits until what was heard is as wanted.
   *
   * @param timeout - milliseconds, 10,000 by default
   * @throws NoResponse when it does not become so in time
   */
  async until(wanted: (listener: this) => boolean, timeout = 10_000): Promise<this> {
    return waitFor(this.events, () => (wanted(this) ? this : undefined), {
      timeout,
      late: () => new NoResponse(`What was heard did not become so within ${timeout} ms`),
      signal: this.#signal,
    });
  }

  send(op: VoiceOpcodes, data: unknown): void {
    if (op === VoiceOpcodes.Speaking) this.#noteSpeaking(data as VoiceSpeakingData);
    this.#afterwards((dave) => dave.receive(op, data));
  }

  sendBinary(op: VoiceOpcodes, payload: Uint8Array): void {
    this.#afterwards((dave) => dave.receiveBinary(op, Buffer.from(payload)));
  }

  hear(packet: MediaPacket): void {
    const encrypted = isEncrypted(packet.frame);
    const opus = this.#dave?.decrypt(packet.userId, packet.frame);
    const heard = { ...packet, encrypted, opus };
    if (this.packets.length === MAX_PACKETS) this.packets.splice(0, MAX_PACKETS / 2);
    this.packets.push(heard);
    this.events.emit('packet', heard);
    this.events.emit('change');
  }

  /** A message is answered once its sender is done, as over a network. */
  #afterwards(act: (dave: DaveMember) => void): void {
    const dave = this.#dave;
    if (!dave) return;
    queueMicrotask(() => {
      if (this.#dave !== dave) return;
      act(dave);
      this.events.emit('change');
    });
  }

  #noteSpeaking({ user_id, speaking, ssrc }: VoiceSpeakingData): void {
    if (this.speaking.length === MAX_PACKETS) this.speaking.splice(0, MAX_PACKETS / 2);
    this.speaking.push({ userId: user_id, speaking, ssrc, at: performance.now() });
  }
}
