import { z } from 'zod';
import { type ErrorTree, type FieldErrors, refusal } from './errors.ts';

/** Refuses a field with one of Discord's codes, from inside a schema. */
export function addFieldError(
  context: z.RefinementCtx,
  code: string,
  message: string,
  path: (string | number)[] = [],
): void {
  context.addIssue({ code: 'custom', message, params: { code }, path });
}

/** A string whose length counts in code points, refused with the codes that Discord gives. */
export function text(minimum: number, maximum: number) {
  return z.string().superRefine((value, context) => {
    const length = [...value].length;
    if (minimum > 0 && (length < minimum || length > maximum)) {
      const message = `Must be between ${minimum} and ${maximum} in length.`;
      addFieldError(context, 'BASE_TYPE_BAD_LENGTH', message);
    } else if (length > maximum) {
      const message = `Must be ${maximum} or fewer in length.`;
      addFieldError(context, 'BASE_TYPE_MAX_LENGTH', message);
    }
  });
}

/** A list of bounded length. */
export function list<Item extends z.ZodType>(item: Item, minimum: number, maximum: number) {
  return z.array(item).refine((items) => items.length >= minimum && items.length <= maximum, {
    error:
      minimum > 0
        ? `Must be between ${minimum} and ${maximum} in length.`
        : `Must be ${maximum} or fewer in length.`,
    params: { code: minimum > 0 ? 'BASE_TYPE_BAD_LENGTH' : 'BASE_TYPE_MAX_LENGTH' },
  });
}

export const snowflake = z.string().regex(/^\d{17,20}$/);

const WRONG_TYPE: Record<string, [code: string, message: string]> = {
  string: ['STRING_TYPE_CONVERT', 'Could not interpret the value as string.'],
  int: ['NUMBER_TYPE_COERCE', 'The value is not int.'],
  number: ['NUMBER_TYPE_COERCE', 'The value is not float.'],
  boolean: ['BOOLEAN_TYPE_CONVERT', 'Must be either true or false.'],
  array: ['LIST_TYPE_CONVERT', 'Only iterables may be used in a ListType'],
  object: ['MODEL_TYPE_CONVERT', 'Only dictionaries may be used in a ModelType'],
};

function fieldError(issue: z.core.$ZodIssue): { code: string; message: string } {
  switch (issue.code) {
    case 'custom':
      return { code: String(issue.params?.code ?? 'BASE_TYPE_INVALID'), message: issue.message };
    case 'invalid_type': {
      if (issue.input === undefined) {
        return { code: 'BASE_TYPE_REQUIRED', message: 'This field is required' };
      }
      const [code, message] = WRONG_TYPE[issue.expected] ?? ['BASE_TYPE_INVALID', issue.message];
      return { code, message };
    }
    case 'invalid_value':
      return {
        code: 'BASE_TYPE_CHOICES',
        message: `Value must be one of {${issue.values.map(String).join(', ')}}.`,
      };
    case 'invalid_union':
      return {
        code: 'UNION_TYPE_CHOICES',
        message: 'Value of field "type" is not one of those allowed.',
      };
    case 'too_big':
      return {
        code: 'NUMBER_TYPE_MAX',
        message: `Value should be less than or equal to ${issue.maximum}.`,
      };
    case 'too_small':
      return {
        code: 'NUMBER_TYPE_MIN',
        message: `Value should be greater than or equal to ${issue.minimum}.`,
      };
    case 'invalid_format':
      return issue.format === 'url'
        ? { code: 'URL_TYPE_INVALID_URL', message: 'Not a well formed URL.' }
        : { code: 'STRING_TYPE_REGEX', message: 'String value did not match validation regex.' };
    default:
      return { code: 'BASE_TYPE_INVALID', message: issue.message };
  }
}

function isLeaf(tree: ErrorTree | FieldErrors | undefined): tree is FieldErrors {
  return tree !== undefined && Array.isArray(tree._errors);
}

/** Discord's nested `errors` of an "Invalid Form Body", from what a schema found. */
export function errorTree(issues: readonly z.core.$ZodIssue[]): ErrorTree | FieldErrors {
  let root: ErrorTree | FieldErrors = {};
  for (const issue of issues) {
    const error = fieldError(issue);
    if (issue.path.length === 0) {
      root = { _errors: [error] };
      continue;
    }
    let node = root as ErrorTree;
    const keys = issue.path.map(String);
    const last = keys.pop() as string;
    for (const key of keys) {
      const next = node[key];
      const branch: ErrorTree = next && !isLeaf(next) ? next : {};
      node[key] = branch;
      node = branch;
    }
    const leaf = node[last];
    if (isLeaf(leaf)) leaf._errors.push(error);
    else if (!leaf) node[last] = { _errors: [error] };
  }
  return root;
}

/**
 * The checked form of what a bot sent.
 *
 * @throws ApiRefusal 50035 that names every wrong field
 */
export function check<Schema extends z.ZodType>(schema: Schema, given: unknown): z.output<Schema> {
  const parsed = schema.safeParse(given, { reportInput: true });
  if (parsed.success) return parsed.data;
  throw refusal(50035, errorTree(parsed.error.issues));
}
