import type { PcmStream } from '../audio/encoder.ts';
import type { Pcm } from '../audio/pcm.ts';
import { DEFAULT_MODEL, type Model } from '../contract/models.ts';
import {
  type PhonemeData,
  PredictedDuration,
  type SpeechRequest,
  SpeechWithPhonemes,
} from '../contract/speech.ts';
import { Voice, type VoiceFilters, VoicePage } from '../contract/voices.ts';
import type { Logger } from '../log.ts';
import { type CustomVoiceClient, createCustomVoiceClient } from './custom-voices.ts';
import { BadAnswerError, InvalidRequestError } from './errors.ts';
import { createHttp, type HttpRules } from './http.ts';
import { readJson } from './json.ts';
import { pageQuery, segment } from './paths.ts';
import { downloadSample, type SampleFile } from './sample.ts';
import { decodeSound, readSound, streamSound } from './sound.ts';
import {
  allPages,
  LIST_VOICES,
  SEARCH_VOICES,
  type VoiceSummary,
  VoiceSummaryPage,
} from './voice-pages.ts';

export interface CallOptions {
  /** Ends the call, and the sound that it is sending. The call then fails with the signal's reason. */
  signal: AbortSignal;
}

export interface PageOptions extends CallOptions {
  /** Voices a page, 10 to 100; the service's default is 20. */
  pageSize?: number;
  /** `next_page_token` of the page before. */
  pageToken?: string;
}

export interface SpeechAndPhonemes extends Pcm {
  phonemes: PhonemeData;
}

/**
 * A voice service, one method an endpoint. Requests that fail for a passing reason are repeated
 * within their deadline; what is thrown is a VoiceServiceError of the class that fits, or the
 * reason of the caller's signal.
 */
export interface VoiceClient extends CustomVoiceClient {
  /**
   * Speech as soon as it comes: streamed, or whole from a service that does not stream the model
   * (supplement, "Streaming"). Read the chunks to their end or abort the signal: they hold a
   * connection. Sound that breaks off is an error, never a shorter sound.
   */
  speech(voiceId: string, request: SpeechRequest, options: CallOptions): Promise<PcmStream>;
  /** Create speech: the whole sound. */
  createSpeech(voiceId: string, request: SpeechRequest, options: CallOptions): Promise<Pcm>;
  /** Stream speech: resolves with the first sound. The chunks are to be read as those of `speech`. */
  streamSpeech(voiceId: string, request: SpeechRequest, options: CallOptions): Promise<PcmStream>;
  /** Create speech with `include_phonemes`. */
  speechWithPhonemes(
    voiceId: string,
    request: SpeechRequest,
    options: CallOptions,
  ): Promise<SpeechAndPhonemes>;
  /** Seconds that the speech would last. Costs no credits. */
  predictDuration(voiceId: string, request: SpeechRequest, options: CallOptions): Promise<number>;
  listVoices(options: PageOptions): Promise<VoicePage>;
  searchVoices(filters: VoiceFilters, options: PageOptions): Promise<VoicePage>;
  /** One preset voice with all of its samples. */
  getVoice(voiceId: string, options: CallOptions): Promise<Voice>;
  /**
   * Every voice of the service, or every one that matches the filters, without the samples, which
   * are most of a page's bytes.
   */
  allVoices(options: CallOptions & { filters?: VoiceFilters }): Promise<VoiceSummary[]>;
  /** The audio of one of a voice's samples, as the file that it is. */
  downloadSample(url: string, options: CallOptions): Promise<SampleFile>;
  /** Ends all calls and connections. */
  close(): Promise<void>;
}

export interface VoiceClientOptions extends Partial<HttpRules> {
  /** Base address, such as `http://127.0.0.1:8600`; a path in it stays. */
  url: string;
  /** API key. Never logged, never part of an error. */
  key: string;
  log?: Logger;
}

/** Makes a client. It connects at the first call; `close` ends its connections. */
export function createVoiceClient(options: VoiceClientOptions): VoiceClient {
  const http = createHttp(options);
  /** Models that the service answers with 400 when they are to be streamed. */
  const unstreamable = new Set<Model>();

  const speak = (suffix: '' | '/stream', voiceId: string, body: SpeechRequest) => ({
    method: 'POST' as const,
    path: `/v1/text-to-speech/${segment(voiceId)}${suffix}`,
    voiceId,
    body,
  });
  const wav = (request: SpeechRequest): SpeechRequest => ({
    ...request,
    output_format: 'wav',
    include_phonemes: false,
  });

  const client: VoiceClient = {
    ...createCustomVoiceClient(http),
    async speech(voiceId, request, options) {
      const model = request.model ?? DEFAULT_MODEL;
      let refused = false;
      if (!unstreamable.has(model)) {
        try {
          return await client.streamSpeech(voiceId, request, options);
        } catch (error) {
          if (!(error instanceof InvalidRequestError)) throw error;
          refused = true;
        }
      }
      const { samples, sampleRate } = await client.createSpeech(voiceId, request, options);
      // Only now is it certain that the 400 was about streaming and not about the request.
      if (refused) unstreamable.add(model);
      return { sampleRate, chunks: once(samples) };
    },
    createSpeech: (voiceId, request, { signal }) =>
      http.call(speak('', voiceId, wav(request)), readSound, signal),
    streamSpeech: (voiceId, request, { signal }) =>
      http.call(speak('/stream', voiceId, wav(request)), streamSound, signal),
    speechWithPhonemes: (voiceId, request, { signal }) =>
      http.call(
        speak('', voiceId, { ...request, output_format: 'wav', include_phonemes: true }),
        async (answer) => {
          const { audio_base64, phonemes } = await readJson(answer, SpeechWithPhonemes);
          const { symbols, start_times_seconds, durations_seconds } = phonemes;
          const count = symbols.length;
          if (start_times_seconds.length !== count || durations_seconds.length !== count) {
            throw new BadAnswerError(answer.request, 'the phoneme arrays differ in length');
          }
          const sound = decodeSound(answer.request, Buffer.from(audio_base64, 'base64'));
          return { ...sound, phonemes };
        },
        signal,
      ),
    async predictDuration(voiceId, body, { signal }) {
      const path = `/v1/predict-duration/${segment(voiceId)}`;
      const { duration } = await http.call(
        { method: 'POST', path, voiceId, body },
        (answer) => readJson(answer, PredictedDuration),
        signal,
      );
      return duration;
    },
    listVoices: ({ signal, ...page }) =>
      http.call(
        { ...LIST_VOICES, query: pageQuery(page) },
        (answer) => readJson(answer, VoicePage),
        signal,
      ),
    searchVoices: (filters, { signal, ...page }) =>
      http.call(
        { ...SEARCH_VOICES, query: { ...filters, ...pageQuery(page) } },
        (answer) => readJson(answer, VoicePage),
        signal,
      ),
    getVoice: (voiceId, { signal }) =>
      http.call(
        { method: 'GET', path: `/v1/voices/${segment(voiceId)}`, voiceId },
        (answer) => readJson(answer, Voice),
        signal,
      ),
    allVoices: ({ signal, filters }) => {
      const listing = filters ? SEARCH_VOICES : LIST_VOICES;
      return allPages(listing, (page) =>
        http.call(
          { ...listing, query: { ...filters, ...page } },
          (answer) => readJson(answer, VoiceSummaryPage),
          signal,
        ),
      );
    },
    downloadSample: (url, { signal }) => downloadSample(http, url, signal),
    close: http.close,
  };
  return client;
}

async function* once(samples: Int16Array): AsyncGenerator<Int16Array> {
  yield samples;
}
