import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';
import type { Call } from './call.ts';
import type { VoiceClient } from './client.ts';
import type { VoiceFaults } from './faults.ts';
import { decryptRtp, isRtp, rtpSequence, rtpSsrc, rtpTimestamp } from './transport.ts';

const DISCOVERY_BYTES = 74;
const DISCOVERY_REQUEST = 1;
const DISCOVERY_RESPONSE = 2;

/** Bytes that the system keeps while the process is busy: seconds of many sessions. */
const RECEIVE_BUFFER = 1 << 22;

interface MediaOptions {
  faults: VoiceFaults;
  mayBeHeard: (client: VoiceClient) => boolean;
}

/** The port for sound of a voice server: tells clients their address, and passes packets on. */
export class MediaPort {
  readonly #socket: Socket;
  readonly #options: MediaOptions;
  readonly #clients = new Map<number, VoiceClient>();
  #lastSource = 0;

  private constructor(socket: Socket, options: MediaOptions) {
    this.#socket = socket;
    this.#options = options;
    socket.on('message', (datagram, from) => this.#receive(datagram, from));
  }

  static async open(host: string, options: MediaOptions): Promise<MediaPort> {
    const socket = createSocket({ type: 'udp4', recvBufferSize: RECEIVE_BUFFER });
    socket.bind(0, host);
    await once(socket, 'listening');
    return new MediaPort(socket, options);
  }

  get port(): number {
    return this.#socket.address().port;
  }

  /** An RTP source that nobody else here has. */
  newSource(): number {
    this.#lastSource += 1;
    return this.#lastSource;
  }

  add(client: VoiceClient): void {
    this.#clients.set(client.ssrc, client);
  }

  remove(client: VoiceClient): void {
    this.#clients.delete(client.ssrc);
  }

  async close(): Promise<void> {
    const closed = once(this.#socket, 'close');
    this.#socket.close();
    await closed;
  }

  #receive(datagram: Buffer, from: RemoteInfo): void {
    const { faults } = this.#options;
    if (faults.refusesUdp) return;
    if (isRtp(datagram)) {
      const client = this.#clients.get(rtpSsrc(datagram));
      if (client?.call && !faults.losesPacket()) this.#media(client, client.call, datagram);
    } else if (
      datagram.length === DISCOVERY_BYTES &&
      datagram.readUInt16BE(0) === DISCOVERY_REQUEST
    ) {
      faults.pass('discovery', () => this.#discover(datagram, from));
    }
  }

  /** Tells a client its address (documentation, "IP Discovery"). */
  #discover(request: Buffer, from: RemoteInfo): void {
    if (!this.#clients.has(request.readUInt32BE(4))) return;
    const answer = Buffer.alloc(DISCOVERY_BYTES);
    answer.writeUInt16BE(DISCOVERY_RESPONSE, 0);
    answer.writeUInt16BE(DISCOVERY_BYTES - 4, 2);
    request.copy(answer, 4, 4, 8);
    answer.write(from.address, 8, 'latin1');
    answer.writeUInt16BE(from.port, DISCOVERY_BYTES - 2);
    this.#socket.send(answer, from.port, from.address);
  }

  /** Most packets have nobody to hear them: those are counted and no more. */
  #media(client: VoiceClient, call: Call, datagram: Buffer): void {
    const arrivedAt = performance.now();
    const sequence = rtpSequence(datagram);
    client.traffic.note(sequence, arrivedAt);
    if (!call.hasListener(client.userId) || !this.#options.mayBeHeard(client)) return;
    const frame = decryptRtp(datagram, client.secretKey);
    if (!frame) return;
    const { userId, ssrc } = client;
    const timestamp = rtpTimestamp(datagram);
    call.forward({ userId, ssrc, sequence, timestamp, arrivedAt, frame });
  }
}
