import { generateKeyPairSync, randomBytes, randomUUID, sign } from 'node:crypto';
import { isIPv4 } from 'node:net';

/** A key and the certificate that it signed itself, both PEM. */
export interface Certificate {
  key: string;
  cert: string;
}

const DAY = 86_400_000;

/** Object identifiers as their DER content. */
const OID = {
  commonName: [0x55, 0x04, 0x03],
  basicConstraints: [0x55, 0x1d, 0x13],
  subjectAltName: [0x55, 0x1d, 0x11],
  ecdsaWithSha256: [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02],
};

/** One DER value: tag, length, content. */
function der(tag: number, ...content: (Uint8Array | readonly number[])[]): Buffer {
  const body = Buffer.concat(content.map((part) => Buffer.from(part)));
  if (body.length < 0x80) return Buffer.concat([Buffer.from([tag, body.length]), body]);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(body.length);
  return Buffer.concat([Buffer.from([tag, 0x82]), length, body]);
}

const sequence = (...content: Uint8Array[]) => der(0x30, ...content);
const oid = (content: readonly number[]) => der(0x06, content);
const generalizedTime = (date: Date) =>
  der(0x18, Buffer.from(`${date.toISOString().replaceAll(/[-:T]|\..*/gu, '')}Z`));

function name(commonName: string): Buffer {
  const attribute = sequence(oid(OID.commonName), der(0x0c, Buffer.from(commonName)));
  return sequence(der(0x31, attribute));
}

function extension(id: readonly number[], value: Uint8Array): Buffer {
  return sequence(oid(id), der(0x04, value));
}

/** A GeneralName: an address (tag 7) or a host's name (tag 2). */
function subjectName(host: string): Buffer {
  return isIPv4(host) ? der(0x87, host.split('.').map(Number)) : der(0x82, Buffer.from(host));
}

/**
 * Makes a certificate for a day that a TLS server on these hosts shows (RFC 5280: X.509 version 3,
 * P-256, its own authority). By hand, for Node makes keys and signatures but no certificates.
 *
 * @param hosts - IPv4 addresses and names
 */
export function createCertificate(hosts: readonly string[]): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = sequence(oid(OID.ecdsaWithSha256));
  // Of two authorities with one name, TLS tries one alone.
  const issuer = name(`Sandbox ${randomUUID()}`);
  const serial = randomBytes(16);
  // An integer with its first bit set would be negative; one that begins with zero is not minimal.
  serial[0] = 0x40 | ((serial[0] ?? 0) & 0x3f);
  const extensions = sequence(
    extension(OID.basicConstraints, sequence(der(0x01, [0xff]))),
    extension(OID.subjectAltName, sequence(...hosts.map(subjectName))),
  );
  const signed = sequence(
    der(0xa0, der(0x02, [2])),
    der(0x02, serial),
    algorithm,
    issuer,
    sequence(
      generalizedTime(new Date(Date.now() - DAY)),
      generalizedTime(new Date(Date.now() + DAY)),
    ),
    issuer,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, extensions),
  );
  const signature = sign('sha256', signed, privateKey);
  const certificate = sequence(signed, algorithm, der(0x03, [0], signature));
  const lines = certificate.toString('base64').replaceAll(/.{64}/gu, '$&\n').trimEnd();
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  };
}
