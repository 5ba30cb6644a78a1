/** A command is a function, and the data from which its arguments are parsed and its help is written. */
import type { DoctorServices } from '../../features/doctor/doctor.ts';
import type { DomainServices } from '../../features/domains/check.ts';
import type { WebhookServices } from '../../features/webhooks/dispatcher.ts';
import type { LoadedSettings, SettingName } from '../../platform/core/settings.ts';

export interface Argument {
  /** As in `--help`; in lower case, its key in the input. */
  name: string;
  meaning: string;
  /** It may be repeated, so it is the last one. `listed` returns its values. */
  repeated?: true;
  /** It may be left out. */
  optional?: true;
  /** The API's field that it sets, if that has another name. */
  field?: string;
  choices?: readonly string[];
}

export interface Flag {
  /** Without dashes: a name of one letter is written with one, a longer one with two. The input's key has `_` for `-`. */
  name: string;
  meaning: string;
  /** Placeholder for the value in `--help`; a flag without one takes no value. */
  value?: string;
  choices?: readonly string[];
  /** Values to name when it is given without one, if its own check decides which are valid. */
  suggests?: readonly string[];
  required?: true;
  /** The API's field that it sets, if that has another name; with the next word of the reason if several flags set it. */
  field?: string;
  /** Throws a UsageError or a Failure for an invalid value. It is reported together with every other mistake. */
  check?(value: string): void;
  /** It may be given several times. `listed` returns its values. */
  repeated?: true;
  /** One letter that means the same: `-h` for `--help`. */
  short?: string;
  /** The flag reads one line from standard input and stores it under this key of the input. */
  readsStdinAs?: string;
}

/** Values of arguments and flags, by key. A flag that takes no value is `on`. */
export type Input = Readonly<Record<string, string | undefined>>;

interface CommandShape {
  /** One or two words: `account create`. */
  name: string;
  meaning: string;
  arguments?: readonly Argument[];
  flags?: readonly Flag[];
  /** Requires at least one of these flags of its own. */
  needsOneOf?: readonly Flag[];
  examples?: readonly string[];
  /** Its exit statuses besides 0, 1 and 2, and what they mean; or a more precise meaning of those. */
  exits?: Readonly<Record<number, string>>;
}

export interface OperatorServices extends WebhookServices, DomainServices, DoctorServices {}

/** What a command gets in the process that has the store open. */
export interface Operating {
  services: OperatorServices;
  /** Public URL of HTTP, without a slash at the end. */
  base_url: string;
}

/** A command that runs where the store is open: in the server, through its control socket, or here if none runs. */
export interface StoreCommand extends CommandShape {
  /** It creates the store if there is none. */
  makesStore?: true;
  /** Checks that need no store; throws what `run` would. */
  check?(input: Input): void;
  run(operating: Operating, input: Input): Promise<unknown>;
  /**
   * Formats the output for people. Here and below, the output's type is `never`, so that each command can declare what
   * its own `run` returns.
   */
  show(output: never, baseUrl: string): string;
  /** Returns what the operator may not have meant, for standard error; null if there is nothing. */
  warn?(operating: Operating, output: never): string | null;
  /** Returns the output when the folder or the store can't be opened. Without this, the command fails. */
  cannotOpen?(fault: unknown): unknown;
  /** Returns whether the output counts as a failure, for exit status 1. */
  failed?(output: never, input: Input): boolean;
}

/** A command that runs in this process and needs no store. */
export interface LocalCommand extends CommandShape {
  /** Parses the arguments, except --help: `sendmail` has the syntax of another program. */
  ownArguments?: (argv: readonly string[]) => Record<string, string>;
  /** It uses no settings, so it also works while one of them is wrong. */
  needsNoSettings?: true;
  /** Which settings its help lists: those of a server, or those of the commands that call one. */
  takesSettings?: 'server' | 'client';
  /** The settings that --help shows if not all are important; --help-all shows the rest too. */
  mainSettings?: readonly SettingName[];
  runHere(call: LocalCall): Promise<number>;
}

export interface LocalCall {
  input: Input;
  json: boolean;
  loaded: LoadedSettings;
  /** All commands, for those that describe the program. */
  commands: readonly Command[];
}

export type Command = StoreCommand | LocalCommand;

/** The command line is wrong: exit status 2. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** The command failed for a reason that the operator can fix: exit status 1. */
export class OperatorError extends Error {
  override name = 'OperatorError';
}

/** Returns the meaning with the choices in parentheses, unless the placeholder shows them, as `on|off` does. */
export function formatMeaning({ meaning, choices, value }: Argument & Pick<Flag, 'value'>): string {
  return choices && value !== choices.join('|') ? `${meaning} (${choices.join(', ')})` : meaning;
}

/** Returns the key of an argument or flag in a command's input. */
export function makeInputKey(name: string): string {
  return name.toLowerCase().replaceAll('-', '_');
}

/** Returns a flag as it is typed: `--to`, `-t`. */
export function formatFlagName({ name }: Pick<Flag, 'name'>): string {
  return `${name.length > 1 ? '--' : '-'}${name}`;
}

/** Reads the number that a flag takes. */
export function readWholeNumber(flag: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new UsageError(`--${flag} must be a whole number`);
  return Number(text);
}

/** Reads how many things a flag asks for. */
export function readCount(flag: string, text: string, max: number): number {
  const count = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (count < 1 || count > max) throw new UsageError(`--${flag} must be a whole number from 1 to ${max}`);
  return count;
}

/** Returns the values of a repeated argument, at least one. */
export function listed(input: Input, key: string): string[] {
  return given(input, key).split(VALUE_SEPARATOR);
}

/** The values of a flag or an argument that turns something on or off. */
export const onOff = ['on', 'off'] as const;

/** The argument of a command that is about one inbox. */
export const inboxArgument = { name: 'INBOX', meaning: "an inbox's id, or its address" };

/** Separates the values of a repeated argument. No command line can contain this character. */
export const VALUE_SEPARATOR = '\0';

/** Returns a value that the parser has made sure is there. */
export function given(input: Input, key: string): string {
  const value = input[key];
  if (value === undefined) throw new UsageError(`${key} is missing`);
  return value;
}
