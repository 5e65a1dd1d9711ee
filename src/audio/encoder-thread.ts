import { type MessagePort, parentPort } from 'node:worker_threads';
import type { EncoderReply, EncoderRequest, EncoderStep, StepResult } from './encoder-messages.ts';
import { applyGain } from './gain.ts';
import { encodeOggOpus } from './ogg.ts';
import { createOpusEncoder, OPUS_RATE } from './opus.ts';
import { createResampler, OPUS_INPUT_QUALITY } from './resample.ts';
import { createWaveform } from './waveform.ts';

/** The encoders of one sound. */
interface Job {
  chunk(samples: Int16Array): StepResult;
  finish(): Promise<StepResult>;
  free(): void;
}

async function openVoice(sampleRate: number): Promise<Job> {
  const resampler = await createResampler(sampleRate, OPUS_RATE, OPUS_INPUT_QUALITY);
  const encoder = await createOpusEncoder();
  const waveform = createWaveform(sampleRate);
  const packets: Uint8Array[] = [];
  return {
    chunk(samples) {
      waveform.push(samples);
      packets.push(...encoder.push(resampler.process(samples)));
      return {};
    },
    async finish() {
      packets.push(...encoder.push(resampler.flush()));
      const last = encoder.finish();
      packets.push(...last.packets);
      const file = await encodeOggOpus(packets, last.samples);
      return { voice: { file, waveform: waveform.finish() } };
    },
    free() {
      resampler.free();
      encoder.free();
    },
  };
}

async function openPackets(sampleRate: number, gain: number, wantsFile: boolean): Promise<Job> {
  const resampler = await createResampler(sampleRate, OPUS_RATE, OPUS_INPUT_QUALITY);
  const encoder = await createOpusEncoder();
  const kept: Uint8Array[] = [];
  const result = (packets: Uint8Array[]): StepResult => {
    if (wantsFile) kept.push(...packets);
    // One piece of memory that is moved, in place of a copy for every packet.
    return { bytes: concatBytes(packets), packetLengths: packets.map(({ length }) => length) };
  };
  return {
    chunk: (samples) => result(encoder.push(resampler.process(applyGain(samples, gain)))),
    async finish() {
      const first = encoder.push(resampler.flush());
      const { packets, samples } = encoder.finish();
      const last = result([...first, ...packets]);
      return wantsFile ? { ...last, file: await encodeOggOpus(kept, samples) } : last;
    },
    free() {
      resampler.free();
      encoder.free();
    },
  };
}

function concatBytes(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}

async function openMp3(sampleRate: number): Promise<Job> {
  // Loaded late: a bot that only posts voice messages never pays for it.
  const { createMp3Encoder } = await import('./mp3.ts');
  const encoder = await createMp3Encoder(sampleRate);
  return {
    chunk: (samples) => ({ bytes: encoder.encode(samples) }),
    finish: async () => ({ bytes: encoder.finish() }),
    free: () => {},
  };
}

function openJob(step: EncoderStep & { step: 'open' }): Promise<Job> {
  if (step.format === 'voice') return openVoice(step.sampleRate);
  if (step.format === 'mp3') return openMp3(step.sampleRate);
  return openPackets(step.sampleRate, step.gain, step.file);
}

function serve(port: MessagePort): void {
  const jobs = new Map<number, Promise<Job>>();

  async function open(step: EncoderStep & { step: 'open' }): Promise<void> {
    const { job } = step;
    const opened = openJob(step);
    jobs.set(job, opened);
    try {
      await opened;
    } catch (error) {
      jobs.delete(job);
      throw error;
    }
  }

  async function close(id: number): Promise<void> {
    const job = await jobs.get(id);
    jobs.delete(id);
    job?.free();
  }

  async function take(step: EncoderStep): Promise<StepResult> {
    if (step.step === 'open') {
      await open(step);
      return {};
    }
    const job = await jobs.get(step.job);
    if (!job) throw new Error('The job is not open');
    if (step.step === 'chunk') return job.chunk(step.samples);
    try {
      return await job.finish();
    } finally {
      await close(step.job);
    }
  }

  async function answer(request: EncoderStep & { call: number }): Promise<EncoderReply> {
    try {
      return { call: request.call, result: await take(request) };
    } catch (error) {
      // Errors of WebAssembly modules can carry their whole source.
      return { call: request.call, error: String(error).slice(0, 500) };
    }
  }

  port.on('message', async (request: EncoderRequest) => {
    if (request.step === 'drop') {
      await close(request.job);
      return;
    }
    const reply = await answer(request);
    const result = 'result' in reply ? reply.result : {};
    const moved = [result.bytes, result.file, result.voice?.file]
      .map((bytes) => bytes?.buffer)
      .filter((buffer) => buffer instanceof ArrayBuffer);
    port.postMessage(reply, moved);
  });
}

if (parentPort) serve(parentPort);
