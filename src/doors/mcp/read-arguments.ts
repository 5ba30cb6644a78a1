import type { z } from 'zod';
import { type Tool, ToolRefused } from './tool.ts';

/** Errors name unknown arguments, up to this length. */
const FIELD_CHARS_MAX = 100;

/** What an argument must be, by the schema library's name for the type. */
const typeNames: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'an integer',
  boolean: 'true or false',
  array: 'an array',
  object: 'a JSON object',
  record: 'a JSON object',
};

/** Returns a tool's arguments, or throws ToolRefused for the first that is wrong, worded like the API's errors. */
export function readArguments(tool: Tool, given: unknown): unknown {
  const { success, data, error } = tool.args.safeParse(given ?? {}, {
    error: (issue) => describeIssue(issue, tool),
  });
  if (success) return data;
  const [issue] = error.issues;
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
  const path = [...(issue?.path ?? []), ...unknown].join('.');
  const field = path.slice(0, FIELD_CHARS_MAX).toWellFormed();
  const reason = issue?.message;
  throw new ToolRefused({ code: 'validation_error', message: `${field}: ${reason}`, field, reason });
}

/** The library's own messages speak of TypeScript's types, and change between its versions. */
function describeIssue(issue: z.core.$ZodRawIssue, tool: Tool): string | undefined {
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.path?.length
        ? 'is not a known field'
        : `is not an argument of this tool; ${nameArguments(tool)}`;
    case 'invalid_type':
      return issue.input === undefined ? 'is required' : `must be ${typeNames[issue.expected]}`;
    case 'invalid_value':
      return `must be one of ${issue.values.join(', ')}`;
    case 'too_small':
      return `must be at least ${issue.minimum}`;
    case 'too_big':
      return issue.origin === 'string'
        ? `has more than ${issue.maximum} characters`
        : `must be at most ${issue.maximum}`;
    default:
      return undefined;
  }
}

function nameArguments({ args }: Tool): string {
  const names = Object.keys(args.shape);
  return names.length > 0 ? `its arguments are ${names.join(', ')}` : 'it takes none';
}
