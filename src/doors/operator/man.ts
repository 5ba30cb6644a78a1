import { version } from '../../../package.json';
import { knobs } from '../../platform/core/settings.ts';
import { commonFlags } from './arguments.ts';
import { type Command, type Flag, formatMeaning, type LocalCommand } from './command.ts';
import { formatFlag, formatUsage, listExitStatuses } from './help.ts';

/** Prints the manual page postern(1), generated from the tables of commands and settings. */
export const man: LocalCommand = {
  name: 'man',
  meaning: 'print the manual page',
  examples: ['postern man | man -l -', 'postern man > /usr/local/share/man/man1/postern.1'],
  needsNoSettings: true,
  async runHere({ commands, json }) {
    const page = `${formatManPage(commands)}\n`;
    process.stdout.write(json ? `${JSON.stringify({ page })}\n` : page);
    return 0;
  },
};

function formatManPage(commands: readonly Command[]): string {
  return [
    `.TH POSTERN 1 "" "Postern ${version}"`,
    '.SH NAME',
    'postern \\- email inboxes for people, programs and agents',
    '.SH SYNOPSIS',
    '.B postern',
    '.I command',
    '[arguments] [flags]',
    '.SH COMMANDS',
    ...commands.flatMap(formatCommand),
    '.SH FLAGS OF EVERY COMMAND',
    ...commonFlags.flatMap(formatFlagLines),
    '.SH ENVIRONMENT',
    'Each setting is a variable, a flag (POSTERN_HTTP_LISTEN is \\-\\-http\\-listen) or a line of the TOML file (http_listen).',
    'A secret may be in a file: POSTERN_API_KEY_FILE names the file that holds POSTERN_API_KEY.',
    ...knobs.flatMap(({ variable, rule }) => [
      '.TP',
      `.B ${escapeRoff(variable)}`,
      escapeRoff(rule.default === null ? rule.meaning : `${rule.meaning} [${rule.default}]`),
    ]),
    '.SH EXIT STATUS',
    ...listExitStatuses().flatMap(([status, meaning]) => ['.TP', `.B ${status}`, meaning]),
  ].join('\n');
}

function formatCommand(command: Command): string[] {
  const exits = Object.entries(command.exits ?? {}).map(
    ([status, meaning]) => `Exit status ${status}: ${meaning}.`,
  );
  return [
    `.SS "postern ${escapeRoff(formatUsage(command)).replaceAll('"', '\\(dq')}"`,
    `${escapeRoff(command.meaning)}.`,
    ...(command.arguments ?? []).flatMap((argument) => [
      '.TP',
      `.I ${escapeRoff(argument.name)}`,
      escapeRoff(formatMeaning(argument)),
    ]),
    ...(command.flags ?? []).flatMap(formatFlagLines),
    ...(exits.length > 0 ? ['.PP', ...exits.map(escapeRoff)] : []),
    ...(command.examples?.length
      ? [
          '.PP',
          '.nf',
          ...command.examples.map((text) => `.B "${escapeRoff(text).replaceAll('"', '\\(dq')}"`),
          '.fi',
        ]
      : []),
  ];
}

function formatFlagLines(flag: Flag): string[] {
  return ['.TP', `.B ${escapeRoff(formatFlag(flag))}`, escapeRoff(formatMeaning(flag))];
}

/** Escapes a text for roff: no requests, no escapes, and no hyphens that roff would replace. */
function escapeRoff(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/, '\\&$1');
}
