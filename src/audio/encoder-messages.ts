import type { VoiceMessage } from './encoder.ts';

/** What a job makes. */
export type JobKind =
  | { format: 'voice' }
  | { format: 'mp3' }
  | {
      format: 'packets';
      /** Factor of loudness. */
      gain: number;
      /** Whether the packets are wanted as an Ogg Opus file too, when all are made. */
      file: boolean;
    };

/** The steps of a job, in this order. */
export type EncoderStep =
  | ({ step: 'open'; job: number; sampleRate: number } & JobKind)
  | { step: 'chunk'; job: number; samples: Int16Array }
  | { step: 'finish'; job: number };

/** To the thread. A step is answered once, under the number of its call. */
export type EncoderRequest = (EncoderStep & { call: number }) | { step: 'drop'; job: number };

/** What a step gives: what is ready of the file or of the packets, or the whole voice message. */
export interface StepResult {
  /** The next bytes of a file, or Opus packets one after the other. */
  bytes?: Uint8Array;
  /** Lengths of the Opus packets in `bytes`. */
  packetLengths?: number[];
  /** The Ogg Opus file of all packets. */
  file?: Uint8Array;
  voice?: Omit<VoiceMessage, 'seconds'>;
}

/** From the thread. */
export type EncoderReply = { call: number } & ({ result: StepResult } | { error: string });
