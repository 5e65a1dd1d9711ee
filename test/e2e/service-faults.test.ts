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

const VOICES = JSON.stringify({
  items: [
    {
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
    },
  ],
  total: 1,
  next_page_token: null,
});

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
