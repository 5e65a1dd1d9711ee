import type { NetworkingReadyState } from '@discordjs/voice';

/**
 * How long the keys of the end-to-end encryption are awaited: frames sent before them are not
 * heard. Alone in the channel nobody sends any.
 */
const KEYS_MS = 2_000;
const ALONE_MS = 150;

/** Waits for the keys of a connection, but never for ever. */
export interface KeyWait {
  /** Whether the keys are still to come. */
  lacking(networking: NetworkingReadyState): boolean;
  /** The keys have come: a transition was executed. */
  settle(): void;
  close(): void;
}

/** @param onOver - called when the wait was given up */
export function createKeyWait(onOver: () => void): KeyWait {
  /** The encryption that was waited for; it outlives a resumed connection. */
  let session: unknown;
  let settled = false;
  let timer: NodeJS.Timeout | undefined;

  function over(): void {
    settled = true;
    onOver();
  }

  return {
    lacking({ dave, connectionData }) {
      if (!dave || dave.protocolVersion === 0) {
        // What comes later happens while the bot speaks, and the library sees to it.
        session = dave;
        settled = true;
        return false;
      }
      if (session !== dave) {
        clearTimeout(timer);
        session = dave;
        settled = false;
        timer = setTimeout(() => {
          if (connectionData.connectedClients.size === 0) over();
          else timer = setTimeout(over, KEYS_MS - ALONE_MS);
        }, ALONE_MS);
      }
      return !settled;
    },
    settle() {
      clearTimeout(timer);
      settled = true;
    },
    close: () => clearTimeout(timer),
  };
}
