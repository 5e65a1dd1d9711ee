/** The bytes are not sound in a form that can be read here; the message says what they are instead. */
export class AudioFormatError extends Error {
  override readonly name = 'AudioFormatError';
}
