import {
  type Networking,
  type NetworkingState,
  NetworkingStatusCode,
  type VoiceConnection,
} from '@discordjs/voice';

/** Milliseconds after which an unanswered question for the own address is asked again. */
const DISCOVERY_MS = 700;

/** What a connection's networking tells, through the guard. */
export interface NetworkingEvents {
  /** A server's message could not be digested, or an address is none. */
  onBroken(error: unknown): void;
  /** The voice gateway closed the connection for good. */
  onClose(code: number): void;
}

/**
 * Stands between @discordjs/voice and a voice server's mistakes. The library works on messages
 * inside socket handlers, where an exception of its own, such as for a proposal that no key came
 * for, ends the process; here it reaches `onBroken` and ends one session. It also answers every
 * close but 4014 with a new request at once and without end; here `onClose` decides. And it asks
 * for the own address once, over a network that loses packets; here it is asked again.
 */
export function guardNetworking(
  connection: VoiceConnection,
  { onBroken, onClose }: NetworkingEvents,
): Disposable {
  let watched: Networking | undefined;
  let discovery: NodeJS.Timeout | undefined;
  const guarded = new WeakSet<object>();

  /** The same work, that tells what it would throw. */
  function told<A extends unknown[]>(work: (...args: A) => void): (...args: A) => void {
    return (...args) => {
      try {
        work(...args);
      } catch (error) {
        onBroken(error);
      }
    };
  }

  function onState(state: NetworkingState): void {
    clearInterval(discovery);
    if ('ws' in state && !guarded.has(state.ws)) {
      guarded.add(state.ws);
      state.ws.onMessage = told(state.ws.onMessage.bind(state.ws));
    }
    if ('udp' in state && !guarded.has(state.udp)) {
      guarded.add(state.udp);
      state.udp.send = told(state.udp.send.bind(state.udp));
      // The bot is deaf; the library would read the header of packets that are too short for one.
      state.udp.removeAllListeners('message');
    }
    if (state.code === NetworkingStatusCode.UdpHandshaking) {
      const { udp, connectionData } = state;
      discovery = setInterval(() => {
        // Its answer is read by the first question's listener; a socket closed meanwhile rejects.
        udp.performIPDiscovery(connectionData.ssrc).catch(() => {});
      }, DISCOVERY_MS);
    }
  }

  const onConnectionState = (): void => {
    const { state } = connection;
    const networking = 'networking' in state ? state.networking : undefined;
    if (!networking || networking === watched) return;
    watched = networking;
    networking.removeAllListeners('close');
    networking.once('close', (code: number) => {
      if (networking === watched) onClose(code);
    });
    networking.on('stateChange', (_old: NetworkingState, state: NetworkingState) => {
      if (networking === watched) onState(state);
    });
    onState(networking.state);
  };
  connection.on('stateChange', onConnectionState);

  return {
    [Symbol.dispose]() {
      clearInterval(discovery);
      connection.off('stateChange', onConnectionState);
      watched = undefined;
    },
  };
}
