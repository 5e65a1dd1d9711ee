import { STATUS_CODES } from 'node:http';
import { z } from 'zod';

/** `message` of an error whose cause is not in the request's body (spec, "Errors"). */
export const ErrorDetail = z
  .object({
    message: z.string().meta({ title: 'Message', examples: ['Invalid API key'] }),
    error: z.string().meta({ title: 'HTTP reason', examples: ['Unauthorized'] }),
    status_code: z.int().meta({ title: 'HTTP status', examples: [401] }),
  })
  .meta({ id: 'ErrorDetail', title: 'Error detail' });

/** Body of every answer that is not a success (spec, "Errors"). */
export const ErrorBody = z
  .object({
    status: z.literal('error').meta({ title: 'Status', description: 'Always error.' }),
    message: z.union([z.string(), ErrorDetail]).meta({
      title: 'Message',
      description: 'A string for 400 and 415, else the object.',
    }),
  })
  .meta({ id: 'ErrorBody', title: 'Error' });

export type ErrorBody = z.infer<typeof ErrorBody>;

/** Statuses whose `message` is a plain string; every other one carries the object (spec, both error tables). */
const PLAIN_MESSAGE: ReadonlySet<number> = new Set([400, 415]);

export function errorBody(status: number, message: string): ErrorBody {
  return {
    status: 'error',
    message: PLAIN_MESSAGE.has(status)
      ? message
      : { message, error: STATUS_CODES[status] ?? 'Error', status_code: status },
  };
}

/** The sentence in an error body, whichever of the two shapes it has. */
export function errorMessage(body: ErrorBody): string {
  return typeof body.message === 'string' ? body.message : body.message.message;
}
