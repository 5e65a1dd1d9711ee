import { modelSpeaks } from '../contract/models.ts';
import type { Sample, Voice } from '../contract/voices.ts';
import type { PresetCharacter } from '../engine/characters.ts';

/** A preset voice as the interface shows it, and the character that speaks it. */
export interface PresetVoice {
  character: PresetCharacter;
  /** Without what holds addresses, which depend on the one that the caller reached the service at. */
  details: Omit<Voice, 'samples' | 'thumbnail_image_url'>;
}

/** The preset voices, in their fixed order. */
export interface PresetVoices {
  all: readonly PresetVoice[];
  find(voiceId: string): PresetVoice | undefined;
  /** The whole Voice object as JSON. */
  json(voice: PresetVoice, baseUrl: string): string;
}

/** Base addresses whose JSON is kept: a service is reached at one or two names. */
const KEPT_ADDRESSES = 4;

/** Path of the sample of a voice in one language, style and model, below the base address. */
export function samplePath(
  voiceId: string,
  { language, style, model }: Omit<Sample, 'url'>,
): string {
  const parts = [voiceId, 'samples', language, style, model].map(encodeURIComponent);
  return `/v1/voices/${parts.join('/')}.wav`;
}

/** Path of the picture of a voice, below the base address. */
export function thumbnailPath(voiceId: string): string {
  return `/v1/voices/${encodeURIComponent(voiceId)}/thumbnail.png`;
}

function detailsOf(character: PresetCharacter): PresetVoice['details'] {
  return {
    voice_id: character.id,
    name: character.name,
    description: character.description,
    age: character.age,
    gender: character.gender,
    use_case: character.useCases[0] ?? '',
    use_cases: [...character.useCases],
    language: [...character.languages],
    styles: character.styles.map((style) => style.name),
    models: [...character.models],
  };
}

/** One entry for each language, style and model that go together (spec, "Voice"). */
function samplesOf({ details }: PresetVoice, baseUrl: string): Sample[] {
  return details.models.flatMap((model) =>
    details.language
      .filter((language) => modelSpeaks(model, language))
      .flatMap((language) =>
        details.styles.map((style) => {
          const sample = { language, style, model };
          return { ...sample, url: baseUrl + samplePath(details.voice_id, sample) };
        }),
      ),
  );
}

export function createPresetVoices(presets: readonly PresetCharacter[]): PresetVoices {
  const all = presets.map((character) => ({ character, details: detailsOf(character) }));
  const byId = new Map(all.map((voice) => [voice.details.voice_id, voice]));
  // A voice has hundreds of samples: made once for each address, a page is a matter of joining strings.
  const kept = new Map<string, Map<string, string>>();

  function jsonFor(baseUrl: string): Map<string, string> {
    const known = kept.get(baseUrl);
    if (known) return known;
    const oldest = kept.keys().next();
    if (kept.size >= KEPT_ADDRESSES && !oldest.done) kept.delete(oldest.value);
    const made = new Map<string, string>();
    kept.set(baseUrl, made);
    return made;
  }

  return {
    all,
    find: (voiceId) => byId.get(voiceId),
    json(voice, baseUrl) {
      const made = jsonFor(baseUrl);
      let json = made.get(voice.details.voice_id);
      if (json === undefined) {
        json = JSON.stringify({
          ...voice.details,
          samples: samplesOf(voice, baseUrl),
          thumbnail_image_url: baseUrl + thumbnailPath(voice.details.voice_id),
        } satisfies Voice);
        made.set(voice.details.voice_id, json);
      }
      return json;
    },
  };
}
