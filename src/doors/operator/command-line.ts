/** From argv to an exit status: 0 success, 1 failure, 2 wrong usage. */
import { findClosest } from '../../platform/core/closest.ts';
import { Failure } from '../../platform/core/failure.ts';
import { writePlainJson } from '../../platform/core/plain-json.ts';
import type { LoadedSettings } from '../../platform/core/settings.ts';
import { readReason } from '../../platform/core/thrown.ts';
import { type CommandLine, parseLine } from './arguments.ts';
import { RefusedRequest } from './client/remote.ts';
import { type Command, type LocalCommand, makeInputKey, type StoreCommand, UsageError } from './command.ts';
import { commands } from './commands.ts';
import { DONE, FAILED, WRONG_USAGE } from './exit-status.ts';
import { explainFileFault } from './file-fault.ts';
import { formatAllHelp, formatGroupHelp, formatHelp } from './help.ts';
import { loadNoSettings, loadSettings } from './load-settings.ts';
import { formatRefusal } from './reasons.ts';
import { runStoreCommand } from './run-store-command.ts';

export async function runCommandLine(argv: readonly string[]): Promise<number> {
  try {
    return await runArguments(argv);
  } catch (thrown) {
    process.stderr.write(`${formatFault(thrown, findCommand(argv))}\n`);
    return isWrongUsage(thrown) ? WRONG_USAGE : FAILED;
  }
}

/** A value that the command itself refuses is wrong usage too, like one that the parser refuses. */
function isWrongUsage(thrown: unknown): boolean {
  return thrown instanceof UsageError || (thrown instanceof Failure && thrown.code === 'validation_error');
}

async function runArguments(argv: readonly string[]): Promise<number> {
  const [first, second] = argv;
  if (first === undefined || asksForHelp(first)) return say(formatAllHelp(commands));
  if (first === 'help') return runArguments([...argv.slice(1), '--help']);
  if (first === '--version') return runArguments(['version', ...argv.slice(1)]);
  const command = findCommand(argv);
  if (!command) return runGroup(first, second);
  const rest = argv.slice(command.name.split(' ').length);
  const line = 'ownArguments' in command ? parseOwnLine(command, rest) : parseLine(command, rest);
  if (line.help) return say(formatHelp(command, line.help === 'all'));
  const needsNone = 'needsNoSettings' in command;
  const loaded = needsNone ? loadNoSettings(line) : loadSettings(line);
  const input = await withStdin(command, line.input);
  if ('runHere' in command) return command.runHere({ input, json: line.json, loaded, commands });
  return runInStore(command, { ...line, input }, loaded);
}

function findCommand([first, second]: readonly string[]): Command | undefined {
  return (
    commands.find(({ name }) => name === `${first} ${second}`) ?? commands.find(({ name }) => name === first)
  );
}

function parseOwnLine(command: LocalCommand, rest: readonly string[]): CommandLine {
  const help = rest.length === 1 && rest[0] === '--help';
  const input = help ? {} : (command.ownArguments?.(rest) ?? {});
  return { command, input, settings: {}, config: undefined, json: false, help, faults: [] };
}

async function runInStore(
  command: StoreCommand,
  { input, json }: Pick<CommandLine, 'input' | 'json'>,
  loaded: LoadedSettings,
): Promise<number> {
  command.check?.(input);
  const { output, base_url, warning } = await runStoreCommand(command, input, loaded);
  say(`${json ? writePlainJson(output) : command.show(output as never, base_url)}\n`);
  if (warning !== undefined) process.stderr.write(`${warning}\n`);
  return command.failed?.(output as never, input) ? FAILED : DONE;
}

/** Where no command is named, --help-all has no settings to add, so it is the same as --help. */
function asksForHelp(word: string | undefined): boolean {
  return word === '--help' || word === '-h' || word === '--help-all';
}

/** Handles a line that names no command: a group such as `postern account`, or an unknown word. */
function runGroup(first: string, second: string | undefined): number {
  const group = commands.filter(({ name }) => name.startsWith(`${first} `));
  if (group.length > 0 && asksForHelp(second)) return say(formatGroupHelp(first, group));
  const names = commands.map(({ name }) => name);
  if (group.length > 0) {
    const wrong = second === undefined || second.startsWith('-') ? undefined : `${first} ${second}`;
    const meant = wrong && findClosest(wrong, names);
    const fault = wrong
      ? `${wrong} is not a command${meant ? `; did you mean ${meant}?` : ''}`
      : `${first} needs a subcommand`;
    throw new UsageError(`${fault}\n\n${formatGroupHelp(first, group).trimEnd()}`);
  }
  const words = [...new Set(names.flatMap((name) => [name, name.split(' ')[0]!]))];
  const meant = findClosest(`${first}`, words);
  throw new UsageError(
    `${first} is not a command${meant ? `; did you mean ${meant}?` : ''} (postern --help lists them)`,
  );
}

/** Adds the value that a flag such as --password-stdin reads from standard input. */
async function withStdin(command: Command, input: Record<string, string>): Promise<Record<string, string>> {
  const reading = (command.flags ?? []).find(
    ({ name, readsStdinAs }) => readsStdinAs && input[makeInputKey(name)] !== undefined,
  );
  if (!reading?.readsStdinAs) return input;
  const text = (await Bun.stdin.text()).replace(/\r?\n$/, '');
  if (text === '') throw new UsageError(`--${reading.name}: standard input is empty`);
  return { ...input, [reading.readsStdinAs]: text };
}

function formatFault(thrown: unknown, command: Command | undefined): string {
  return thrown instanceof Failure || thrown instanceof RefusedRequest
    ? formatRefusal(thrown, command)
    : (explainFileFault(thrown) ?? readReason(thrown));
}

function say(text: string): number {
  process.stdout.write(text);
  return DONE;
}
