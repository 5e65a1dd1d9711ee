import { type MessagePort, parentPort } from 'node:worker_threads';
import type { EncoderReply, EncoderRequest, EncoderStep, StepResult } from './encoder-messages.ts';
import { encodeOggOpus } from './ogg.ts';
import { createOpusEncoder, OPUS_RATE } from './opus.ts';
import { createResampler } from './resample.ts';
import { createWaveform } from './waveform.ts';

/** The encoders of one sound. */
interface Job {
  chunk(samples: Int16Array): StepResult;
  finish(): Promise<StepResult>;
  free(): void;
}

async function openVoice(sampleRate: number): Promise<Job> {
  const resampler = await createResampler(sampleRate, OPUS_RATE);
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

function serve(port: MessagePort): void {
  const jobs = new Map<number, Promise<Job>>();

  async function open({ job, format, sampleRate }: EncoderStep & { step: 'open' }): Promise<void> {
    const opened = format === 'voice' ? openVoice(sampleRate) : openMp3(sampleRate);
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
    const file = (result.bytes ?? result.voice?.file)?.buffer;
    port.postMessage(reply, file instanceof ArrayBuffer ? [file] : []);
  });
}

if (parentPort) serve(parentPort);
