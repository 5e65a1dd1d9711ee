/** The request that an error is about. The path carries neither the host nor the query nor the key. */
export interface RequestName {
  method: string;
  /** As in the specification, with the voice's id filled in. */
  path: string;
}

/** Everything that can go wrong between the bot and a voice service. */
export class VoiceServiceError extends Error {
  override readonly name: string = 'VoiceServiceError';
  readonly method: string;
  readonly path: string;

  constructor(request: RequestName, message: string, options?: ErrorOptions) {
    super(`${request.method} ${request.path}: ${message}`, options);
    this.method = request.method;
    this.path = request.path;
  }
}

/** No connection, or one that broke. */
export class ServiceUnreachableError extends VoiceServiceError {
  override readonly name = 'ServiceUnreachableError';
}

/** The service did not answer, or stopped sending, within our own deadline. */
export class ServiceTimeoutError extends VoiceServiceError {
  override readonly name = 'ServiceTimeoutError';
}

/** The answer is not what the interface says: another content type, broken JSON or sound, a part missing. */
export class BadAnswerError extends VoiceServiceError {
  override readonly name = 'BadAnswerError';
}

export interface Refusal {
  status: number;
  /** The service's own sentence. */
  message: string;
  /** Milliseconds that the service asks to wait (Retry-After). */
  retryAfterMs?: number | undefined;
  /** X-Request-Id of the answer. */
  requestId?: string | undefined;
}

/** The service answered with an error status (spec, "Errors"). */
export class RefusedError extends VoiceServiceError {
  override readonly name: string = 'RefusedError';
  readonly status: number;
  readonly serviceMessage: string;
  readonly retryAfterMs: number | undefined;
  readonly requestId: string | undefined;

  constructor(request: RequestName, refusal: Refusal) {
    super(request, `${refusal.status} ${refusal.message}`);
    this.status = refusal.status;
    this.serviceMessage = refusal.message;
    this.retryAfterMs = refusal.retryAfterMs;
    this.requestId = refusal.requestId;
  }
}

/** 400: the request breaks a rule, which `serviceMessage` names. */
export class InvalidRequestError extends RefusedError {
  override readonly name = 'InvalidRequestError';
}

/** 401: the API key is missing or wrong. */
export class InvalidKeyError extends RefusedError {
  override readonly name = 'InvalidKeyError';
}

/** 402: the account's credits do not cover the request. */
export class NotEnoughCreditsError extends RefusedError {
  override readonly name = 'NotEnoughCreditsError';
}

/** 403: the account may not do this. */
export class PermissionDeniedError extends RefusedError {
  override readonly name = 'PermissionDeniedError';
}

/** 404: the service has no such voice. */
export class VoiceNotFoundError extends RefusedError {
  override readonly name = 'VoiceNotFoundError';
}

/** 408: the service gave up on the request. */
export class RequestTimeoutError extends RefusedError {
  override readonly name = 'RequestTimeoutError';
}

/** 413: the upload is too large. */
export class PayloadTooLargeError extends RefusedError {
  override readonly name = 'PayloadTooLargeError';
}

/** 415: the upload is of a kind that the service does not take. */
export class UnsupportedMediaError extends RefusedError {
  override readonly name = 'UnsupportedMediaError';
}

/** 429: too many requests; `retryAfterMs` says when to come back, where the service tells. */
export class RateLimitedError extends RefusedError {
  override readonly name = 'RateLimitedError';
}

/** 5xx: the service failed. */
export class ServiceFailedError extends RefusedError {
  override readonly name = 'ServiceFailedError';
}

const BY_STATUS: Partial<Record<number, typeof RefusedError>> = {
  400: InvalidRequestError,
  401: InvalidKeyError,
  402: NotEnoughCreditsError,
  403: PermissionDeniedError,
  404: VoiceNotFoundError,
  408: RequestTimeoutError,
  413: PayloadTooLargeError,
  415: UnsupportedMediaError,
  429: RateLimitedError,
};

/** The error of the class that fits the status. */
export function refusedError(request: RequestName, refusal: Refusal): RefusedError {
  const Kind =
    BY_STATUS[refusal.status] ?? (refusal.status >= 500 ? ServiceFailedError : RefusedError);
  return new Kind(request, refusal);
}

/** Whether the same request may well succeed a moment later (issue "Hark speaks", "Client"). */
export function isTransient(error: unknown): boolean {
  return (
    error instanceof ServiceUnreachableError ||
    error instanceof ServiceTimeoutError ||
    error instanceof RequestTimeoutError ||
    error instanceof RateLimitedError ||
    error instanceof ServiceFailedError
  );
}
