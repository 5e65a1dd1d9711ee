import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decodeMp3 } from '../../../../src/audio/mp3-decode.ts';
import { decodeWav } from '../../../../src/audio/wav.ts';
import { SAMPLE_RATE } from '../../../../src/contract/limits.ts';
import { SETTING_NAMES, SETTINGS } from '../../../../src/contract/settings.ts';
import {
  type PhonemeData,
  PredictedDuration,
  SpeechWithPhonemes,
} from '../../../../src/contract/speech.ts';
import { createEngine } from '../../../../src/engine/builtin.ts';
import { PRESETS } from '../../../../src/engine/characters.ts';
import type { Engine } from '../../../../src/engine/engine.ts';
import { envelopeCorrelation, medianF0, rms } from '../../../helpers/measure.ts';
import { type Rule, startService, type TestService } from '../service.ts';

let engine: Engine;
let service: TestService;

const VOICE = PRESETS[0]?.id;
const SPEECH = `/v1/text-to-speech/${VOICE}`;
const STREAM = `${SPEECH}/stream`;
const PREDICT = `/v1/predict-duration/${VOICE}`;
const HELLO = { text: 'Good morning, the meeting starts soon.', language: 'en' };

beforeAll(async () => {
  engine = createEngine({ workers: 1 });
  service = await startService(engine);
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await engine?.close();
});

/** The answer to a speech request, which must succeed. */
async function speak(fields: object, path = SPEECH) {
  const answer = await service.call(path, { body: { ...HELLO, ...fields } });
  expect(answer.status, answer.bytes.subarray(0, 300).toString()).toBe(200);
  return answer;
}

async function wav(fields: object, path = SPEECH) {
  const { samples, sampleRate } = decodeWav((await speak(fields, path)).bytes);
  expect(sampleRate).toBe(SAMPLE_RATE);
  return samples;
}

async function predicted(fields: object) {
  return PredictedDuration.parse((await speak(fields, PREDICT)).json()).duration;
}

async function refused(fields: object, ...named: string[]) {
  for (const path of [SPEECH, STREAM, PREDICT]) {
    const { status, json } = await service.call(path, { body: { ...HELLO, ...fields } });
    expect(status).toBe(400);
    const { message } = json() as { message: string };
    expect(json()).toEqual({ status: 'error', message: expect.any(String) });
    for (const name of named) expect(message).toContain(name);
  }
}

/** Reads an NDJSON answer into its whole audio and the phonemes of all lines. */
function readLines(bytes: Buffer) {
  const text = bytes.toString();
  expect(text.endsWith('\n')).toBe(true);
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  for (const line of lines) {
    expect(Object.keys(line).toSorted()).toEqual(['audio_base64', 'phonemes']);
    expect([line.audio_base64, line.phonemes].filter((value) => value === null).length).toBe(1);
  }
  expect(lines[0].phonemes).toBeNull();
  const phonemes: PhonemeData = { symbols: [], start_times_seconds: [], durations_seconds: [] };
  for (const line of lines) {
    if (!line.phonemes) continue;
    phonemes.symbols.push(...line.phonemes.symbols);
    phonemes.start_times_seconds.push(...line.phonemes.start_times_seconds);
    phonemes.durations_seconds.push(...line.phonemes.durations_seconds);
  }
  const audio = lines.flatMap((line) =>
    line.audio_base64 === null ? [] : [Buffer.from(line.audio_base64, 'base64')],
  );
  return { audio: Buffer.concat(audio), first: audio[0], phonemes };
}

/** Start 0, no gaps, silence at both ends, and an end where the sound ends. */
function expectCover(phonemes: PhonemeData, seconds: number) {
  const { symbols, start_times_seconds: starts, durations_seconds: durations } = phonemes;
  expect(symbols.length).toBeGreaterThan(3);
  expect([starts.length, durations.length]).toEqual([symbols.length, symbols.length]);
  expect([symbols[0], symbols.at(-1), starts[0]]).toEqual(['', '', 0]);
  for (let index = 1; index <= symbols.length; index += 1) {
    const end = (starts[index - 1] ?? Number.NaN) + (durations[index - 1] ?? Number.NaN);
    expect(starts[index] ?? seconds).toBeCloseTo(end, 6);
  }
}

const rules: Rule[] = [
  [
    'spec, Response 200',
    'WAV is the default: audio/wav, 44,100 Hz mono 16 bit, fmt directly after WAVE, its length in X-Audio-Length',
    async () => {
      const { headers, bytes } = await speak({});
      expect(headers['content-type']).toBe('audio/wav');
      expect(bytes.subarray(8, 20).toString('latin1')).toBe('WAVEfmt \x10\0\0\0');
      expect(bytes.subarray(36, 40).toString()).toBe('data');
      expect(bytes.readUInt32LE(40)).toBe(bytes.length - 44);
      const { samples, sampleRate } = decodeWav(bytes);
      expect(Number(headers['x-audio-length'])).toBeCloseTo(samples.length / sampleRate, 3);
      expect(rms(samples)).toBeGreaterThan(100);
    },
  ],
  [
    'spec, Response 200',
    'MP3 is audio/mpeg with the same sound; encoder padding is not counted',
    async () => {
      const { headers, bytes } = await speak({ output_format: 'mp3' });
      expect(headers['content-type']).toBe('audio/mpeg');
      const mp3 = await decodeMp3(bytes);
      const seconds = Number(headers['x-audio-length']);
      expect(mp3.sampleRate).toBe(SAMPLE_RATE);
      expect(Math.abs(mp3.samples.length / SAMPLE_RATE - seconds)).toBeLessThan(0.06);
      // A decoder gives the encoder's delay along with the sound.
      const plain = await wav({});
      const delays = [0, 500, 1_000, 1_500, 2_000, 2_500];
      const likeness = delays.map((delay) =>
        envelopeCorrelation(mp3.samples.subarray(delay), plain, SAMPLE_RATE),
      );
      expect(Math.max(...likeness)).toBeGreaterThan(0.95);
    },
  ],
  [
    'spec, Response 200',
    'include_phonemes answers application/json with the audio in base64 and gapless phonemes',
    async () => {
      for (const output_format of ['wav', 'mp3']) {
        const { headers, json } = await speak({ include_phonemes: true, output_format });
        expect(headers['content-type']).toBe('application/json');
        const { audio_base64, phonemes } = SpeechWithPhonemes.parse(json());
        const audio = Buffer.from(audio_base64, 'base64');
        const { samples } = output_format === 'wav' ? decodeWav(audio) : await decodeMp3(audio);
        const seconds = Number(headers['x-audio-length']);
        expect(Math.abs(samples.length / SAMPLE_RATE - seconds)).toBeLessThan(0.06);
        expectCover(phonemes, seconds);
      }
    },
  ],
  [
    'spec, POST /v1/text-to-speech',
    'output_format works in the query, and in the body, which wins',
    async () => {
      const format = async (query: string, fields: object) =>
        (await speak(fields, SPEECH + query)).headers['content-type'];
      expect(await format('?output_format=mp3', {})).toBe('audio/mpeg');
      expect(await format('?output_format=mp3', { output_format: 'wav' })).toBe('audio/wav');
      const { status } = await service.call(`${SPEECH}?output_format=ogg`, { body: HELLO });
      expect(status).toBe(400);
    },
  ],
  [
    'spec, POST /v1/text-to-speech',
    'without a style the first one of the voice speaks',
    async () => {
      const style = PRESETS[0]?.styles[0].name;
      const [plain, named] = [await wav({}), await wav({ style })];
      expect(Math.abs(plain.length - named.length) / SAMPLE_RATE).toBeLessThan(0.05);
    },
  ],
  [
    'spec, Limits',
    '300 code points pass and 301 are 400, in every script',
    async () => {
      for (const [language, character] of [
        ['en', 'a '],
        ['ko', '가 '],
        ['ja', 'あ、'],
        ['en', '🎧 '],
      ] as const) {
        const text = character.repeat(150);
        expect(await predicted({ text, language })).toBeGreaterThan(0);
        await refused({ text: `${text}!`, language }, '300');
      }
    },
  ],
  [
    'supplement, Length of text',
    'empty and blank text are 400',
    async () => {
      for (const text of ['', ' ', '\n\t', '\u3000']) await refused({ text }, 'text');
    },
  ],
  [
    'spec, Languages per model',
    'a language that the model lacks is 400 and the message names those it has',
    async () => {
      await refused({ language: 'fr' }, 'language', 'en, ko, ja');
      await refused({ language: 'hr', model: 'sona_speech_2' }, 'language', 'vi');
      await refused({ language: 'xx', model: 'engine_api_3' }, 'language');
      expect(await predicted({ language: 'fr', model: 'sona_speech_2' })).toBeGreaterThan(0);
    },
  ],
  [
    'supplement, Speech',
    'a style that the voice lacks, an unknown model and an unknown format are 400 and name what is allowed',
    async () => {
      await refused({ style: 'bored' }, 'style', 'neutral');
      await refused({ model: 'sona_speech_3' }, 'model', 'sona_speech_1');
      await refused({ output_format: 'ogg' }, 'output_format', 'wav', 'mp3');
    },
  ],
  [
    'spec, Voice settings',
    'every setting takes both ends of its range and is 400 beyond them, for every model',
    async () => {
      for (const name of SETTING_NAMES) {
        const { minimum, maximum } = SETTINGS[name];
        for (const value of [minimum, maximum]) {
          expect(await predicted({ voice_settings: { [name]: value } })).toBeGreaterThan(0);
        }
        for (const value of [minimum - 0.01, maximum + 0.01, '1', null]) {
          for (const model of ['sona_speech_1', 'engine_api_1']) {
            await refused({ model, voice_settings: { [name]: value } }, name);
          }
        }
      }
    },
  ],
  [
    'spec, Support per model',
    'a setting that the model does not support is ignored',
    async () => {
      const shifted = { voice_settings: { pitch_shift: 12, duration: 5 } };
      const ignored = await wav({ ...shifted, model: 'engine_api_1' });
      const plain = await wav({ model: 'engine_api_1' });
      expect(Math.abs(ignored.length - plain.length) / SAMPLE_RATE).toBeLessThan(0.05);
      const ratio = medianF0(ignored, SAMPLE_RATE) / medianF0(plain, SAMPLE_RATE);
      expect(ratio).toBeCloseTo(1, 1);
    },
  ],
  [
    'spec, rule 1',
    'duration 5 and speed 2 give 10 s exactly, in the sound and in its prediction',
    async () => {
      const voice_settings = { duration: 5, speed: 2 };
      expect((await wav({ voice_settings })).length).toBe(10 * SAMPLE_RATE);
      expect(await predicted({ voice_settings })).toBe(10);
    },
  ],
  [
    'supplement, duration and speed',
    'with duration 0, speed 2 halves the length',
    async () => {
      const [plain, fast] = [await wav({}), await wav({ voice_settings: { speed: 2 } })];
      expect(fast.length / plain.length).toBeCloseTo(0.5, 1);
    },
  ],
  [
    'supplement, Phonemes',
    'phonemes are scaled with duration and speed',
    async () => {
      const voice_settings = { duration: 2, speed: 1.5 };
      const { headers, json } = await speak({ include_phonemes: true, voice_settings });
      expect(headers['x-audio-length']).toBe('3');
      expectCover(SpeechWithPhonemes.parse(json()).phonemes, 3);
    },
  ],
  [
    'supplement, normalized_text',
    'it is what the models that know it speak, and its limit holds for all',
    async () => {
      const normalized_text = 'Yes.';
      const text = HELLO.text.repeat(3);
      const long = await predicted({ text, normalized_text, model: 'sona_speech_1' });
      const short = await predicted({ text, normalized_text, model: 'sona_speech_2' });
      expect(short).toBeLessThan(long / 2);
      await refused({ normalized_text: 'a'.repeat(301) }, 'normalized_text', '300');
    },
  ],
  [
    'supplement, normalized_text',
    'the models that do not know it speak the text',
    async () => {
      for (const model of ['sona_speech_1', 'engine_api_1', 'engine_api_3']) {
        const plain = await predicted({ model });
        expect(await predicted({ model, normalized_text: 'Yes.' })).toBe(plain);
      }
      const short = await predicted({ text: 'Yes.', model: 'sona_speech_2_flash' });
      const normalized = { model: 'sona_speech_2_flash', normalized_text: 'Yes.' };
      expect(await predicted(normalized)).toBe(short);
    },
  ],
  [
    'spec, rule 2',
    'text of emoji and symbols alone is no error',
    async () => {
      for (const text of ['🎧', '👩‍👩‍👧‍👦 🎉', '…', '♪ ♫', '\u200d', '<&>[[']) {
        const { headers } = await speak({ text });
        expect(Number(headers['x-audio-length'])).toBeGreaterThan(0);
      }
    },
  ],
  [
    'issue, Aliases',
    'another name for a model is that model, wherever a request names one',
    async () => {
      await using renamed = await startService(engine, {
        modelAliases: { older: 'engine_api_3', 말하기: 'sona_speech_2' },
      });
      for (const path of [SPEECH, STREAM, PREDICT]) {
        // A language that the default model lacks.
        for (const [model, language, status] of [
          ['older', 'uk', 200],
          ['말하기', 'fr', 200],
          ['말하기', 'uk', 400],
          ['oldest', 'uk', 400],
          ['toString', 'uk', 400],
        ] as const) {
          const answer = await renamed.call(path, { body: { ...HELLO, model, language } });
          expect([path, model, answer.status]).toEqual([path, model, status]);
        }
      }
    },
  ],
  [
    'supplement, What existing clients rely on',
    'a request with every field at its default and an Accept for anything gets WAV',
    async () => {
      const voice_settings = Object.fromEntries(
        SETTING_NAMES.map((name) => [name, SETTINGS[name].default]),
      );
      const body = {
        ...HELLO,
        style: 'neutral',
        model: 'sona_speech_1',
        output_format: 'wav',
        include_phonemes: false,
        voice_settings,
      };
      const accept = 'application/json;q=1, audio/mpeg;q=0.7, audio/wav;q=0';
      const { status, headers } = await service.call(SPEECH, { body, headers: { accept } });
      expect([status, headers['content-type']]).toEqual([200, 'audio/wav']);
    },
  ],
  [
    'spec, POST /v1/predict-duration',
    'predicts what the speech lasts',
    async () => {
      const seconds = Number((await speak({})).headers['x-audio-length']);
      expect(Math.abs((await predicted({})) - seconds)).toBeLessThan(0.05);
    },
  ],
  [
    'supplement, Streaming',
    'a WAV stream has a header of unknown sizes, the sound of the whole answer, and the trailer',
    async () => {
      const { headers, trailers, bytes } = await speak({}, STREAM);
      expect(headers['content-type']).toBe('audio/wav');
      expect(headers['transfer-encoding']).toBe('chunked');
      expect(headers['cache-control']).toBe('no-cache');
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(headers.trailer).toBe('X-Audio-Length');
      expect([bytes.readUInt32LE(4), bytes.readUInt32LE(40)]).toEqual([0xffff_ffff, 0xffff_ffff]);
      const { samples } = decodeWav(bytes);
      expect(Number(trailers['x-audio-length'])).toBeCloseTo(samples.length / SAMPLE_RATE, 3);
      expect(envelopeCorrelation(samples, await wav({}), SAMPLE_RATE)).toBeGreaterThan(0.9);
    },
  ],
  [
    'supplement, Streaming',
    'an MP3 stream has the same sound',
    async () => {
      const { headers, trailers, bytes } = await speak({ output_format: 'mp3' }, STREAM);
      expect(headers['content-type']).toBe('audio/mpeg');
      const { samples } = await decodeMp3(bytes);
      const seconds = Number(trailers['x-audio-length']);
      expect(Math.abs(samples.length / SAMPLE_RATE - seconds)).toBeLessThan(0.06);
    },
  ],
  [
    'supplement, Streaming',
    'phonemes come as NDJSON, an audio line first, times from the start of the whole audio',
    async () => {
      const fields = { include_phonemes: true, text: 'One sentence. And a second one! 세 번째?' };
      const { headers, bytes } = await speak(fields, STREAM);
      expect(headers['content-type']).toBe('application/x-ndjson');
      const { audio, first, phonemes } = readLines(bytes);
      expect(first?.subarray(0, 4).toString()).toBe('RIFF');
      const { samples } = decodeWav(audio);
      expectCover(phonemes, Math.round((samples.length / SAMPLE_RATE) * 1000) / 1000);
    },
  ],
  [
    'supplement, Streaming',
    'NDJSON carries MP3, too',
    async () => {
      const fields = { include_phonemes: true, output_format: 'mp3' };
      const { audio, phonemes } = readLines((await speak(fields, STREAM)).bytes);
      const { samples } = await decodeMp3(audio);
      const end =
        (phonemes.start_times_seconds.at(-1) ?? 0) + (phonemes.durations_seconds.at(-1) ?? 0);
      expect(Math.abs(samples.length / SAMPLE_RATE - end)).toBeLessThan(0.06);
    },
  ],
  [
    'supplement, Streaming',
    'every model streams',
    async () => {
      for (const model of [
        'sona_speech_2',
        'sona_speech_2_flash',
        'engine_api_1',
        'engine_api_3',
      ]) {
        expect((await wav({ model }, STREAM)).length).toBeGreaterThan(SAMPLE_RATE);
      }
    },
  ],
  [
    'supplement, What existing clients rely on',
    'the first chunk of a stream holds the whole header',
    async () => {
      const { body } = await service.open(STREAM, { body: HELLO });
      let chunk: Buffer | undefined;
      for await (const bytes of body) chunk ??= bytes as Buffer;
      expect(chunk?.length).toBeGreaterThanOrEqual(44);
    },
  ],
];

describe.each(rules)('%s', (_section, rule, check) => {
  test(rule, check);
});
