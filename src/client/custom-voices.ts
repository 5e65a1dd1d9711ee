import { FormData } from 'undici';
import {
  ClonedVoice,
  CustomVoice,
  type CustomVoiceEdit,
  type CustomVoiceFilters,
  CustomVoicePage,
} from '../contract/custom-voices.ts';
import type { CallOptions, PageOptions } from './client.ts';
import type { Http } from './http.ts';
import { readJson } from './json.ts';
import { pageQuery, segment } from './paths.ts';
import { allPages } from './voice-pages.ts';

export interface NewVoice {
  /** A WAV or MP3 file of one speaker, smaller than 3 MB. */
  sample: Uint8Array<ArrayBuffer>;
  name: string;
  description?: string;
}

/** The voices that the key's account made, one method an endpoint. */
export interface CustomVoiceClient {
  /** The id of the new voice. Asked once only: a repeated request might make a second voice. */
  createClonedVoice(voice: NewVoice, options: CallOptions): Promise<string>;
  listCustomVoices(options: PageOptions): Promise<CustomVoicePage>;
  searchCustomVoices(filters: CustomVoiceFilters, options: PageOptions): Promise<CustomVoicePage>;
  allCustomVoices(options: CallOptions): Promise<CustomVoice[]>;
  getCustomVoice(voiceId: string, options: CallOptions): Promise<CustomVoice>;
  /** The voice as it is after the change. */
  editCustomVoice(
    voiceId: string,
    change: CustomVoiceEdit,
    options: CallOptions,
  ): Promise<CustomVoice>;
  /** @throws {VoiceNotFoundError} also when an earlier try deleted it and its answer was lost */
  deleteCustomVoice(voiceId: string, options: CallOptions): Promise<void>;
}

const LIST = { method: 'GET', path: '/v1/custom-voices' } as const;
const SEARCH = { method: 'GET', path: '/v1/custom-voices/search' } as const;

export function createCustomVoiceClient(http: Http): CustomVoiceClient {
  const single = (voiceId: string) => ({ path: `${LIST.path}/${segment(voiceId)}`, voiceId });

  return {
    async createClonedVoice({ sample, name, description }, { signal }) {
      const form = new FormData();
      form.append('name', name);
      if (description !== undefined) form.append('description', description);
      form.append('files', new Blob([sample], { type: 'application/octet-stream' }), 'sample');
      const { voice_id } = await http.call(
        { method: 'POST', path: `${LIST.path}/cloned-voice`, form, once: true },
        (answer) => readJson(answer, ClonedVoice),
        signal,
      );
      return voice_id;
    },
    listCustomVoices: ({ signal, ...page }) =>
      http.call(
        { ...LIST, query: pageQuery(page) },
        (answer) => readJson(answer, CustomVoicePage),
        signal,
      ),
    searchCustomVoices: (filters, { signal, ...page }) =>
      http.call(
        { ...SEARCH, query: { ...filters, ...pageQuery(page) } },
        (answer) => readJson(answer, CustomVoicePage),
        signal,
      ),
    allCustomVoices: ({ signal }) =>
      allPages(LIST, (query) =>
        http.call({ ...LIST, query }, (answer) => readJson(answer, CustomVoicePage), signal),
      ),
    getCustomVoice: (voiceId, { signal }) =>
      http.call(
        { method: 'GET', ...single(voiceId) },
        (answer) => readJson(answer, CustomVoice),
        signal,
      ),
    editCustomVoice: (voiceId, body, { signal }) =>
      http.call(
        { method: 'PATCH', ...single(voiceId), body },
        (answer) => readJson(answer, CustomVoice),
        signal,
      ),
    deleteCustomVoice: (voiceId, { signal }) =>
      http.call({ method: 'DELETE', ...single(voiceId) }, async () => undefined, signal),
  };
}
