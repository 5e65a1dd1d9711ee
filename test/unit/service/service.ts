import { Agent, type Dispatcher, request } from 'undici';
import { createAudioEncoder } from '../../../src/audio/encoder.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import { createLog, type Logger } from '../../../src/log.ts';
import { createAccounts } from '../../../src/service/accounts.ts';
import { acceptKey } from '../../../src/service/auth.ts';
import { createService, type ServiceOptions } from '../../../src/service/service.ts';
import { openStore } from '../../../src/service/store/store.ts';

export const KEY = 'a key that opens the service';

/** A line of a conformance table: where a rule stands, what it says, and what must hold. */
export type Rule = [section: string, rule: string, check: () => Promise<void>];

/** A whole answer of the service. */
export interface Answer {
  status: number;
  headers: Dispatcher.ResponseData['headers'];
  trailers: Record<string, string>;
  bytes: Buffer;
  /** The body as JSON. */
  json(): unknown;
}

export interface Call {
  method?: string;
  /** Sent as JSON unless it is a string, which is sent as it stands. */
  body?: unknown;
  /** Added to the API key; null takes a header away. */
  headers?: Record<string, string | null>;
  signal?: AbortSignal;
}

export interface TestService extends AsyncDisposable {
  url: string;
  call(path: string, call?: Call): Promise<Answer>;
  /** As `call`, with the body still to be read. */
  open(path: string, call?: Call): Promise<Dispatcher.ResponseData>;
  /** Stops the service alone: what is open stays open on the client's side. */
  stop(): Promise<void>;
}

/** A real service on a free port of loopback, over the given engine, and an HTTP client for it. */
export async function startService(
  engine: Engine,
  options: Partial<Omit<ServiceOptions, 'engine'>> & { log?: Logger } = {},
): Promise<TestService> {
  const encoder = createAudioEncoder();
  const log = createLog('silent');
  const store = await openStore('sqlite::memory:', log);
  const accounts = createAccounts(store.db);
  const account = await accounts.ensure('default');
  const service = createService({
    engine,
    encoder,
    store,
    authenticate: acceptKey(KEY, (key) => accounts.find(account, key), accounts.authenticate),
    log,
    ...options,
  });
  const url = await service.listen({ host: '127.0.0.1', port: 0 });
  const agent = new Agent();

  function open(path: string, { method, body, headers = {}, signal }: Call = {}) {
    const given = { 'x-sup-api-key': KEY, 'content-type': 'application/json', ...headers };
    return request(url + path, {
      dispatcher: agent,
      method: (method ?? (body === undefined ? 'GET' : 'POST')) as Dispatcher.HttpMethod,
      headers: Object.fromEntries(
        Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== null),
      ),
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      ...(signal && { signal }),
    });
  }

  return {
    url,
    open,
    async call(path, call) {
      const answer = await open(path, call);
      const bytes = Buffer.from(await answer.body.arrayBuffer());
      return {
        status: answer.statusCode,
        headers: answer.headers,
        trailers: answer.trailers,
        bytes,
        json: () => JSON.parse(bytes.toString()),
      };
    },
    stop: () => service.close(),
    async [Symbol.asyncDispose]() {
      await agent.destroy();
      await service.close();
      await store.close();
      await encoder.close();
    },
  };
}
