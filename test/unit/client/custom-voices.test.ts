import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  InvalidRequestError,
  PayloadTooLargeError,
  ServiceUnreachableError,
  UnsupportedMediaError,
  VoiceNotFoundError,
} from '../../../src/client/errors.ts';
import { SAMPLE_BYTES_LIMIT } from '../../../src/contract/limits.ts';
import { createEngine } from '../../../src/engine/builtin.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import { sampleOf } from '../service/clone-call.ts';
import { KEY, startService as startRealService, type TestService } from '../service/service.ts';
import { clientOf, startService } from './scripted-service.ts';

let engine: Engine;
let service: TestService;
let sample: Uint8Array<ArrayBuffer>;
const signal = AbortSignal.timeout(30_000);

beforeAll(async () => {
  engine = createEngine({ workers: 1 });
  service = await startRealService(engine);
  sample = await sampleOf(engine, 'theo');
});
afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await engine?.close();
});

const client = () => clientOf(service.url, { key: KEY });

test('a voice is cloned, found, spoken with, renamed and deleted', async () => {
  const voices = client();
  const text = { name: '우리 목소리 🎙️', description: 'صوت هادئ' };
  const voice_id = await voices.createClonedVoice({ sample, ...text }, { signal });
  const made = { voice_id, ...text };
  expect(await voices.getCustomVoice(voice_id, { signal })).toEqual(made);
  expect(await voices.allCustomVoices({ signal })).toEqual([made]);
  expect((await voices.listCustomVoices({ signal, pageSize: 10 })).items).toEqual([made]);
  expect((await voices.searchCustomVoices({ name: '목소리' }, { signal })).total).toBe(1);
  expect((await voices.searchCustomVoices({ name: 'nobody' }, { signal })).total).toBe(0);

  const { samples } = await voices.createSpeech(
    voice_id,
    { text: '안녕', language: 'ko' },
    { signal },
  );
  expect(samples.length).toBeGreaterThan(10_000);

  const renamed = { ...made, name: '声' };
  expect(await voices.editCustomVoice(voice_id, { name: '声' }, { signal })).toEqual(renamed);
  await voices.deleteCustomVoice(voice_id, { signal });
  await expect(voices.getCustomVoice(voice_id, { signal })).rejects.toThrow(VoiceNotFoundError);
  await expect(voices.deleteCustomVoice(voice_id, { signal })).rejects.toThrow(VoiceNotFoundError);
});

test('a sample that is refused says why', async () => {
  const clone = (bytes: Uint8Array<ArrayBuffer>, name = 'x') =>
    client().createClonedVoice({ sample: bytes, name }, { signal });
  await expect(clone(new Uint8Array(Buffer.from('OggS')))).rejects.toThrow(UnsupportedMediaError);
  const large = new Uint8Array(SAMPLE_BYTES_LIMIT);
  large.set(sample);
  await expect(clone(large)).rejects.toThrow(PayloadTooLargeError);
  await expect(clone(sample, '')).rejects.toThrow(InvalidRequestError);
});

test('a voice is asked for once, for a second try might make a second voice', async () => {
  const broken = await startService((response) => {
    response.destroy();
  });
  const voices = clientOf(broken.url);
  await expect(voices.createClonedVoice({ sample, name: 'x' }, { signal })).rejects.toThrow(
    ServiceUnreachableError,
  );
  expect(broken.received.length).toBe(1);
  await expect(voices.listCustomVoices({ signal })).rejects.toThrow(ServiceUnreachableError);
  expect(broken.received.length).toBe(5);
});
