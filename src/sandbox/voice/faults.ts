/** A message of the handshake that can be held back. */
export type HandshakeStep =
  | 'stateUpdate'
  | 'serverUpdate'
  | 'ready'
  | 'discovery'
  | 'sessionDescription'
  | 'resumed'
  | 'heartbeatAck';

/** What is made to go wrong, for all voice servers of a sandbox. */
export class VoiceFaults {
  readonly #held = new Map<HandshakeStep, (() => void)[]>();
  #share = 0;
  #random = 1;
  /** Answers no datagram and takes none, as behind a firewall. */
  refusesUdp = false;
  /** Closes whoever identifies with this code. */
  refuseIdentify: number | undefined;

  /** Loses a share of all media packets on their way, 0 to 1. The same ones in every run. */
  lose(share: number): void {
    this.#share = share;
    this.#random = 1;
  }

  /** Whether the packet that has just come is one of the lost. */
  losesPacket(): boolean {
    if (this.#share === 0) return false;
    // Linear congruential generator: even enough, and repeatable.
    this.#random = (Math.imul(this.#random, 1_664_525) + 1_013_904_223) >>> 0;
    return this.#random / 2 ** 32 < this.#share;
  }

  /**
   * Holds messages back from now on.
   *
   * @returns lets them go, with those that were held
   */
  withhold(...steps: HandshakeStep[]): () => void {
    for (const step of steps) this.#held.set(step, this.#held.get(step) ?? []);
    return () => {
      for (const step of steps) {
        const waiting = this.#held.get(step) ?? [];
        this.#held.delete(step);
        for (const act of waiting) act();
      }
    };
  }

  /** Does what sends a message, now or once it is no longer held back. */
  pass(step: HandshakeStep, act: () => void): void {
    const held = this.#held.get(step);
    if (held) held.push(act);
    else act();
  }
}
