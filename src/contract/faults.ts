import type { z } from 'zod';
import { PAGE_SIZE } from './limits.ts';
import { SETTINGS } from './settings.ts';

/**
 * One thing that is wrong with a request, as data: the service says it in English, the bot in the
 * language of the person who typed it.
 */
export type Fault = { field: string } & (
  | { problem: 'missing' }
  | { problem: 'blank' }
  | { problem: 'wrong_type'; expected: string }
  | { problem: 'too_long'; length: number; maximum: number }
  | { problem: 'out_of_range'; minimum: number; maximum: number }
  | {
      problem: 'not_allowed';
      given: string;
      allowed: readonly string[];
      /** What sets the list: the interface itself, the chosen model, or the chosen voice. */
      allowedBy: 'interface' | 'model' | 'voice';
    }
  | { problem: 'invalid'; reason: string }
);

/** The faults that a schema found in `input`, in its order. */
export function faultsOf(error: z.ZodError, input: unknown): Fault[] {
  return error.issues.map((issue) => faultOf(issue, input));
}

function faultOf(issue: z.core.$ZodIssue, input: unknown): Fault {
  const field = issue.path.join('.') || 'request';
  const given = valueAt(input, issue.path);
  switch (issue.code) {
    case 'invalid_type':
      return given === undefined
        ? { field, problem: 'missing' }
        : { field, problem: 'wrong_type', expected: issue.expected };
    case 'invalid_value':
      if (given === undefined) return { field, problem: 'missing' };
      return {
        field,
        problem: 'not_allowed',
        given: String(given),
        allowed: issue.values.map(String),
        allowedBy: 'interface',
      };
    case 'too_small':
    case 'too_big': {
      const range = RANGES[String(issue.path.at(-1))];
      if (range) return { field, problem: 'out_of_range', ...range };
      return { field, problem: 'invalid', reason: issue.message };
    }
    default:
      return { field, problem: 'invalid', reason: issue.message };
  }
}

/** Both ends of every range of the interface, for an issue of the schema names only the end that was crossed. */
const RANGES: Partial<Record<string, { minimum: number; maximum: number }>> = {
  page_size: pick(PAGE_SIZE),
  ...Object.fromEntries(Object.entries(SETTINGS).map(([name, rule]) => [name, pick(rule)])),
};

function pick({ minimum, maximum }: { minimum: number; maximum: number }) {
  return { minimum, maximum };
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (value as Record<PropertyKey, unknown> | undefined)?.[key],
    input,
  );
}

/** A fault as one English sentence that says what is wrong and what is allowed. */
export function describeFault(fault: Fault): string {
  const { field } = fault;
  switch (fault.problem) {
    case 'missing':
      return `${field} is required.`;
    case 'blank':
      return `${field} must not be empty.`;
    case 'wrong_type':
      return `${field} must be of type ${fault.expected}.`;
    case 'too_long':
      return `${field} has ${fault.length} characters; at most ${fault.maximum} are allowed.`;
    case 'out_of_range':
      return `${field} must be from ${fault.minimum} to ${fault.maximum}.`;
    case 'not_allowed': {
      const owner = { interface: '', model: ' for this model', voice: ' for this voice' }[
        fault.allowedBy
      ];
      return `${field} "${fault.given}" is not available${owner}; use one of: ${fault.allowed.join(', ')}.`;
    }
    case 'invalid':
      return `${field}: ${fault.reason}.`;
  }
}
