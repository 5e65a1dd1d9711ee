/** Milliseconds that a link may take; tests make them short. */
export interface LinkDeadlines {
  /** From the request to join or to move to a usable connection. */
  joinMs: number;
  /** From the loss of a connection to the next usable one. */
  reconnectMs: number;
  /** From a close that a move or a new server may have caused (4014, 4022) to a usable connection. */
  moveMs: number;
}

export const LINK_DEADLINES: LinkDeadlines = {
  joinMs: 12_000,
  reconnectMs: 60_000,
  moveMs: 5_000,
};
