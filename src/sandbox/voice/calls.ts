import { NoResponse } from '../errors.ts';
import { waitFor } from '../wait.ts';
import { Call } from './call.ts';

/** The calls of all voice channels, each from the first look at it on. */
export class Calls {
  readonly #calls = new Map<string, Call>();
  readonly #daveVersion: number;
  readonly #changed: () => void;

  /**
   * @param daveVersion - that each begins with; 0 for no encryption
   * @param changed - called when the members of a call agreed on keys
   */
  constructor(daveVersion: number, changed: () => void) {
    this.#daveVersion = daveVersion;
    this.#changed = changed;
  }

  of(channelId: string): Call {
    const known = this.#calls.get(channelId);
    if (known) return known;
    const call = new Call(channelId, this.#daveVersion);
    call.dave.events.on('change', this.#changed);
    this.#calls.set(channelId, call);
    return call;
  }

  /** @param timeout - milliseconds */
  async settled(channelId: string, timeout: number, signal: AbortSignal): Promise<void> {
    const { dave } = this.of(channelId);
    await waitFor(dave.events, () => dave.isSettled || undefined, {
      timeout,
      late: () => new NoResponse(`The encryption was not agreed on within ${timeout} ms`),
      signal,
    });
  }

  remove(channelId: string): void {
    this.#calls.get(channelId)?.dave.close();
    this.#calls.delete(channelId);
  }

  close(): void {
    for (const channelId of this.#calls.keys()) this.remove(channelId);
  }
}
