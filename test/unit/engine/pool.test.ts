import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type BuiltinEngineOptions, createEngine } from '../../../src/engine/builtin.ts';
import {
  type Engine,
  EngineBusyError,
  EngineError,
  EngineTimeoutError,
} from '../../../src/engine/engine.ts';
import { WINDOW } from '../../../src/engine/protocol.ts';
import { SENTENCE, speak, utterance } from './utterances.ts';

const workerUrl = new URL('./fragile-worker.ts', import.meta.url);
const LONG = `${SENTENCE} `.repeat(4).trim();

let directory: string;
const engines: Engine[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'hark-engine-'));
});
afterAll(() => rm(directory, { recursive: true }));
afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.close()));
});

function open(options: BuiltinEngineOptions = {}): Engine {
  const engine = createEngine({ workers: 1, workerUrl, ...options });
  engines.push(engine);
  return engine;
}

const ports = () =>
  process.getActiveResourcesInfo().filter((name) => name === 'MessagePort').length;
const portsBefore = ports();

/** Threads of this process that run an engine: each has a port that keeps the process alive. */
function threads(): number {
  return ports() - portsBefore;
}

/** The first step of a speech. */
function begin(engine: Engine, text: string, signal: AbortSignal) {
  return engine.speak(utterance({ text }), { signal })[Symbol.asyncIterator]().next();
}

describe('a reader that leaves', () => {
  it('stops its speech, and the next one follows at once', async () => {
    const engine = open();
    const controller = new AbortController();
    const reason = new Error('gone');
    const parts: number[] = [];
    const leaving = (async () => {
      for await (const part of engine.speak(utterance({ text: LONG, settings: { speed: 0.6 } }), {
        signal: controller.signal,
      })) {
        parts.push(part.samples.length);
        controller.abort(reason);
      }
    })();
    await expect(leaving).rejects.toBe(reason);
    expect(parts).toHaveLength(1);
    expect((await speak(engine, { text: 'Next.' })).samples.length).toBeGreaterThan(10_000);
  });

  it('ends the thread that does not stop, and another takes over', async () => {
    const engine = open();
    await engine.ready();
    const signal = AbortSignal.timeout(100);
    await expect(begin(engine, 'hang', signal)).rejects.toMatchObject({ name: 'TimeoutError' });
    expect((await speak(engine, { text: 'Next.' })).samples.length).toBeGreaterThan(10_000);
  });

  it('leaves the queue', async () => {
    const engine = open({ queueLimit: 1 });
    await engine.ready();
    const first = speak(engine, { text: LONG });
    const controller = new AbortController();
    const waiting = begin(engine, 'Waiting.', controller.signal);
    controller.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
    const second = speak(engine);
    expect((await first).samples.length).toBeGreaterThan((await second).samples.length);
  });

  it('that never came costs nothing', async () => {
    const engine = open();
    const signal = AbortSignal.abort(new Error('gone'));
    await expect(begin(engine, 'Never.', signal)).rejects.toThrow('gone');
    await expect(engine.predict(utterance(), { signal })).rejects.toThrow('gone');
    expect(threads()).toBe(0);
  });

  it('frees the thread when it simply stops reading', async () => {
    const engine = open();
    const options = { signal: AbortSignal.timeout(20_000) };
    for await (const part of engine.speak(utterance({ text: LONG }), options)) {
      expect(part.samples.length).toBeGreaterThan(0);
      break;
    }
    expect((await speak(engine, { text: 'Next.' })).samples.length).toBeGreaterThan(10_000);
  });
});

describe('the queue', () => {
  it('is served in order, and refuses what is too much', async () => {
    const engine = open({ queueLimit: 2 });
    await engine.ready();
    const order: string[] = [];
    const say = (text: string) => speak(engine, { text }).then(() => order.push(text));
    const accepted = [say('One, two.'), say('Three.'), say('Four.')];
    await expect(speak(engine)).rejects.toBeInstanceOf(EngineBusyError);
    await Promise.all(accepted);
    expect(order).toEqual(['One, two.', 'Three.', 'Four.']);
  });

  it('is shared by several threads, started as they are needed', async () => {
    const engine = open({ workers: 2 });
    await engine.ready();
    expect(threads()).toBe(1);
    const [one, two] = await Promise.all([speak(engine), speak(engine)]);
    expect(threads()).toBe(2);
    expect(Math.abs(one.samples.length - two.samples.length)).toBeLessThan(1_000);
  });

  it('keeps long speech whole for a reader that takes its time', async () => {
    const engine = open({ workers: 2 });
    const options = { signal: AbortSignal.timeout(20_000) };
    const long = utterance({ text: `${SENTENCE} `.repeat(10) });
    let samples = 0;
    for await (const part of engine.speak(long, options)) {
      // While the first part is listened to, the thread runs ahead, and then waits.
      if (samples === 0) await speak(engine, { text: LONG });
      samples += part.samples.length;
    }
    expect(samples).toBeGreaterThan(WINDOW);
    expect(samples / 44_100).toBeCloseTo(await engine.predict(long, options), 9);
  });
});

describe('a thread that is lost', () => {
  it('is replaced, and its speech is made once more', async () => {
    const engine = open();
    const speech = await speak(engine, { text: `crash once ${join(directory, 'once')}` });
    expect(speech.samples.length).toBeGreaterThan(10_000);
  });

  it('fails the speech with the cause when it is lost again', async () => {
    const engine = open();
    const failed = speak(engine, { text: 'crash always' });
    await expect(failed).rejects.toBeInstanceOf(EngineError);
    await expect(failed).rejects.toMatchObject({ cause: { message: 'out of order' } });
    expect((await speak(engine, { text: 'Next.' })).samples.length).toBeGreaterThan(10_000);
  });

  it('never says the beginning twice', async () => {
    const engine = open();
    const options = { signal: AbortSignal.timeout(20_000) };
    let starts = 0;
    const speech = (async () => {
      for await (const part of engine.speak(
        utterance({ text: `crash when heard ${LONG}` }),
        options,
      )) {
        if (part.phonemes[0]?.start === 0) starts += 1;
      }
    })();
    await expect(speech).rejects.toBeInstanceOf(EngineError);
    expect(starts).toBe(1);
  });

  it('that shows no sign of life is given up in time', async () => {
    // As long as a thread may need to start on a machine that is busy: that is a sign of life, too.
    const engine = open({ stallMs: 4_000 });
    await engine.ready();
    await expect(speak(engine, { text: 'hang' })).rejects.toBeInstanceOf(EngineTimeoutError);
    expect((await speak(engine, { text: 'Next.' })).samples.length).toBeGreaterThan(10_000);
  });

  it('that cannot even start fails whoever waits for it', async () => {
    const engine = open({ workerUrl: new URL('./no-such-worker.ts', import.meta.url) });
    await expect(engine.ready()).rejects.toBeInstanceOf(EngineError);
    await expect(speak(engine)).rejects.toBeInstanceOf(EngineError);
  });
});

describe('an engine that is closed', () => {
  it('aborts what is said and what waits, and leaves no thread', async () => {
    const engine = open();
    await engine.ready();
    const outcomes = [speak(engine, { text: LONG }), speak(engine)].map((speech) =>
      expect(speech).rejects.toBeInstanceOf(EngineError),
    );
    await engine.close();
    await Promise.all(outcomes);
    expect(threads()).toBe(0);
    await expect(speak(engine)).rejects.toBeInstanceOf(EngineError);
    await expect(engine.ready()).rejects.toBeInstanceOf(EngineError);
    await engine.close();
  });
});
