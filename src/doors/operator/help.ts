/** Help, from the table of commands and the table of settings. */
import { type Knob, knobs } from '../../platform/core/settings.ts';
import { commonFlags } from './arguments.ts';
import type { Command, Flag, LocalCommand } from './command.ts';

/** What `postern --help` prints. */
export function helpOfAll(commands: readonly Command[]): string {
  return [
    'Postern receives mail by SMTP and gives it over an HTTP API.',
    '',
    'Usage: postern <command> [arguments] [flags]',
    '',
    'Try it:  postern capture        a trap for the mail that you test with',
    '         postern serve          the real thing',
    '',
    'Commands:',
    ...columns(commands.map((command) => [usage(command), command.meaning])),
    '',
    'Flags of every command:',
    ...columns(commonFlags.map(flagRow)),
    '',
    'postern <command> --help tells more; postern serve --help lists every setting.',
    'A setting is a flag (--http-listen V), a variable (POSTERN_HTTP_LISTEN) or a line of the TOML file',
    '(http_listen = "…"). A command finds the server by its data folder: --data-dir or POSTERN_DATA_DIR.',
    '',
  ].join('\n');
}

/** Exit statuses of every command. */
export const commonExits: [string, string][] = [
  ['0', 'done'],
  ['1', 'failed'],
  ['2', 'wrong usage'],
];

/** What `postern account --help` prints. */
export function helpOfGroup(group: string, commands: readonly Command[]): string {
  return [
    `Usage: postern ${group} <command>`,
    '',
    ...columns(commands.map((command) => [usage(command), command.meaning])),
    '',
  ].join('\n');
}

/** What `postern account create --help` prints. */
export function helpOf(command: Command, isWhole = false): string {
  const lines = [`Usage: postern ${usage(command)} [flags]`, '', capital(command.meaning), ''];
  if (command.arguments?.length) {
    lines.push('Arguments:', ...columns(command.arguments.map(({ name, meaning }) => [name, meaning])), '');
  }
  const own = (command.flags ?? []).map(flagRow);
  lines.push('Flags:', ...columns([...own, ...commonFlags.map(flagRow)]), '');
  if (command.exits) {
    const own = Object.entries(command.exits);
    lines.push('Exit status:', ...columns([...commonExits, ...own]), '');
  }
  if (command.examples?.length) lines.push('Examples:', ...command.examples.map((text) => `  ${text}`), '');
  if ('takes_settings' in command) lines.push(...settingsHelp(command, isWhole));
  return lines.join('\n');
}

function settingsHelp({ name, takes_settings, mainSettings }: LocalCommand, isWhole: boolean): string[] {
  const all = knobs.filter(({ rule }) => (rule.side ?? 'server') === takes_settings);
  const main: readonly string[] | undefined = isWhole ? undefined : mainSettings;
  const shown = main ? all.filter((knob) => main.includes(knob.name)) : all;
  const rest = all.length - shown.length;
  return [
    'Settings (flag, variable, default, meaning):',
    ...shown.flatMap(settingLines),
    ...(rest > 0 ? [`  ${rest} more: postern ${name} --help-all`] : []),
    '',
  ];
}

/** The command with its arguments and the flags it needs. */
export function usage({ name, arguments: expected = [], flags = [] }: Command): string {
  const needed = flags.filter(({ required }) => required).map(flagText);
  return [
    name,
    ...expected.map(({ name, repeated, optional }) => {
      const text = repeated ? `${name}…` : name;
      return optional ? `[${text}]` : text;
    }),
    ...needed,
  ].join(' ');
}

/** `--to A`, `-t`. */
export function flagText({ name, value }: Flag): string {
  const dashed = `${name.length > 1 ? '--' : '-'}${name}`;
  return value === undefined ? dashed : `${dashed} ${value}`;
}

function flagRow(flag: Flag): [string, string] {
  const choices = flag.choices ? ` (${flag.choices.join(', ')})` : '';
  return [flagText(flag), `${flag.meaning}${choices}${flag.required ? '; required' : ''}`];
}

function settingLines({ flag, variable, rule }: Knob): string[] {
  const preset = rule.default === null ? '' : ` [${rule.default}]`;
  return [`  ${flag}  ${variable}${preset}`, `      ${rule.meaning}`];
}

function columns(rows: readonly [string, string][]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
