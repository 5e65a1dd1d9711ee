import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { startTestBot } from '../helpers/bot.ts';

/** Another voice service, which answers as `listener` does. */
async function startService(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      if (!server.listening) return;
      server.close();
      await once(server, 'close');
    },
  };
}

const ARIA = {
  voice_id: 'aria',
  name: 'Aria',
  description: '',
  age: 'young-adult',
  gender: 'female',
  use_case: 'conversation',
  use_cases: ['conversation'],
  language: ['en'],
  styles: ['neutral'],
  models: ['sona_speech_1'],
  samples: [],
};

const page = (items: object[]) =>
  JSON.stringify({ items, total: items.length, next_page_token: null });

const VOICES = page([ARIA]);

/** A service whose list of voices works, and whose speech is up to `speak`. */
const withVoices =
  (speak: RequestListener): RequestListener =>
  (request, response) => {
    if (request.url?.startsWith('/v1/voices')) {
      response.setHeader('content-type', 'application/json').end(VOICES);
    } else {
      speak(request, response);
    }
  };

const refuse =
  (status: number, message: string): RequestListener =>
  (_, response) => {
    const detail = { message, error: 'Error', status_code: status };
    response
      .writeHead(status, { 'content-type': 'application/json', 'retry-after': '0' })
      .end(JSON.stringify({ status: 'error', message: status === 400 ? message : detail }));
  };

/** What a member sees of a /say through that service. */
async function sayThrough(listener: RequestListener | 'down') {
  await using service = await startService(listener === 'down' ? () => {} : listener);
  if (listener === 'down') await service[Symbol.asyncDispose]();
  await using bot = await startTestBot({
    VOICE_API_URL: service.url,
    VOICE_API_KEY: 'key-of-another-service',
    VOICE_API_TIMEOUT: '0.3',
  });
  const answer = await bot.sandbox.run('/say', { text: 'Hello' });
  await answer.until((messages) => messages.some(({ thinking }) => !thinking));
  expect(bot.sandbox.messages()).toEqual([]);
  expect(bot.logged.join('')).not.toContain('key-of-another-service');
  return answer.messages;
}

describe('when the voice service has a fault, the member alone is told, and nothing is posted', () => {
  it.each<[string, RequestListener | 'down', RegExp]>([
    ['it is down', 'down', /^The voice service does not answer/],
    ['it is slow', withVoices(() => {}), /^That took too long/],
    [
      'it breaks off',
      withVoices((request) => request.socket.destroy()),
      /^The voice service does not answer/,
    ],
    [
      'it answers rubbish',
      withVoices((_, response) => response.end('<html>Welcome!</html>')),
      /^The voice service answered something that I do not understand/,
    ],
    [
      'it sends half a sound',
      withVoices((_, response) => {
        response.writeHead(200, { 'content-type': 'audio/wav', 'content-length': '5000' });
        response.end(Buffer.from('RIFF'), () => response.destroy());
      }),
      /^The voice service (does not answer|answered something)/,
    ],
    [
      'it fails',
      withVoices(refuse(500, 'Failed to convert text to speech')),
      /^The voice service failed/,
    ],
    [
      'it does not know the key',
      withVoices(refuse(401, 'Invalid API key')),
      /does not accept my key \(VOICE_API_KEY\)/,
    ],
    [
      'the credits are used up',
      withVoices(refuse(402, 'Not enough credits')),
      /^The credits of the voice service are used up/,
    ],
    ['it is busy', withVoices(refuse(429, 'Rate limit exceeded')), /^The voice service is busy/],
    ['the voice is gone', withVoices(refuse(404, 'Voice not found')), /^That voice is gone/],
    [
      'it refuses the text',
      withVoices(refuse(400, 'text is rude')),
      /^The voice service refused: text is rude/,
    ],
  ])('%s', async (_, listener, sentence) => {
    const messages = await sayThrough(listener);
    expect(messages).toHaveLength(1);
    expect(messages[0]).toMatchObject({ ephemeral: true, attachments: [] });
    expect(messages[0]?.content).toMatch(sentence);
  });
});

describe('voices of another service that say very much of themselves, or nothing', () => {
  const FAMILY = '👩‍👩‍👧‍👦';
  const wordy = (voice_id: string) => ({
    ...ARIA,
    voice_id,
    name: FAMILY.repeat(60),
    description: `A voice for ${FAMILY.repeat(300)}`,
    use_cases: Array.from({ length: 80 }, (_, use) => `narration-of-chapter-${use}`),
    styles: Array.from({ length: 80 }, (_, style) => `style-of-the-chapter-${style}`),
  });
  const silent = { ...ARIA, use_cases: [], use_case: '' };
  const voices = [
    ...Array.from({ length: 11 }, (_, index) => wordy(`wordy-${index}`)),
    wordy('id'.repeat(60)),
    silent,
  ];
  const serve: RequestListener = (request, response) => {
    const id = /^\/v1\/voices\/([^?/]+)$/.exec(request.url ?? '')?.[1];
    const one = id === 'search' ? undefined : voices.find(({ voice_id }) => voice_id === id);
    response.setHeader('content-type', 'application/json');
    response.end(one ? JSON.stringify(one) : page(voices));
  };

  it('are listed, offered and shown, with whole characters', async () => {
    await using service = await startService(serve);
    await using bot = await startTestBot({ VOICE_API_URL: service.url, VOICE_API_KEY: 'key' });
    const typed = { text: 'Hi', voice: '' };
    const offered = await bot.sandbox.autocomplete('/say', typed, 'voice');
    expect(offered.length).toBeGreaterThan(10);
    for (const { name } of offered.slice(0, 11))
      expect(name).toMatch(new RegExp(`^(?:${FAMILY})+`));
    const list = await bot.sandbox.run('/voices');
    expect(list.messages[0]?.embeds[0]?.description).toContain(FAMILY);
    for (const voice of ['wordy-0', 'aria']) {
      const shown = await bot.sandbox.run('/voices', { voice });
      expect(shown.messages[0]?.embeds[0]?.fields).toHaveLength(5);
    }
    const said = JSON.stringify([offered, list.messages]);
    expect(said.replaceAll(FAMILY, '')).not.toMatch(/\u{200D}|\p{RGI_Emoji}/v);
    expect(bot.requestFaults() ?? []).toEqual([]);
  });
});
