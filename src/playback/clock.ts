import { PACKET_MS } from './packets.ts';

/** Beats once for every packet's time, for all who speak. */
export interface Clock {
  /**
   * Calls `beat` from now on with the number of packets that have become due: more than one after
   * the program was held up.
   *
   * @returns milliseconds to the first beat
   */
  join(beat: (due: number) => void): number;
  leave(beat: (due: number) => void): void;
}

/** Packets that are made up for after the program was held up; what is later is said later. */
const CATCH_UP = 10;

/**
 * Makes a clock, whose timer runs while somebody speaks. All share it: to wake up costs the
 * processor more than to send a packet, and fifty guilds would wake it fifty times as often.
 */
export function createClock(): Clock {
  const members = new Set<(due: number) => void>();
  let nextAt = 0;
  let timer: NodeJS.Timeout | undefined;

  function beat(): void {
    const now = performance.now();
    const behind = Math.floor((now - nextAt) / PACKET_MS) + 1;
    if (behind > CATCH_UP) nextAt = now + PACKET_MS;
    else nextAt += behind * PACKET_MS;
    timer = setTimeout(beat, nextAt - now);
    const due = Math.min(behind, CATCH_UP);
    if (due > 0) for (const member of [...members]) member(due);
  }

  return {
    join(member) {
      const now = performance.now();
      if (members.size === 0) {
        nextAt = now + PACKET_MS;
        timer = setTimeout(beat, PACKET_MS);
      }
      members.add(member);
      return nextAt - now;
    },
    leave(member) {
      members.delete(member);
      if (members.size === 0) clearTimeout(timer);
    },
  };
}
