/** What a file is by its first bytes, for those that people take for sound. */
const SIGNATURES: readonly (readonly [start: string, type: string])[] = [
  ['OggS', 'audio/ogg'],
  ['fLaC', 'audio/flac'],
  ['FORM', 'audio/aiff'],
  ['\x1aE\xdf\xa3', 'video/webm'],
  ['%PDF', 'application/pdf'],
  ['PK\x03\x04', 'application/zip'],
  ['\x89PNG', 'image/png'],
  ['\xff\xd8\xff', 'image/jpeg'],
  ['GIF8', 'image/gif'],
  ['\xff\xf1', 'audio/aac'],
  ['\xff\xf9', 'audio/aac'],
];

/**
 * Names the type of a file that is neither WAV nor MP3: what its bytes say, else what its sender
 * said, as far as that is a plain media type.
 */
export function receivedType(head: Uint8Array, declared: string): string {
  const start = Buffer.from(head.buffer, head.byteOffset, head.length).toString('latin1');
  if (start.slice(4, 8) === 'ftyp') return 'audio/mp4';
  const known = SIGNATURES.find(([signature]) => start.startsWith(signature));
  if (known) return known[1];
  // A declared type of the two that are supported is not what the bytes are.
  const plausible = /^[\w.+-]{1,60}\/[\w.+-]{1,60}$/.test(declared);
  const contradicted = /^audio\/(x-)?(wave?|mpeg|mp3)$/i.test(declared);
  return plausible && !contradicted ? declared.toLowerCase() : 'application/octet-stream';
}
