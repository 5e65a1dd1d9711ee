import type { Change } from './external-sender.ts';

/** Who has which leaf of the group's tree (RFC 9420, section 7.7), as the server counts along. */
export class Leaves {
  /** Holes where somebody was removed. */
  readonly #users: (string | undefined)[] = [];
  /** Leaves of users who have left, or have lost the group's state: to be removed. */
  readonly #obsolete = new Set<number>();

  /** Users who share the group's keys. */
  get users(): string[] {
    return this.#users.flatMap((userId, leaf) =>
      userId === undefined || this.#obsolete.has(leaf) ? [] : [userId],
    );
  }

  get obsolete(): number[] {
    return [...this.#obsolete];
  }

  /** Whether somebody has a leaf, if only an obsolete one: they cannot be added before it is gone. */
  has(userId: string): boolean {
    return this.#users.includes(userId);
  }

  /** Somebody gets the first free leaf. */
  add(userId: string): void {
    const hole = this.#users.indexOf(undefined);
    this.#users[hole < 0 ? this.#users.length : hole] = userId;
  }

  /** Does what a commit says: removes first, then adds, in its order (RFC 9420, section 12.3). */
  apply(changes: readonly Change[]): void {
    for (const change of changes) {
      if (!('removeLeaf' in change)) continue;
      this.#users[change.removeLeaf] = undefined;
      this.#obsolete.delete(change.removeLeaf);
    }
    for (const change of changes) {
      if ('userId' in change) this.add(change.userId);
    }
  }

  /** Somebody cannot use the group any more. */
  lose(userId: string): void {
    const leaf = this.#users.indexOf(userId);
    if (leaf >= 0) this.#obsolete.add(leaf);
  }

  clear(): void {
    this.#users.length = 0;
    this.#obsolete.clear();
  }
}
