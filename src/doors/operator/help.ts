/** Help, generated from the tables of commands and settings. */
import { type Knob, knobs } from '../../platform/core/settings.ts';
import { commonFlags } from './arguments.ts';
import { type Command, type Flag, formatFlagName, formatMeaning, type LocalCommand } from './command.ts';
import { DONE, FAILED, WRONG_USAGE } from './exit-status.ts';

export function formatAllHelp(commands: readonly Command[]): string {
  return [
    'Postern receives mail by SMTP and serves it over an HTTP API.',
    '',
    'Usage: postern <command> [arguments] [flags]',
    '',
    'Try it:  postern capture        a trap for test mail',
    '         postern serve          a real server',
    '',
    'Commands:',
    ...alignColumns(commands.map((command) => [formatUsage(command), command.meaning])),
    '',
    'Flags of every command:',
    ...alignColumns(commonFlags.map(formatFlagRow)),
    '',
    'Exit status:',
    ...alignColumns(listExitStatuses()),
    '',
    'postern <command> --help explains a command; postern serve --help lists every setting.',
    'A setting is a flag (--http-listen V), a variable (POSTERN_HTTP_LISTEN) or a line of the TOML file',
    '(http_listen = "…"). A command finds the server by its data folder: --data-dir or POSTERN_DATA_DIR.',
    '',
  ].join('\n');
}

/** The exit statuses that every command has. */
const commonExits = { [DONE]: 'done', [FAILED]: 'failed', [WRONG_USAGE]: 'wrong usage' };

/** Returns each exit status with its meaning. A command may have a more precise meaning for a common one. */
export function listExitStatuses(command?: Command): [string, string][] {
  return Object.entries({ ...commonExits, ...command?.exits });
}

/** Returns the common flags of a command. One that parses its own arguments has only --help. */
export function listSharedFlags(command: Command): readonly Flag[] {
  return 'ownArguments' in command ? commonFlags.filter(({ name }) => name === 'help') : commonFlags;
}

export function formatGroupHelp(group: string, commands: readonly Command[]): string {
  return [
    `Usage: postern ${group} <command>`,
    '',
    ...alignColumns(commands.map((command) => [formatUsage(command), command.meaning])),
    '',
  ].join('\n');
}

export function formatHelp(command: Command, isWhole = false): string {
  const lines = [`Usage: postern ${formatUsage(command)} [flags]`, '', capitalize(command.meaning), ''];
  if (command.arguments?.length) {
    lines.push(
      'Arguments:',
      ...alignColumns(command.arguments.map((argument) => [argument.name, formatMeaning(argument)])),
      '',
    );
  }
  const own = (command.flags ?? []).map(formatFlagRow);
  lines.push('Flags:', ...alignColumns([...own, ...listSharedFlags(command).map(formatFlagRow)]), '');
  lines.push('Exit status:', ...alignColumns(listExitStatuses(command)), '');
  if (command.examples?.length) lines.push('Examples:', ...command.examples.map((text) => `  ${text}`), '');
  if ('takesSettings' in command) lines.push(...formatSettingsHelp(command, isWhole));
  return lines.join('\n');
}

function formatSettingsHelp(
  { name, takesSettings, mainSettings, ownArguments }: LocalCommand,
  isWhole: boolean,
): string[] {
  const all = knobs.filter(({ rule }) => rule.side === 'both' || (rule.side ?? 'server') === takesSettings);
  const main: readonly string[] | undefined = isWhole ? undefined : mainSettings;
  const shown = main ? all.filter((knob) => main.includes(knob.name)) : all;
  const rest = all.length - shown.length;
  // A command that parses its own arguments reads settings only from variables.
  const hasFlags = ownArguments === undefined;
  return [
    `Settings (${hasFlags ? 'flag, ' : ''}variable, default, meaning):`,
    ...shown.flatMap((knob) => formatSetting(knob, hasFlags)),
    ...(rest > 0 ? [`  ${rest} more: postern ${name} --help-all`] : []),
    '',
  ];
}

/** Formats a command with its arguments and required flags. */
export function formatUsage({ name, arguments: expected = [], flags = [] }: Command): string {
  const needed = flags.filter(({ required }) => required).map(formatFlag);
  return [
    name,
    ...expected.map(({ name, repeated, optional }) => {
      const text = repeated ? `${name}…` : name;
      return optional ? `[${text}]` : text;
    }),
    ...needed,
  ].join(' ');
}

/** Formats a flag with its value: `--to A`, `-t`. */
export function formatFlag(flag: Flag): string {
  return flag.value === undefined ? formatFlagName(flag) : `${formatFlagName(flag)} ${flag.value}`;
}

function formatFlagRow(flag: Flag): [string, string] {
  return [formatFlag(flag), `${formatMeaning(flag)}${flag.required ? '; required' : ''}`];
}

function formatSetting({ flag, variable, rule }: Knob, hasFlag: boolean): string[] {
  const preset = rule.default === null ? '' : ` [${rule.default}]`;
  return [`  ${hasFlag ? `${flag}  ` : ''}${variable}${preset}`, `      ${rule.meaning}`];
}

function alignColumns(rows: readonly [string, string][]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}

function capitalize(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
