import type { RequestRecord } from './requests.ts';

interface Failure {
  path: RegExp;
  /** Whether the request is done and only its answer is lost. */
  done: boolean;
}

/** Requests that are to be answered with 502, as when something between the bot and Discord breaks. */
export class Failures {
  readonly #wanted: Failure[] = [];

  add(failure: Failure): void {
    this.#wanted.push(failure);
  }

  /** Whether this request fails at this moment, before it is done or after; each failure comes once. */
  take({ path }: RequestRecord, done: boolean): boolean {
    const index = this.#wanted.findIndex(
      (wanted) => wanted.done === done && wanted.path.test(path),
    );
    return index >= 0 && this.#wanted.splice(index, 1).length > 0;
  }
}
