import type { Logger } from '../log.ts';
import type { CallOptions, VoiceClient } from './client.ts';
import type { VoiceSummary } from './voice-pages.ts';

/** All voices of the service, at hand for autocomplete. */
export interface VoiceCatalogue {
  /**
   * Waits for the service only at the first call. Later ones answer at once; a list that is too
   * old is renewed behind them.
   *
   * @throws what `VoiceClient.allVoices` throws, while there is no list yet
   */
  voices(options: CallOptions): Promise<readonly VoiceSummary[]>;
  /** Ends a renewal that is under way. */
  close(): Promise<void>;
}

export interface VoiceCatalogueOptions {
  /** Milliseconds after which the list is renewed. */
  maxAgeMs?: number;
  log?: Logger;
}

/** Keeps the list of voices. One request at a time, however many people ask. */
export function createVoiceCatalogue(
  client: Pick<VoiceClient, 'allVoices'>,
  { maxAgeMs = 60_000, log }: VoiceCatalogueOptions = {},
): VoiceCatalogue {
  const closing = new AbortController();
  let list: readonly VoiceSummary[] | undefined;
  let renewAt = 0;
  let renewal: Promise<readonly VoiceSummary[]> | undefined;

  async function renew(): Promise<readonly VoiceSummary[]> {
    try {
      list = await client.allVoices({ signal: closing.signal });
      return list;
    } finally {
      // After a failure too: while there is a list, a service that is down is not asked at every key press.
      renewAt = performance.now() + maxAgeMs;
      renewal = undefined;
    }
  }

  return {
    async voices({ signal }) {
      signal.throwIfAborted();
      if (list && performance.now() < renewAt) return list;
      if (!renewal) {
        renewal = renew();
        renewal.catch((err: unknown) => {
          if (!closing.signal.aborted) log?.warn({ err }, 'the list of voices was not renewed');
        });
      }
      return list ?? unlessAborted(renewal, signal);
    },
    async close() {
      closing.abort(new Error('The catalogue of voices was closed.'));
      await Promise.allSettled([renewal]);
    },
  };
}

/** The result, unless this caller leaves first; the work goes on for the others. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}
