import { createCipheriv, createDecipheriv } from 'node:crypto';

/** The only transport encryption that is served here; Discord requires clients to know it. */
export const ENCRYPTION_MODE = 'aead_aes256_gcm_rtpsize';

const TAG_BYTES = 16;
const NONCE_BYTES = 4;
const RTP_HEADER_BYTES = 12;

/** Whether a datagram looks like RTP (RFC 3550) that is long enough to be decrypted. */
export function isRtp(datagram: Buffer): boolean {
  const enough = datagram.length >= RTP_HEADER_BYTES + TAG_BYTES + NONCE_BYTES;
  return enough && ((datagram[0] ?? 0) & 0xc0) === 0x80;
}

export const rtpSequence = (datagram: Buffer): number => datagram.readUInt16BE(2);
export const rtpTimestamp = (datagram: Buffer): number => datagram.readUInt32BE(4);
export const rtpSsrc = (datagram: Buffer): number => datagram.readUInt32BE(8);

/**
 * Takes the transport encryption off (documentation, "Transport Encryption and Sending Voice"): the
 * RTP header is authenticated, the last four bytes are the nonce, the tag stands before them.
 *
 * @returns the payload; undefined when it was not encrypted with this key
 */
export function decryptRtp(datagram: Buffer, key: Uint8Array): Buffer | undefined {
  const sources = (datagram[0] ?? 0) & 0x0f;
  const hasExtension = ((datagram[0] ?? 0) & 0x10) !== 0;
  // With "rtpsize", an extension's own header is clear and what it holds is encrypted.
  const clear = RTP_HEADER_BYTES + sources * 4 + (hasExtension ? 4 : 0);
  const end = datagram.length - NONCE_BYTES - TAG_BYTES;
  if (end < clear) return undefined;
  const nonce = Buffer.alloc(12);
  datagram.copy(nonce, 0, datagram.length - NONCE_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', key, nonce);
  decipher.setAAD(datagram.subarray(0, clear));
  decipher.setAuthTag(datagram.subarray(end, end + TAG_BYTES));
  const payload = decipher.update(datagram.subarray(clear, end));
  try {
    decipher.final();
  } catch {
    // The only thing that `final` checks is the tag: somebody sent what is not this client's.
    return undefined;
  }
  return hasExtension ? payload.subarray(datagram.readUInt16BE(clear - 2) * 4) : payload;
}

/** Encrypts a payload behind its RTP header, as a client does. */
export function encryptRtp(
  header: Uint8Array,
  payload: Uint8Array,
  key: Uint8Array,
  counter: number,
): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUInt32BE(counter);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  cipher.setAAD(header);
  const encrypted = [cipher.update(payload), cipher.final(), cipher.getAuthTag()];
  return Buffer.concat([header, ...encrypted, nonce.subarray(0, NONCE_BYTES)]);
}
