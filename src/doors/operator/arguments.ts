/** Parses a command line into a command and its input, and collects every mistake in it. */
import { parseArgs } from 'node:util';
import { findClosest } from '../../platform/core/closest.ts';
import { Failure } from '../../platform/core/failure.ts';
import { knobs } from '../../platform/core/settings.ts';
import {
  type Command,
  type Flag,
  formatMeaning,
  makeInputKey,
  onOff,
  UsageError,
  VALUE_SEPARATOR,
} from './command.ts';

export interface CommandLine {
  command: Command;
  /** Arguments and flags, without values from standard input. */
  input: Record<string, string>;
  /** Settings given as flags, by name. */
  settings: Record<string, string>;
  config: string | undefined;
  json: boolean;
  /** `all` for --help-all, which lists every setting. */
  help: boolean | 'all';
  /** Every mistake in it, to be reported together with those in the settings. */
  faults: string[];
}

/** The flags that every command has. */
export const commonFlags: readonly Flag[] = [
  { name: 'json', meaning: 'print one JSON value on standard output' },
  { name: 'config', value: 'FILE', meaning: 'TOML file with settings' },
  { name: 'help', short: 'h', meaning: 'show this' },
  { name: 'help-all', meaning: 'show this with every setting' },
];

/** Parses what follows the command's name. */
export function parseLine(command: Command, rest: readonly string[]): CommandLine {
  const settingFlags: Flag[] = knobs.map(({ flag, rule }) => ({
    name: flag.slice(2),
    meaning: rule.meaning,
    value: 'V',
    suggests: rule.type === 'switch' ? onOff : (rule.choices ?? []),
  }));
  // A command's own flag takes precedence over a setting of the same name (account set --outbound).
  const own = new Map((command.flags ?? []).map((flag) => [flag.name, flag]));
  const known = new Map([...settingFlags, ...commonFlags].map((flag) => [flag.name, flag]));
  for (const [name, flag] of own) known.set(name, flag);

  const { tokens, valueless } = readTokens(rest, known);
  const faults: string[] = valueless.map(describeMissingValue);
  const line: CommandLine = {
    command,
    faults,
    config: undefined,
    json: false,
    help: false,
    input: {},
    settings: {},
  };
  const positionals: string[] = [];
  /** Names of the flags that were given, even with a wrong value. */
  const present = new Set(valueless.map(({ name }) => name));
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value);
    if (token.kind !== 'option') continue;
    const flag = known.get(token.name);
    if (!flag) {
      const meant = findClosest(token.name, known.keys());
      faults.push(
        `${token.rawName} is not a flag of ${command.name}${meant ? `; did you mean --${meant}?` : ''}`,
      );
      continue;
    }
    present.add(flag.name);
    const fault = findFlagFault(flag, token.value);
    if (fault) faults.push(fault);
    else place(line, flag, token.value ?? 'on', own.has(flag.name));
  }
  placeArguments(line, positionals);
  faults.push(...findMissingFlags(command, present));
  return line;
}

/**
 * Reads the tokens of a line, without the flags that lack their value: in `--email --plan free`, parseArgs would read
 * `--plan` as the email and `free` as an argument. A value that begins with dashes is written `--email=--x`.
 */
function readTokens(rest: readonly string[], known: ReadonlyMap<string, Flag>) {
  const args = [...rest];
  const valueless: Flag[] = [];
  const options = Object.fromEntries(
    [...known.values()].map(({ name, value, short }) => [
      name,
      { type: value === undefined ? ('boolean' as const) : ('string' as const), ...(short && { short }) },
    ]),
  );
  for (;;) {
    const { tokens } = parseArgs({ args, strict: false, allowPositionals: true, tokens: true, options });
    const lacking = tokens.find(
      (token) =>
        token.kind === 'option' &&
        known.get(token.name)?.value !== undefined &&
        (token.value === undefined || (!token.inlineValue && token.value.startsWith('--'))),
    );
    if (lacking?.kind !== 'option') return { tokens, valueless };
    valueless.push(known.get(lacking.name)!);
    args.splice(lacking.index, 1);
  }
}

function findMissingFlags({ name, flags = [], needsOneOf }: Command, present: ReadonlySet<string>): string[] {
  const faults = flags
    .filter((flag) => flag.required && !present.has(flag.name))
    .map((flag) => `--${flag.name} is missing: ${formatMeaning(flag)}`);
  if (needsOneOf && !needsOneOf.some((flag) => present.has(flag.name))) {
    faults.push(`${name} needs at least one of ${needsOneOf.map((flag) => `--${flag.name}`).join(', ')}`);
  }
  return faults;
}

function describeMissingValue({ name, choices, suggests = choices ?? [] }: Flag): string {
  return `--${name} needs a value${suggests.length > 0 ? `: ${suggests.join(', ')}` : ''}`;
}

function findFlagFault(flag: Flag, value: string | undefined): string | undefined {
  const { name, choices } = flag;
  if (value === undefined) return undefined;
  if (flag.value === undefined) return `--${name} takes no value`;
  if (choices && !choices.includes(value)) return `--${name} must be one of ${choices.join(', ')}`;
  return findRefusal(flag, value);
}

function findRefusal({ name, check }: Flag, value: string): string | undefined {
  try {
    check?.(value);
    return undefined;
  } catch (thrown) {
    if (thrown instanceof UsageError) return thrown.message;
    if (!(thrown instanceof Failure)) throw thrown;
    return `--${name} ${Object.values(thrown.fields).flat().join('; ')}`;
  }
}

function place(line: CommandLine, flag: Flag, value: string, isOwn: boolean): void {
  const key = makeInputKey(flag.name);
  const before = flag.repeated ? line.input[key] : undefined;
  if (isOwn) line.input[key] = before === undefined ? value : before + VALUE_SEPARATOR + value;
  else if (flag.name === 'json') line.json = true;
  else if (flag.name === 'help') line.help ||= true;
  else if (flag.name === 'help-all') line.help = 'all';
  else if (flag.name === 'config') line.config = value;
  else line.settings[makeInputKey(flag.name)] = value;
}

function placeArguments(line: CommandLine, positionals: readonly string[]): void {
  const expected = line.command.arguments ?? [];
  const isOpen = expected.at(-1)?.repeated === true;
  for (const [index, argument] of expected.entries()) {
    const { name, repeated, optional, choices } = argument;
    const value = repeated ? positionals.slice(index).join(VALUE_SEPARATOR) || undefined : positionals[index];
    if (value === undefined && optional) continue;
    if (value === undefined) line.faults.push(`${name} is missing: ${formatMeaning(argument)}`);
    else if (choices && !choices.includes(value))
      line.faults.push(`${name} must be one of ${choices.join(', ')}`);
    else line.input[makeInputKey(name)] = value;
  }
  for (const extra of isOpen ? [] : positionals.slice(expected.length)) {
    line.faults.push(`${line.command.name}: unexpected argument ${JSON.stringify(extra)}`);
  }
}
