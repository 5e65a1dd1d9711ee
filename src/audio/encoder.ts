/** A native voice message as Discord takes it. */
export interface VoiceMessage {
  /** Ogg Opus, mono, 48 kHz. */
  file: Uint8Array;
  /** Exact length of the sound in seconds. */
  seconds: number;
  /** Base64; one byte of loudness a point, at most 256 points. */
  waveform: string;
}

/** Sound as it arrives: mono, 16 bit. */
export interface PcmStream {
  /** Hertz. */
  sampleRate: number;
  chunks: AsyncIterable<Int16Array>;
}

export interface EncodedFile {
  file: Uint8Array;
  /** Exact length of the sound in seconds, encoder padding not counted. */
  seconds: number;
}

/** Encodes sound while it arrives, in a thread of its own. */
export interface AudioEncoder {
  voiceMessage(sound: PcmStream, signal: AbortSignal): Promise<VoiceMessage>;
  mp3(sound: PcmStream, signal: AbortSignal): Promise<EncodedFile>;
  close(): Promise<void>;
}
