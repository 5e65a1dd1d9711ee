import { Buffer } from 'node:buffer';
import { type EncoderThread, startEncoderThread } from './encoder-calls.ts';
import type { JobKind, StepResult } from './encoder-messages.ts';

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

export interface OpusOptions {
  /** Factor of loudness, 1 by default. It has to be known now: packets cannot be made louder later. */
  gain?: number;
  /** Is given the same packets as an Ogg Opus file, after the last of them was read. */
  onFile?: (file: Uint8Array) => void;
}

/**
 * Encodes sound while it arrives, in a thread of its own. All methods reject with the signal's
 * reason when it was aborted, with the source's error when the sound broke off, and with another
 * error when the encoder failed or was closed.
 */
export interface AudioEncoder {
  voiceMessage(sound: PcmStream, signal: AbortSignal): Promise<VoiceMessage>;
  mp3(sound: PcmStream, signal: AbortSignal): Promise<EncodedFile>;
  /** The bytes of an MP3 file, each as soon as it is made; a slow reader slows the source down. */
  mp3Stream(sound: PcmStream, signal: AbortSignal): AsyncIterable<Uint8Array>;
  /**
   * Opus packets for a voice channel: mono, 48 kHz, 20 ms each, each as soon as it is made. They
   * come as fast as the source gives sound; a slow reader slows the source down.
   */
  opusPackets(
    sound: PcmStream,
    signal: AbortSignal,
    options?: OpusOptions,
  ): AsyncIterable<Uint8Array>;
  /** Starts the thread ahead of the first sound and loads what a voice message needs. */
  warm(): Promise<void>;
  close(): Promise<void>;
}

/** Samples that go to the thread in one message: longer chunks are cut, so that jobs take turns. */
const PIECE = 8_192;

/** Pieces of a job that may wait in the thread: enough to keep it busy over a slow turn here. */
const PIECES_AHEAD = 4;

/** Makes an encoder. Its one thread starts at first use, and again when it has crashed. */
export function createAudioEncoder(): AudioEncoder {
  let thread: EncoderThread | undefined;
  let lastJob = 0;
  let closed = false;

  function runningThread(): EncoderThread {
    if (closed) throw new Error('The encoder was closed');
    if (!thread || thread.ended.aborted) thread = startEncoderThread();
    return thread;
  }

  async function* encode(
    kind: JobKind,
    { sampleRate, chunks }: PcmStream,
    signal: AbortSignal,
    piecesAhead: number,
  ): AsyncGenerator<StepResult, void, undefined> {
    signal.throwIfAborted();
    const worker = runningThread();
    const stopped = AbortSignal.any([signal, worker.ended]);
    lastJob += 1;
    const job = lastJob;
    const source = chunks[Symbol.asyncIterator]();
    const waiting: Promise<StepResult>[] = [];
    let finished = false;
    const ask = (answer: Promise<StepResult>) => {
      // A failure is met when its turn comes; until then it must not count as unhandled.
      answer.catch(() => {});
      waiting.push(answer);
    };
    const answer = () => unlessAborted(waiting.shift() ?? Promise.resolve({}), stopped);
    try {
      ask(worker.call({ step: 'open', job, sampleRate, ...kind }));
      for (;;) {
        const next = await unlessAborted(source.next(), stopped);
        if (next.done) break;
        for (const samples of pieces(next.value)) {
          ask(worker.call({ step: 'chunk', job, samples }));
          while (waiting.length > piecesAhead) yield await answer();
        }
      }
      ask(worker.call({ step: 'finish', job }));
      while (waiting.length > 0) yield await answer();
      finished = true;
    } finally {
      if (!finished) {
        if (!worker.ended.aborted) worker.drop(job);
        // Not awaited: a source that hangs must not hold the caller; its own end is its owner's.
        source.return?.().catch(() => {});
      }
    }
  }

  async function* mp3Stream(sound: PcmStream, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    for await (const { bytes } of encode({ format: 'mp3' }, sound, signal, 0)) {
      if (bytes && bytes.length > 0) yield bytes;
    }
  }

  async function* opusPackets(
    sound: PcmStream,
    signal: AbortSignal,
    { gain = 1, onFile }: OpusOptions = {},
  ): AsyncGenerator<Uint8Array> {
    const kind = { format: 'packets', gain, file: onFile !== undefined } as const;
    for await (const { bytes, packetLengths, file } of encode(kind, sound, signal, 0)) {
      let offset = 0;
      for (const length of packetLengths ?? []) {
        if (bytes) yield bytes.subarray(offset, offset + length);
        offset += length;
      }
      if (file) onFile?.(file);
    }
  }

  async function voiceMessage(sound: PcmStream, signal: AbortSignal): Promise<VoiceMessage> {
    const counted = countSamples(sound);
    let result: StepResult = {};
    for await (const step of encode({ format: 'voice' }, counted, signal, PIECES_AHEAD))
      result = step;
    if (!result.voice) throw new Error('The encoder gave no voice message');
    return { ...result.voice, seconds: counted.total() / sound.sampleRate };
  }

  return {
    voiceMessage,
    mp3Stream,
    opusPackets,
    async mp3(sound, signal) {
      const counted = countSamples(sound);
      const parts: Uint8Array[] = [];
      for await (const { bytes } of encode({ format: 'mp3' }, counted, signal, PIECES_AHEAD)) {
        if (bytes) parts.push(bytes);
      }
      return { file: Buffer.concat(parts), seconds: counted.total() / sound.sampleRate };
    },
    async warm() {
      const sound = { sampleRate: 44_100, chunks: oneChunk(warmUpSound()) };
      await voiceMessage(sound, new AbortController().signal);
    },
    async close() {
      closed = true;
      await thread?.close();
    },
  };
}

/** Two seconds with a voice's pitch and pauses: long enough for the engine to optimize the encoder. */
function warmUpSound(): Int16Array {
  return Int16Array.from(
    { length: 88_200 },
    (_, i) => 9_000 * (((i / 368) % 1) - 0.5) * Math.max(0, Math.sin(i / 2_000)),
  );
}

async function* oneChunk(samples: Int16Array): AsyncGenerator<Int16Array> {
  yield samples;
}

/** Copies, for what is sent is moved to the thread and the source may use its buffer again. */
function* pieces(samples: Int16Array): Generator<Int16Array> {
  for (let offset = 0; offset < samples.length; offset += PIECE) {
    yield samples.slice(offset, offset + PIECE);
  }
}

function countSamples({ sampleRate, chunks }: PcmStream): PcmStream & { total(): number } {
  let total = 0;
  async function* counting(): AsyncGenerator<Int16Array> {
    for await (const samples of chunks) {
      total += samples.length;
      yield samples;
    }
  }
  return { sampleRate, chunks: counting(), total: () => total };
}

/** The promise's outcome, or the signal's reason as soon as it is aborted. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    // Taken after an abort too: a failure that nobody takes would end the process.
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
