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

  /** Somebody gets the first free leaf. @returns it */
  add(userId: string): number {
    const hole = this.#users.indexOf(undefined);
    const leaf = hole < 0 ? this.#users.length : hole;
    this.#users[leaf] = userId;
    return leaf;
  }

  remove(leaf: number): void {
    this.#users[leaf] = undefined;
    this.#obsolete.delete(leaf);
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
