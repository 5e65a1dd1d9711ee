/** Status and message of each JSON error code that the sandbox answers with. */
const DISCORD_ERRORS = {
  10002: [404, 'Unknown Application'],
  10003: [404, 'Unknown Channel'],
  10004: [404, 'Unknown Guild'],
  10007: [404, 'Unknown Member'],
  10008: [404, 'Unknown Message'],
  10011: [404, 'Unknown Role'],
  10013: [404, 'Unknown User'],
  10015: [404, 'Unknown Webhook'],
  10062: [404, 'Unknown interaction'],
  10063: [404, 'Unknown application command'],
  10065: [404, 'Unknown Voice State'],
  20012: [403, 'You are not authorized to perform this action on this application'],
  30015: [400, 'Maximum number of attachments in a message reached (10)'],
  30032: [400, 'Maximum number of application commands reached (100).'],
  40005: [413, 'Request entity too large'],
  40060: [400, 'Interaction has already been acknowledged.'],
  50001: [403, 'Missing Access'],
  50005: [403, 'Cannot edit a message authored by another user'],
  50006: [400, 'Cannot send an empty message'],
  50008: [400, 'Cannot send messages in a non-text channel'],
  50013: [403, 'Missing Permissions'],
  50027: [401, 'Invalid Webhook Token'],
  50035: [400, 'Invalid Form Body'],
  50046: [400, 'Invalid file uploaded'],
  50109: [400, 'The request body contains invalid JSON.'],
  50159: [400, 'Voice messages do not support additional content.'],
  50160: [400, 'Voice messages must have a single audio attachment.'],
  50161: [400, 'Voice messages must have supporting metadata.'],
  50162: [400, 'Voice messages cannot be edited.'],
  50173: [403, 'Cannot send voice messages in this channel.'],
} as const satisfies Record<number, readonly [status: number, message: string]>;

export type DiscordErrorCode = keyof typeof DISCORD_ERRORS;

/** Leaf of the `errors` tree of an "Invalid Form Body" answer. */
export interface FieldErrors {
  _errors: { code: string; message: string }[];
}

export interface ErrorTree {
  [key: string]: ErrorTree | FieldErrors;
}

/** Something that Discord's API refuses, as it answers: HTTP status, JSON error code, message, fields. */
export class ApiRefusal extends Error {
  override readonly name = 'ApiRefusal';
  readonly status: number;
  readonly code: number;
  readonly errors: ErrorTree | FieldErrors | undefined;

  constructor(
    status: number,
    code: number,
    message: string,
    errors?: ErrorTree | FieldErrors | undefined,
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.errors = errors;
  }

  toJSON(): { message: string; code: number; errors?: ErrorTree | FieldErrors } {
    const body = { message: this.message, code: this.code };
    return this.errors === undefined ? body : { ...body, errors: this.errors };
  }
}

/**
 * The refusal with a JSON error code of Discord's.
 *
 * @param errors - which fields are wrong, with 50035
 */
export function refusal(code: DiscordErrorCode, errors?: ErrorTree | FieldErrors): ApiRefusal {
  const [status, message] = DISCORD_ERRORS[code];
  return new ApiRefusal(status, code, message, errors);
}

/** The refusal of one field: 50035 with a tree of one leaf. */
export function fieldRefusal(
  path: readonly (string | number)[],
  code: string,
  message: string,
): ApiRefusal {
  return refusal(
    50035,
    path.reduceRight<ErrorTree | FieldErrors>((tree, key) => ({ [key]: tree }), {
      _errors: [{ code, message }],
    }),
  );
}

/** What Discord's own client would not let a person do, so that the bot never hears of it. */
export class SandboxRefusal extends Error {
  override readonly name = 'SandboxRefusal';
}

/** The bot gave no answer in time. The message is what Discord shows to the person. */
export class NoResponse extends Error {
  override readonly name = 'NoResponse';
}
