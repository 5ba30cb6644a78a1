import { type Argument, type Command, type Flag, makeInputKey } from './command.ts';

/** A refusal of the API or of an operation, with its code and fields (docs/api-v1.md, Errors). */
export interface FieldRefusal {
  code: string;
  message: string;
  fields: Readonly<Record<string, readonly string[]>>;
}

/** Formats a refusal for the person who typed the command: fields are named as the command's flags and arguments. */
export function formatRefusal({ code, message, fields }: FieldRefusal, command: Command | undefined): string {
  const lines = (said: string) =>
    listReasonsBeyond(said, fields).map((line) => (command ? nameAsTyped(line, command) : line));
  // The message of validation_error only repeats its fields; other messages often say the first of them.
  const all = code === 'validation_error' ? lines('') : [];
  if (all.length > 0) return all.join('\n');
  const rest = lines(message);
  return [rest.length > 0 ? message.replace(/; see fields(\.\w+)?\.$/, '.') : message, ...rest].join('\n');
}

/** Returns the reasons for an error's fields, a line each, without those that its message already has. */
function listReasonsBeyond(message: string, fields: FieldRefusal['fields']): string[] {
  return Object.entries(fields).flatMap(([field, texts]) => {
    const rest = texts.filter((text) => !message.includes(text));
    return rest.length > 0 ? [`${field} ${rest.join('; ')}`] : [];
  });
}

/** Replaces the field at the beginning of a reason: `inbox_id is not …` becomes `--inbox is not …`. */
function nameAsTyped(line: string, { flags = [], arguments: named = [] }: Command): string {
  const names = [
    ...flags.map((flag) => ({ field: readField(flag), typed: `--${flag.name}` })),
    ...named.map((argument) => ({ field: readField(argument), typed: argument.name })),
  ];
  const found = names.find(({ field }) => line.startsWith(`${field} `));
  return found ? found.typed + line.slice(found.field.length) : line;
}

function readField({ name, field }: Flag | Argument): string {
  return field ?? makeInputKey(name);
}
