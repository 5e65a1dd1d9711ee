import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { u8, u16, u32, u64, vector } from './encoding.ts';

const MLS_VERSION = 1;
const PUBLIC_MESSAGE = 1;
const BASIC_CREDENTIAL = 1;
const EXTERNAL_SENDER = 2;
const PROPOSAL_CONTENT = 2;
const ADD = 1;
const REMOVE = 3;

/** A proposal as it goes out, with the reference under which a commit names it. */
export interface Proposal {
  message: Buffer;
  /** Hexadecimal. */
  reference: string;
}

/** Somebody comes, with a key package, or a leaf goes. */
export type Change = { add: Buffer; userId: string } | { removeLeaf: number };

function label(text: string): Buffer {
  return vector(Buffer.from(`MLS 1.0 ${text}`, 'latin1'));
}

/** The voice server's part in a group: it proposes who comes and goes, but is no member. */
export class ExternalSender {
  readonly #privateKey: KeyObject;
  /** What opcode 25 carries: public key and credential. */
  readonly package: Buffer;

  constructor() {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.#privateKey = privateKey;
    // The last 65 bytes of the key's description are the point, uncompressed.
    const point = publicKey.export({ type: 'spki', format: 'der' }).subarray(-65);
    const identity = vector(Buffer.from('sandbox', 'latin1'));
    this.package = Buffer.concat([vector(point), u16(BASIC_CREDENTIAL), identity]);
  }

  /**
   * Signs a proposal (RFC 9420, sections 6.1 and 12.1).
   *
   * @param group - the channel's id
   */
  propose(group: string, epoch: bigint, change: Change): Proposal {
    const proposal =
      'add' in change
        ? Buffer.concat([u16(ADD), change.add])
        : Buffer.concat([u16(REMOVE), u32(change.removeLeaf)]);
    const content = Buffer.concat([
      vector(u64(BigInt(group))),
      u64(epoch),
      u8(EXTERNAL_SENDER),
      u32(0), // the group's first external sender
      vector(), // authenticated data
      u8(PROPOSAL_CONTENT),
      proposal,
    ]);
    const head = Buffer.concat([u16(MLS_VERSION), u16(PUBLIC_MESSAGE), content]);
    const signature = vector(
      sign('sha256', Buffer.concat([label('FramedContentTBS'), vector(head)]), this.#privateKey),
    );
    const referred = vector(u16(PUBLIC_MESSAGE), content, signature);
    const reference = createHash('sha256')
      .update(Buffer.concat([label('Proposal Reference'), referred]))
      .digest('hex');
    return { message: Buffer.concat([head, signature]), reference };
  }
}
