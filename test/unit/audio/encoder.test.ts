import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import type { Worker } from 'node:worker_threads';
import { afterAll, expect, test } from 'vitest';
import { type AudioEncoder, createAudioEncoder } from '../../../src/audio/encoder.ts';
import { decodeMp3 } from '../../../src/audio/mp3-decode.ts';
import { envelopeCorrelation, medianF0 } from '../../helpers/measure.ts';
import { decodeOggOpus, readOgg } from '../../helpers/ogg.ts';
import { inChunks, voice } from '../../helpers/sounds.ts';

const RATE = 44_100;
const speech = voice(150, RATE, 2 * RATE + 7, 2);
const encoder = createAudioEncoder();
const { signal } = new AbortController();

afterAll(() => encoder.close());

function sound(samples: Int16Array, chunk = 4_410) {
  return { sampleRate: RATE, chunks: inChunks(samples, chunk) };
}

/** A sound that never ends by itself; `left` resolves when its reader has gone. */
function endless() {
  const gone = Promise.withResolvers<void>();
  async function* chunks(): AsyncGenerator<Int16Array> {
    try {
      for (;;) {
        yield new Int16Array(4_410);
        await new Promise((resolve) => setImmediate(resolve));
      }
    } finally {
      gone.resolve();
    }
  }
  return { sampleRate: RATE, chunks: chunks(), left: gone.promise };
}

test('a voice message is the speech itself, its length exact, with a picture of it', async () => {
  const { file, seconds, waveform } = await encoder.voiceMessage(sound(speech), signal);
  expect(seconds).toBe(speech.length / RATE);
  expect(readOgg(file).samples).toBe(Math.round((speech.length * 48_000) / RATE));
  const decoded = await decodeOggOpus(file);
  expect(medianF0(decoded, 48_000) / medianF0(speech, RATE)).toBeCloseTo(1, 1);
  expect(Buffer.from(waveform, 'base64').length).toBe(32);
});

test.each([100, 4_410, 44_100, 1_000_000])('chunks of %i samples make one sound', async (chunk) => {
  const { file } = await encoder.voiceMessage(sound(speech, chunk), signal);
  const { file: reference } = await encoder.voiceMessage(sound(speech), signal);
  expect(await decodeOggOpus(file)).toEqual(await decodeOggOpus(reference));
});

test('an MP3 file is the speech itself; its length leaves out the padding', async () => {
  const { file, seconds } = await encoder.mp3(sound(speech), signal);
  expect(seconds).toBe(speech.length / RATE);
  const { samples, sampleRate } = await decodeMp3(file);
  expect(sampleRate).toBe(RATE);
  expect(envelopeCorrelation(samples.subarray(1_105), speech, RATE)).toBeGreaterThan(0.98);
});

test('the first bytes of a streamed MP3 come while the rest is not there yet', async () => {
  const firstBytes = Promise.withResolvers<void>();
  async function* chunks(): AsyncGenerator<Int16Array> {
    yield speech.subarray(0, 8_820);
    await firstBytes.promise;
    yield speech.subarray(8_820);
  }
  const parts: Uint8Array[] = [];
  for await (const bytes of encoder.mp3Stream({ sampleRate: RATE, chunks: chunks() }, signal)) {
    parts.push(bytes);
    firstBytes.resolve();
  }
  const { file } = await encoder.mp3(sound(speech), signal);
  expect(Buffer.concat(parts).equals(file)).toBe(true);
});

test('a reader that stops early ends the source', async () => {
  const source = endless();
  for await (const _ of encoder.mp3Stream(source, signal)) break;
  await source.left;
});

test('many at once each get their own sound', async () => {
  const pitches = [90, 120, 150, 190, 230, 280, 330, 380];
  const messages = await Promise.all(
    pitches.map((f0) => encoder.voiceMessage(sound(voice(f0, RATE, RATE), 3_000), signal)),
  );
  for (const [i, { file }] of messages.entries()) {
    expect(medianF0(await decodeOggOpus(file), 48_000) / (pitches[i] ?? 0)).toBeCloseTo(1, 1);
  }
});

test('an aborted encode ends at once, with the reason, and so does its source', async () => {
  const source = endless();
  const controller = new AbortController();
  const reason = new Error('The member left');
  const message = encoder.voiceMessage(source, controller.signal);
  controller.abort(reason);
  await expect(message).rejects.toBe(reason);
  await source.left;
});

test('an abort does not wait for a source that hangs', async () => {
  async function* hanging(): AsyncGenerator<Int16Array> {
    yield speech;
    await new Promise(() => {});
  }
  const deadline = AbortSignal.timeout(50);
  const stuck = encoder.voiceMessage({ sampleRate: RATE, chunks: hanging() }, deadline);
  await expect(stuck).rejects.toThrow('timeout');
});

test('a source that is aborted while it is asked leaves no failure that nobody takes', async () => {
  const abort = new AbortController();
  const chunks: AsyncIterable<Int16Array> = {
    [Symbol.asyncIterator]: () => ({
      next() {
        abort.abort(new Error('The command ended'));
        return Promise.reject(new Error('The connection was aborted'));
      },
    }),
  };
  const untaken: unknown[] = [];
  const note = (reason: unknown) => untaken.push(reason);
  process.on('unhandledRejection', note);
  try {
    const message = encoder.voiceMessage({ sampleRate: RATE, chunks }, abort.signal);
    await expect(message).rejects.toThrow('The command ended');
    await new Promise((resolve) => setImmediate(resolve));
  } finally {
    process.off('unhandledRejection', note);
  }
  expect(untaken).toEqual([]);
});

test('a sound that breaks off fails with its own error; the next one is well', async () => {
  const broken = new Error('The service went away');
  async function* chunks(): AsyncGenerator<Int16Array> {
    yield speech;
    throw broken;
  }
  const message = encoder.voiceMessage({ sampleRate: RATE, chunks: chunks() }, signal);
  await expect(message).rejects.toBe(broken);
  const { seconds } = await encoder.voiceMessage(sound(speech), signal);
  expect(seconds).toBeGreaterThan(2);
});

test('a sound of no rate is refused; the next one is well', async () => {
  const odd = { sampleRate: 0, chunks: inChunks(speech, 4_410) };
  await expect(encoder.voiceMessage(odd, signal)).rejects.toThrow('from 0 Hz');
  expect((await encoder.voiceMessage(sound(speech), signal)).seconds).toBeGreaterThan(2);
});

/** Starts an encoder of its own and gives its thread, too. */
async function startedEncoder(): Promise<{ own: AudioEncoder; thread: Worker }> {
  const own = createAudioEncoder();
  const [[thread]] = await Promise.all([once(process, 'worker'), own.warm()]);
  return { own, thread };
}

test('a thread that dies fails what it was at; the next sound gets a new one', async () => {
  const { own, thread } = await startedEncoder();
  const source = endless();
  const message = own.voiceMessage(source, signal);
  await Promise.all([
    expect(message).rejects.toThrow('encoder thread ended'),
    source.left,
    thread.terminate(),
  ]);
  expect((await own.voiceMessage(sound(speech), signal)).seconds).toBeGreaterThan(2);
  await own.close();
});

test('closing ends the thread and what it was at, and nothing starts after', async () => {
  const { own, thread } = await startedEncoder();
  const source = endless();
  const exit = once(thread, 'exit');
  const message = expect(own.voiceMessage(source, signal)).rejects.toThrow('closed');
  await own.close();
  await Promise.all([message, exit, source.left]);
  await expect(own.voiceMessage(sound(speech), signal)).rejects.toThrow('closed');
  await own.close();
});

test('a process that exits with the encoder at work exits cleanly', async () => {
  const url = new URL('../../../src/audio/encoder.ts', import.meta.url);
  const script = `
    const { createAudioEncoder } = await import(${JSON.stringify(url.href)});
    await createAudioEncoder().warm();
    process.exit(0);`;
  const run = promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
  await expect(run).resolves.toMatchObject({ stderr: '' });
});
