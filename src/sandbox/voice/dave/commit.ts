import { Reader } from './encoding.ts';

/** What the server looks at in a member's commit. */
export interface Commit {
  epoch: bigint;
  /** Leaf of the committer. */
  leaf: number;
  /** References of the proposals in it, hexadecimal, in order. */
  references: string[];
  /** The commit as it is passed on. */
  message: Buffer;
  /** For those whom it adds; empty without them. */
  welcome: Buffer;
}

const MEMBER = 1;
const COMMIT_CONTENT = 3;
const BY_REFERENCE = 2;
const KEY_PACKAGE_SOURCE = 1;
const COMMIT_SOURCE = 3;

/** RFC 9420, section 7.2. */
function skipLeafNode(reader: Reader): void {
  reader.vector(); // encryption key
  reader.vector(); // signature key
  reader.u16(); // credential: basic
  reader.vector(); // identity
  for (let capabilities = 0; capabilities < 5; capabilities += 1) reader.vector();
  const source = reader.u8();
  if (source === KEY_PACKAGE_SOURCE) reader.take(16); // lifetime
  if (source === COMMIT_SOURCE) reader.vector(); // parent hash
  reader.vector(); // extensions
  reader.vector(); // signature
}

/**
 * Reads what opcode 28 carries: a commit as an MLSMessage, directly followed by a bare Welcome when
 * it adds somebody (RFC 9420, sections 6, 12.4 and 12.4.3.1).
 *
 * @throws RangeError when it is something else
 */
export function readCommit(payload: Buffer): Commit {
  const reader = new Reader(payload);
  reader.expect(reader.u16(), 1, 'The version of MLS');
  reader.expect(reader.u16(), 1, 'The wire format');
  reader.vector(); // group id
  const epoch = reader.u64();
  reader.expect(reader.u8(), MEMBER, 'The kind of sender');
  const leaf = reader.u32();
  reader.vector(); // authenticated data
  reader.expect(reader.u8(), COMMIT_CONTENT, 'The kind of content');
  const proposals = new Reader(reader.vector());
  const references: string[] = [];
  while (!proposals.isAtEnd) {
    proposals.expect(proposals.u8(), BY_REFERENCE, 'The kind of proposal');
    references.push(proposals.vector().toString('hex'));
  }
  if (reader.u8() === 1) {
    skipLeafNode(reader);
    reader.vector(); // the path's nodes
  }
  reader.vector(); // signature
  reader.vector(); // confirmation tag
  reader.vector(); // membership tag
  const message = payload.subarray(0, reader.offset);
  return { epoch, leaf, references, message, welcome: payload.subarray(reader.offset) };
}
