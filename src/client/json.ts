import type { z } from 'zod';
import { BadAnswerError } from './errors.ts';
import { type Answer, expectType, readBody } from './http.ts';

/**
 * The body of a successful answer.
 *
 * @throws {BadAnswerError} when it is not JSON, or not what the schema says
 */
export async function readJson<S extends z.ZodType>(
  answer: Answer,
  schema: S,
): Promise<z.output<S>> {
  expectType(answer, 'application/json');
  const text = (await readBody(answer)).toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new BadAnswerError(answer.request, 'the answer is not JSON', { cause });
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const { path, message } = parsed.error.issues[0] ?? { path: [], message: 'unknown fault' };
  throw new BadAnswerError(
    answer.request,
    `the answer is not what the interface says: ${path.join('.') || 'body'}: ${message}`,
    { cause: parsed.error },
  );
}
