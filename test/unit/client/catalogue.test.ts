import { expect, onTestFinished, test } from 'vitest';
import { createVoiceCatalogue, type VoiceCatalogueOptions } from '../../../src/client/catalogue.ts';
import type { VoiceClient } from '../../../src/client/client.ts';
import { ServiceFailedError } from '../../../src/client/errors.ts';
import { clientOf, inTurn, json, refuse, startService } from './scripted-service.ts';

const { signal } = new AbortController();

function page(...names: string[]) {
  const items = names.map((name) => ({
    voice_id: name,
    name,
    description: '',
    age: 'adult',
    gender: 'female',
    use_case: 'narration',
    use_cases: ['narration'],
    language: ['en'],
    styles: ['neutral'],
    models: ['sona_speech_1'],
    samples: [],
  }));
  return json({ items, total: items.length, next_page_token: null });
}

function catalogueOf(client: VoiceClient, options?: VoiceCatalogueOptions) {
  const catalogue = createVoiceCatalogue(client, options);
  onTestFinished(() => catalogue.close());
  return catalogue;
}

test('many people who ask at once are one request', async () => {
  const service = await startService(page('Aria', '민수'));
  const catalogue = catalogueOf(clientOf(service.url));
  const lists = await Promise.all(Array.from({ length: 20 }, () => catalogue.voices({ signal })));
  expect(new Set(lists).size).toBe(1);
  expect(lists[0]?.map(({ name }) => name)).toEqual(['Aria', '민수']);
  await catalogue.voices({ signal });
  expect(service.received).toHaveLength(1);
});

test('a list that is too old is given at once and renewed behind it', async () => {
  const renewed = Promise.withResolvers<void>();
  const service = await startService(
    inTurn(page('Old'), async (response, received) => {
      await renewed.promise;
      await page('New')(response, received);
    }),
  );
  const catalogue = catalogueOf(clientOf(service.url), { maxAgeMs: 0 });
  await catalogue.voices({ signal });
  expect((await catalogue.voices({ signal }))[0]?.name).toBe('Old');
  renewed.resolve();
  await expect
    .poll(async () => (await catalogue.voices({ signal }))[0]?.name, { interval: 1 })
    .toBe('New');
});

test('a service that is down is an error until there is a list, which then outlives it', async () => {
  const down = refuse(500, 'Down');
  const service = await startService(inTurn(down, page('Aria'), down));
  const retry = { attempts: 1, baseDelayMs: 1, maxDelayMs: 1 };
  const catalogue = catalogueOf(clientOf(service.url, { retry }), { maxAgeMs: 0 });
  await expect(catalogue.voices({ signal })).rejects.toThrow(ServiceFailedError);
  await catalogue.voices({ signal });
  await expect
    .poll(
      async () => {
        expect((await catalogue.voices({ signal }))[0]?.name).toBe('Aria');
        return service.received.length;
      },
      { interval: 1 },
    )
    .toBeGreaterThan(3);
});

test('one who leaves does not take the list from the others', async () => {
  const ready = Promise.withResolvers<void>();
  const service = await startService(async (response, received) => {
    await ready.promise;
    await page('Aria')(response, received);
  });
  const catalogue = catalogueOf(clientOf(service.url));
  const caller = new AbortController();
  const leaving = catalogue.voices({ signal: caller.signal });
  const staying = catalogue.voices({ signal });
  caller.abort('gone');
  await expect(leaving).rejects.toBe('gone');
  ready.resolve();
  expect(await staying).toHaveLength(1);
});
