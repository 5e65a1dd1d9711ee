import type { AudioEncoder } from '../../audio/encoder.ts';
import type { ModelAliases } from '../../contract/aliases.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Logger } from '../../log.ts';
import type { AdmissionContext } from '../admission.ts';
import type { LifetimeOptions } from '../lifetime.ts';
import type { SpeechCache } from '../speech-cache.ts';
import type { FindVoice } from '../utterance.ts';

/** What the routes that make sound work with. */
export interface SpeechContext extends AdmissionContext {
  engine: Engine;
  encoder: Pick<AudioEncoder, 'mp3' | 'mp3Stream'>;
  aliases: ModelAliases;
  cache: SpeechCache;
  findVoice: FindVoice;
  lifetime: LifetimeOptions;
  log: Logger;
}

/** What a caller reads when speech could not be made (spec, "Text-to-speech errors"). */
export const SPEECH_FAILURE = 'Failed to convert text to speech';
