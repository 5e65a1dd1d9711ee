import type { VoiceMessage } from './encoder.ts';

/** What a job makes. */
export type JobFormat = 'voice' | 'mp3';

/** The steps of a job, in this order. */
export type EncoderStep =
  | { step: 'open'; job: number; format: JobFormat; sampleRate: number }
  | { step: 'chunk'; job: number; samples: Int16Array }
  | { step: 'finish'; job: number };

/** To the thread. A step is answered once, under the number of its call. */
export type EncoderRequest = (EncoderStep & { call: number }) | { step: 'drop'; job: number };

/** What a step gives: bytes of the file that are ready, or the whole voice message. */
export interface StepResult {
  bytes?: Uint8Array;
  voice?: Omit<VoiceMessage, 'seconds'>;
}

/** From the thread. */
export type EncoderReply = { call: number } & ({ result: StepResult } | { error: string });
