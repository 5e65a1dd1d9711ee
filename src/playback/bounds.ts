import { UserError } from '../errors.ts';
import type { Item } from './item.ts';

/** Bounds of a queue: what waits and what is being said. */
export interface QueueBounds {
  guild: number;
  member: number;
}

export const QUEUE_BOUNDS: QueueBounds = { guild: 50, member: 10 };

/** The queue takes no more; the message says of whom and how many. */
export class QueueFullError extends UserError {
  override readonly name = 'QueueFullError';
}

/**
 * Checks that one more of a member fits.
 *
 * @throws {QueueFullError} when the guild's or the member's bound is reached
 */
export function checkRoom(queue: readonly Item[], member: string, bounds: QueueBounds): void {
  if (queue.length >= bounds.guild) {
    throw new QueueFullError(
      `The queue is full: ${bounds.guild} things wait to be said. Try again when some are through, or “/skip” one.`,
    );
  }
  if (queue.filter(({ by }) => by === member).length >= bounds.member) {
    throw new QueueFullError(
      `${bounds.member} things of yours wait to be said already: try again when one is through.`,
    );
  }
}
