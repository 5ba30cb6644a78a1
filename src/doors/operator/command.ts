/** A command is data, from which arguments are parsed and help is written, and a function. */
import type { DoctorServices } from '../../features/doctor/examine.ts';
import type { DomainServices } from '../../features/domains/check.ts';
import type { WebhookServices } from '../../features/webhooks/dispatcher.ts';
import type { LoadedSettings, SettingName } from '../../platform/core/settings.ts';

export interface Argument {
  /** As in `--help`; in lower case, its key in the input. */
  name: string;
  meaning: string;
  /** The last one, which may be repeated; `listed` returns all its values. */
  repeated?: true;
  /** It may be left out. */
  optional?: true;
  choices?: readonly string[];
}

export interface Flag {
  /** Without the dashes, of which a name of one letter has one. With `-` as `_` it is the key in the input. */
  name: string;
  meaning: string;
  /** Placeholder for the value in `--help`; a flag without one takes no value. */
  value?: string;
  choices?: readonly string[];
  required?: true;
  /** Throws validation_error for an invalid value, so that it is reported with everything else. */
  check?(value: string): void;
  /** It may be given several times: the command gets all values by `listed`. */
  repeated?: true;
  /** A letter that may be written instead: `-h`. */
  short?: string;
  /** The flag reads one line from standard input, into this key of the input. */
  readsStdinAs?: string;
}

/** Arguments and flags by key; a flag without a value is `on`. */
export type Input = Readonly<Record<string, string | undefined>>;

interface CommandShape {
  /** One or two words: `account create`. */
  name: string;
  meaning: string;
  arguments?: readonly Argument[];
  flags?: readonly Flag[];
  /** Requires at least one of its own flags. */
  needsAFlag?: true;
  examples?: readonly string[];
  /** Statuses with which it ends besides 0, 1 and 2, and what they mean. */
  exits?: Readonly<Record<number, string>>;
}

/** Exit status of a command that waited for something that did not happen in time. */
export const TIMED_OUT = 4;

export interface OperatorServices extends WebhookServices, DomainServices, DoctorServices {}

/** What a command works with, in the process that has the store open. */
export interface Operating {
  services: OperatorServices;
  /** Public URL of HTTP, without a slash at the end. */
  base_url: string;
}

/** Runs where the store is open: in the server, through its control socket, or here when no server runs. */
export interface StoreCommand extends CommandShape {
  /** May run before there is a store, and creates one. */
  makesStore?: true;
  /** Checks that need no store; throws what `run` would. */
  check?(input: Input): void;
  run(operating: Operating, input: Input): Promise<unknown>;
  /** The output as text for people. */
  show(output: never, baseUrl: string): string;
  /** The output when the folder or store can't be opened; without it, the command fails. */
  cannotOpen?(fault: unknown): unknown;
  /** Whether the result counts as a failure: exit status 1. */
  failed?(output: never, input: Input): boolean;
}

/** Runs in this process, without a server's store. */
export interface LocalCommand extends CommandShape {
  /** It reads its arguments itself (`sendmail`, whose form is older than ours); only --help is taken out. */
  ownArguments?: (argv: readonly string[]) => Record<string, string>;
  /** Help lists the settings of a server, or those of the commands that call one. */
  takes_settings?: 'server' | 'client';
  /** The settings that `--help` shows when not all matter; `--help-all` shows the rest too. */
  mainSettings?: readonly SettingName[];
  runHere(call: LocalCall): Promise<number>;
}

export interface LocalCall {
  input: Input;
  json: boolean;
  loaded: LoadedSettings;
  /** All of them, for those that describe the program. */
  commands: readonly Command[];
}

export type Command = StoreCommand | LocalCommand;

/** Wrong usage: exit status 2. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** Refused for a reason that the operator can fix: exit status 1. */
export class OperatorError extends Error {
  override name = 'OperatorError';
}

/** The values of a repeated argument; at least one. */
export function listed(input: Input, key: string): string[] {
  return given(input, key).split(BETWEEN);
}

/** Separates the values of a repeated argument: no command line can contain it. */
export const BETWEEN = '\0';

/** A value that the parser guarantees. */
export function given(input: Input, key: string): string {
  const value = input[key];
  if (value === undefined) throw new UsageError(`${key} is missing`);
  return value;
}
