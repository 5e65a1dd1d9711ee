import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';

/** What has a certificate of its own, as a sandbox has. */
interface Certified {
  /** PEM. */
  readonly certificate: string;
}

/**
 * Lets this process connect to a sandbox's voice servers, which show a certificate that nobody else
 * vouches for. For a bot in the same process.
 *
 * @returns ends the trust
 */
export function trustSandbox({ certificate }: Certified): () => void {
  setDefaultCACertificates([...getCACertificates('default'), certificate]);
  return () => {
    const trusted = getCACertificates('default');
    // Node gives the text back as it was set; nothing else contains this certificate.
    setDefaultCACertificates(trusted.filter((other) => other.trim() !== certificate.trim()));
  };
}

/**
 * Writes a sandbox's certificate to a file, for a bot in a process of its own.
 *
 * @returns the value for that process's NODE_EXTRA_CA_CERTS
 */
export async function writeCertificate(
  { certificate }: Certified,
  folder: string,
): Promise<string> {
  const path = join(folder, 'sandbox.pem');
  await writeFile(path, certificate);
  return path;
}
