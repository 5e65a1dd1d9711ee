import { type DestinationStream, type Logger, pino } from 'pino';

export type { Logger } from 'pino';

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

/** Fields that hold secrets wherever they stand in a logged object. */
const SECRET_FIELDS = ['token', 'key', 'apiKey', 'authorization', 'x-sup-api-key'];

/**
 * Makes the program's logger: JSON lines. Known secrets are masked wherever they occur in a line,
 * so that one inside a message, a URL or a stack trace does not get out either.
 *
 * @param secrets - values that must never be written
 * @param destination - where the lines go; standard output by default
 */
export function createLog(
  level: LogLevel,
  secrets: readonly string[] = [],
  destination: DestinationStream = pino.destination({ sync: false }),
): Logger {
  const masked = secrets.filter((secret) => secret.length >= 8);
  return pino(
    {
      level,
      base: null,
      redact: SECRET_FIELDS.flatMap((field) => [
        `["${field}"]`,
        `*["${field}"]`,
        `*.*["${field}"]`,
      ]),
      serializers: { err: describeError },
      timestamp: pino.stdTimeFunctions.isoTime,
      hooks: {
        streamWrite: (line) =>
          masked.reduce((text, secret) => text.replaceAll(secret, '[secret]'), line),
      },
    },
    destination,
  );
}

/** Where the program lies on this machine, which is nobody else's business. */
const PROGRAM = new URL('..', import.meta.url);

/**
 * What a log says of an error. An error of a library may carry the whole request (an address with
 * an interaction's token, megabytes of audio), so only what is known to be harmless goes in.
 */
export function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error);
  const { name, message, stack, cause } = error;
  const { code, status } = error as { code?: unknown; status?: unknown };
  return {
    type: name,
    message,
    code,
    status,
    stack: stack?.replaceAll(PROGRAM.href, '').replaceAll(PROGRAM.pathname, ''),
    ...(cause !== undefined && { cause: describeError(cause) }),
  };
}
