import type { SpeechRequest } from '../contract/speech.ts';
import type { Voice, VoiceFilters, VoicePage } from '../contract/voices.ts';

export interface CallOptions {
  signal: AbortSignal;
}

export interface PageOptions extends CallOptions {
  pageSize?: number;
  pageToken?: string;
}

/** A voice service, one method an endpoint. */
export interface VoiceClient {
  /** Create speech: the whole sound as 16 bit samples, mono. */
  createSpeech(voiceId: string, request: SpeechRequest, options: CallOptions): Promise<Int16Array>;
  predictDuration(voiceId: string, request: SpeechRequest, options: CallOptions): Promise<number>;
  listVoices(options: PageOptions): Promise<VoicePage>;
  searchVoices(filters: VoiceFilters, options: PageOptions): Promise<VoicePage>;
  getVoice(voiceId: string, options: CallOptions): Promise<Voice>;
  close(): Promise<void>;
}
