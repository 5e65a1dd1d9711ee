/**
 * A person's mistake, or a state that a person can change. Its message is one sentence that says
 * what to do, and is shown as it stands. Everything else that is thrown is logged with its cause
 * and shown as a short apology.
 */
export class UserError extends Error {
  override readonly name: string = 'UserError';
}

/** Whether `error` says that an AbortSignal ended the work, in any of the forms that Node and undici use. */
export function isAbort(error: unknown): boolean {
  return (
    error instanceof Error &&
    (error.name === 'AbortError' || (error as NodeJS.ErrnoException).code === 'ABORT_ERR')
  );
}
