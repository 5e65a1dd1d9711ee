import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createEngine } from '../../../src/engine/builtin.ts';
import { PRESETS } from '../../../src/engine/characters.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import { createSpeechCache, type Recording, speechKey } from '../../../src/service/speech-cache.ts';
import { startService } from './service.ts';

let real: Engine;

beforeAll(() => {
  real = createEngine({ workers: 1 });
});

afterAll(() => real.close());

/** The real engine, and how often it had to speak. */
function counted() {
  let spoken = 0;
  const engine: Engine = {
    ...real,
    speak(utterance, options) {
      spoken += 1;
      return real.speak(utterance, options);
    },
  };
  return { engine, spoken: () => spoken };
}

const SPEECH = '/v1/text-to-speech/aria';
const STREAM = `${SPEECH}/stream`;
const body = { text: 'The same again, please. 다시 한 번!', language: 'ko' };

/** The audio of an NDJSON answer, and its phonemes as one list. */
function readLines(bytes: Buffer) {
  const lines = bytes
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  return {
    audio: Buffer.concat(lines.map((line) => Buffer.from(line.audio_base64 ?? '', 'base64'))),
    symbols: lines.flatMap((line) => line.phonemes?.symbols ?? []),
  };
}

describe.each(['wav', 'mp3'])('speech as %s that was asked for before', (output_format) => {
  const asked = { body: { ...body, output_format } };
  const lines = { body: { ...asked.body, include_phonemes: true } };

  test('is not made a second time, whichever way it is asked for', async () => {
    const { engine, spoken } = counted();
    await using service = await startService(engine);
    const file = await service.call(SPEECH, asked);
    const again = await service.call(SPEECH, asked);
    expect(again.bytes.equals(file.bytes)).toBe(true);
    expect(again.headers['x-audio-length']).toBe(file.headers['x-audio-length']);
    expect(again.headers['content-type']).toBe(file.headers['content-type']);

    const stream = await service.call(STREAM, asked);
    expect(stream.trailers['x-audio-length']).toBe(file.headers['x-audio-length']);
    expect(stream.bytes.subarray(44).equals(file.bytes.subarray(44))).toBe(true);
    if (output_format === 'wav') expect(stream.bytes.readUInt32LE(40)).toBe(0xffff_ffff);

    const json = (await service.call(SPEECH, lines)).json() as Record<string, unknown>;
    expect(json.audio_base64).toBe(file.bytes.toString('base64'));
    const { audio, symbols } = readLines((await service.call(STREAM, lines)).bytes);
    expect(audio.equals(stream.bytes)).toBe(true);
    expect(symbols).toEqual((json.phonemes as { symbols: string[] }).symbols);
    expect(spoken()).toBe(1);
  });

  test('is kept from a stream, too, as the file that it would have been', async () => {
    const { engine, spoken } = counted();
    await using service = await startService(engine);
    const stream = await service.call(STREAM, lines);
    const file = await service.call(SPEECH, asked);
    expect(spoken()).toBe(1);
    const { audio } = readLines(stream.bytes);
    expect(file.bytes.subarray(44).equals(audio.subarray(44))).toBe(true);
    if (output_format === 'wav') expect(file.bytes.readUInt32LE(40)).toBe(file.bytes.length - 44);
    expect(file.headers['x-audio-length']).toBe(stream.trailers['x-audio-length']);
  });
});

test('what sounds different is made anew', async () => {
  const { engine, spoken } = counted();
  await using service = await startService(engine);
  const requests = [
    {},
    { text: 'Something else.' },
    { language: 'en' },
    { style: 'happy' },
    { voice_settings: { pitch_shift: 1 } },
    { output_format: 'mp3' },
  ];
  for (const fields of requests) await service.call(SPEECH, { body: { ...body, ...fields } });
  await service.call(SPEECH.replace('aria', 'theo'), { body });
  expect(spoken()).toBe(requests.length + 1);
});

test('settings that the model ignores change nothing, so the same speech answers', async () => {
  const { engine, spoken } = counted();
  await using service = await startService(engine);
  const model = 'engine_api_3';
  await service.call(SPEECH, { body: { ...body, model } });
  await service.call(SPEECH, { body: { ...body, model, voice_settings: { pitch_shift: 5 } } });
  expect(spoken()).toBe(1);
});

test('a stream that its reader left is not kept', async () => {
  const { engine, spoken } = counted();
  await using service = await startService(engine);
  const long = { body: { text: 'A long story. '.repeat(20), language: 'en' } };
  const { body: stream } = await service.open(STREAM, long);
  for await (const _ of stream) break;
  const { bytes, trailers } = await service.call(STREAM, long);
  expect(spoken()).toBe(2);
  expect((bytes.length - 44) / 88_200).toBeCloseTo(Number(trailers['x-audio-length']), 2);
});

describe('the memory for speech', () => {
  const recording = (bytes: number): Recording => ({
    file: Buffer.alloc(bytes),
    seconds: 1,
    phonemes: { symbols: [], start_times_seconds: [], durations_seconds: [] },
  });

  test('keeps to its bound and forgets first what was used longest ago', () => {
    const cache = createSpeechCache(100_000);
    for (const key of ['a', 'b', 'c', 'd']) cache.put(key, recording(20_000));
    cache.get('a');
    for (const key of ['e', 'f']) cache.put(key, recording(20_000));
    expect(['a', 'b', 'c', 'd', 'e', 'f'].filter((key) => cache.get(key))).toEqual([
      'a',
      'd',
      'e',
      'f',
    ]);
  });

  test('takes nothing that would push most of the others out', () => {
    const cache = createSpeechCache(100_000);
    cache.put('small', recording(10_000));
    cache.put('large', recording(30_000));
    expect([cache.get('small'), cache.get('large')]).toEqual([recording(10_000), undefined]);
  });

  test('knows a character by how it sounds, not by its id', () => {
    const [first] = PRESETS;
    if (!first) throw new Error('there are no presets');
    const utterance = {
      text: 'a',
      language: 'en',
      character: first,
      style: 'neutral',
      settings: {
        pitch_shift: 0,
        pitch_variance: 1,
        speed: 1,
        duration: 0,
        similarity: 3,
        text_guidance: 1,
        subharmonic_amplitude_control: 1,
      },
    } as const;
    const key = speechKey(utterance, 'wav');
    expect(speechKey({ ...utterance, character: { ...first } }, 'wav')).toBe(key);
    const changed = { ...first, pitch: first.pitch + 1 };
    expect(speechKey({ ...utterance, character: changed }, 'wav')).not.toBe(key);
  });
});
