import type { AudioEncoder } from '../audio/encoder.ts';
import type { VoiceClient } from '../client/client.ts';
import { speakLong } from '../client/long-speech.ts';
import { effectiveSettings } from '../contract/settings.ts';
import { type Speech, spokenText } from '../contract/speech.ts';
import { type ClipCache, clipKey } from './clips.ts';
import type { OpenSound } from './item.ts';

export interface SpeechSourceOptions {
  voice: Pick<VoiceClient, 'speech' | 'predictDuration'>;
  encoder: Pick<AudioEncoder, 'opusPackets'>;
  clips: ClipCache;
  /** Which voice service speaks: two may know different voices by one id. */
  service: string;
}

/** Makes the sound of speech for a voice channel. */
export type SpeechSource = (voiceId: string, speech: Speech) => OpenSound;

/**
 * Speech out of the cache where it was made before, else from the voice service as it comes, and
 * kept when it is complete.
 *
 * The loudness is part of what is kept: Opus packets cannot be made louder without decoding them,
 * a guild changes its volume seldom, and so a clip that is heard again costs no encoding at all.
 */
export function createSpeechSource(options: SpeechSourceOptions): SpeechSource {
  const { voice, encoder, clips, service } = options;
  return (voiceId, speech) =>
    async ({ gain, signal }) => {
      const { model, style, language, voice_settings } = speech;
      const text = spokenText(speech);
      const settings = effectiveSettings(model, voice_settings);
      const key = clipKey({ service, voiceId, text, model, style, language, settings, gain });
      const clip = await clips.get(key);
      if (clip) return clip;
      const sound = await speakLong(voice, voiceId, speech, { signal });
      const onFile = (file: Uint8Array) => clips.put(key, file);
      return { packets: encoder.opusPackets(sound, signal, { gain, onFile }) };
    };
}
