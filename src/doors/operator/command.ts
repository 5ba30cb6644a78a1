/** What a command is: data from which arguments are parsed and help is written, and what it does. */
import type { DoctorServices } from '../../features/doctor/examine.ts';
import type { DomainServices } from '../../features/domains/check.ts';
import type { WebhookServices } from '../../features/webhooks/dispatcher.ts';
import type { LoadedSettings } from '../../platform/core/settings.ts';

export interface Argument {
  /** As `--help` shows it, and in lower case the key under which the command gets it. */
  name: string;
  meaning: string;
  /** The last one, which may be given again and again: the command gets all of them by `listed`. */
  repeated?: true;
}

export interface Flag {
  /** Without the dashes. With `-` as `_` it is the key under which the command gets it. */
  name: string;
  meaning: string;
  /** What stands for the value in `--help`; a flag without one is given or not. */
  value?: string;
  choices?: readonly string[];
  required?: true;
  /** Throws validation_error for a value that can't be, so that it is told with all else that is wrong. */
  check?(value: string): void;
  /** The flag asks for one line on standard input, which the command gets under this key. */
  readsStdinAs?: string;
}

/** Arguments and values of flags by their keys; a flag without a value is `on`. */
export type Input = Readonly<Record<string, string | undefined>>;

interface CommandShape {
  /** One or two words: `account create`. */
  name: string;
  meaning: string;
  arguments?: readonly Argument[];
  flags?: readonly Flag[];
  /** Does nothing without one of its own flags. */
  needsAFlag?: true;
  examples?: readonly string[];
}

export interface OperatorServices extends WebhookServices, DomainServices, DoctorServices {}

/** What a command works with, in the process that has the store. */
export interface Operating {
  services: OperatorServices;
  /** How clients reach HTTP; no slash at the end. */
  base_url: string;
}

/** Runs where the store is: in the server through its control socket, or here when none runs. */
export interface StoreCommand extends CommandShape {
  /** Runs where no store is yet, and so makes one. */
  makesStore?: true;
  /** What can be said of the input without the store; throws what run would. */
  check?(input: Input): void;
  run(operating: Operating, input: Input): Promise<unknown>;
  /** The output as text for a person. */
  show(output: never, baseUrl: string): string;
  /** What to say of a folder or store that can't be opened; without it, that is the command's failure. */
  cannotOpen?(fault: unknown): unknown;
  /** Whether what was done is a failure all the same: exit status 1. */
  failed?(output: never, input: Input): boolean;
}

/** Runs in the process that was started, and needs no store of another. */
export interface LocalCommand extends CommandShape {
  /** Help lists the settings too. */
  takes_settings?: true;
  runHere(call: LocalCall): Promise<number>;
}

export interface LocalCall {
  input: Input;
  json: boolean;
  loaded: LoadedSettings;
}

export type Command = StoreCommand | LocalCommand;

/** The caller wrote something that is no command: exit status 2. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** Refused for a reason that the operator can act on: exit status 1. */
export class OperatorError extends Error {
  override name = 'OperatorError';
}

/** The values of a repeated argument; at least one. */
export function listed(input: Input, key: string): string[] {
  return given(input, key).split(BETWEEN);
}

/** No argument of a command line can hold it. */
export const BETWEEN = '\0';

/** A value that parsing has checked to be there. */
export function given(input: Input, key: string): string {
  const value = input[key];
  if (value === undefined) throw new UsageError(`${key} is missing`);
  return value;
}
