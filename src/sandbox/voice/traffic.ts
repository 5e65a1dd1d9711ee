/** Packets of which arrival and number are kept: ten minutes of sound. */
const MAX_KEPT = 30_000;

/** What came over one voice connection, packet by packet, without a look inside. */
export class Traffic {
  /** Packets that came. */
  packets = 0;
  readonly #arrivals: number[] = [];
  readonly #sequences: number[] = [];
  #first: number | undefined;
  #highest = 0;

  /**
   * @param sequence - of RTP, 16 bits
   * @param arrivedAt - milliseconds of `performance.now()`
   */
  note(sequence: number, arrivedAt: number): void {
    this.packets += 1;
    if (this.#first === undefined) {
      this.#first = sequence;
      this.#highest = sequence;
    }
    const ahead = ((sequence - this.#highest + 0x8000) & 0xffff) - 0x8000;
    if (ahead > 0) this.#highest += ahead;
    if (this.#arrivals.length === MAX_KEPT) {
      this.#arrivals.splice(0, MAX_KEPT / 2);
      this.#sequences.splice(0, MAX_KEPT / 2);
    }
    this.#arrivals.push(arrivedAt);
    this.#sequences.push(sequence);
  }

  /** Packets that were sent before the last one that came, and did not come. */
  get lost(): number {
    return this.#first === undefined ? 0 : this.#highest - this.#first + 1 - this.packets;
  }

  /** When each packet came, in milliseconds of `performance.now()`; the last ten minutes at most. */
  get arrivals(): readonly number[] {
    return this.#arrivals;
  }

  /** RTP sequence numbers, in the order of arrival, as many as there are arrivals. */
  get sequences(): readonly number[] {
    return this.#sequences;
  }
}
