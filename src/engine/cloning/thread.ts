import { parentPort, workerData } from 'node:worker_threads';
import { UserError } from '../../errors.ts';
import type { Analysis } from './cloner.ts';
import { profileOf } from './profile.ts';
import { readSample } from './sample.ts';

const { bytes } = workerData as { bytes: Uint8Array };
parentPort?.postMessage(await analyse());

async function analyse(): Promise<Analysis> {
  try {
    return { ok: true, profile: await profileOf(await readSample(bytes)) };
  } catch (error) {
    // Classes do not survive the way out of a thread; emscripten's errors may carry megabytes.
    return {
      ok: false,
      usersFault: error instanceof UserError,
      reason: (error instanceof Error ? error.message : String(error)).slice(0, 300),
    };
  }
}
