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
      timestamp: pino.stdTimeFunctions.isoTime,
      hooks: {
        streamWrite: (line) =>
          masked.reduce((text, secret) => text.replaceAll(secret, '[secret]'), line),
      },
    },
    destination,
  );
}
