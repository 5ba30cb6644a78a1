/** Completion scripts for shells, generated from the table of commands. */
import { type Command, formatFlagName, given, type LocalCommand } from './command.ts';
import { listSharedFlags } from './help.ts';

const shells = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof shells)[number];

export const completion: LocalCommand = {
  name: 'completion',
  meaning: 'print a completion script for a shell',
  arguments: [{ name: 'SHELL', meaning: 'the shell', choices: shells }],
  examples: [
    'postern completion bash > /etc/bash_completion.d/postern',
    'postern completion zsh > "$' + '{fpath[1]}/_postern"',
    'postern completion fish > ~/.config/fish/completions/postern.fish',
  ],
  needsNoSettings: true,
  async runHere({ input, json, commands }) {
    const shell = given(input, 'shell') as Shell;
    const script = `${scripts[shell](commands)}\n`;
    process.stdout.write(json ? `${JSON.stringify({ shell, script })}\n` : script);
    return 0;
  },
};

const listFlags = (command: Command) => [...(command.flags ?? []), ...listSharedFlags(command)];
const listFlagNames = (command: Command) => listFlags(command).map(formatFlagName);
/** The values of arguments that have a fixed set of them. */
const listChoices = ({ arguments: expected = [] }: Command) =>
  expected.flatMap(({ choices = [] }) => choices);
/** Matches a command's first two words in a `case`. */
const formatCasePattern = (command: Command) =>
  readSecondWord(command) ? command.name.replace(' ', ':') : `${command.name}:*`;

/** Cases for the word after a flag: its values. A flag whose values are not fixed has none, so shells offer files. */
function writeValueCases(
  commands: readonly Command[],
  write: (choices: readonly string[]) => string,
): string[] {
  return commands.flatMap((command) =>
    listFlags(command)
      .filter(({ value }) => value !== undefined)
      .map(
        (flag) =>
          `    ${formatCasePattern(command)}:${formatFlagName(flag)}) ${write(flag.choices ?? [])} ;;`,
      ),
  );
}

/** Groups commands by their first word, such as `account`. */
function groupByWord(commands: readonly Command[]): Map<string, Command[]> {
  const words = new Map<string, Command[]>();
  for (const command of commands) {
    const first = command.name.split(' ')[0]!;
    words.set(first, [...(words.get(first) ?? []), command]);
  }
  return words;
}

const readSecondWord = ({ name }: Command) => name.split(' ')[1];

const scripts: Record<Shell, (commands: readonly Command[]) => string> = {
  bash(commands) {
    const words = groupByWord(commands);
    const groups = [...words].filter(([, of]) => readSecondWord(of[0]!));
    return [
      '_postern() {',
      '  local cur=$' + '{COMP_WORDS[COMP_CWORD]} words=""',
      '  case "$COMP_CWORD:$' + '{COMP_WORDS[1]}:$' + '{COMP_WORDS[2]}" in',
      `    1:*) words="${[...words.keys(), 'help'].join(' ')}" ;;`,
      ...groups.map(([word, of]) => `    2:${word}:*) words="${of.map(readSecondWord).join(' ')}" ;;`),
      ...commands.map(
        (command) =>
          `    *:${formatCasePattern(command)}) words="${[...listChoices(command), ...listFlagNames(command)].join(' ')}" ;;`,
      ),
      '  esac',
      '  case "$' + '{COMP_WORDS[1]}:$' + '{COMP_WORDS[2]}:$' + '{COMP_WORDS[COMP_CWORD-1]}" in',
      ...writeValueCases(commands, (choices) => `words="${choices.join(' ')}"`),
      '  esac',
      '  COMPREPLY=($(compgen -W "$words" -- "$cur"))',
      '}',
      'complete -o default -F _postern postern',
    ].join('\n');
  },

  zsh(commands) {
    const words = groupByWord(commands);
    const quoted = (text: string) => `'${text.replaceAll("'", "'\\''").replaceAll(':', '\\:')}'`;
    const described = (pairs: readonly (readonly [string, string])[]) =>
      pairs.map(([word, meaning]) => `'${word}:${quoted(meaning).slice(1)}`).join(' ');
    const firsts = [...words].map(
      ([word, of]) => [word, readSecondWord(of[0]!) ? `${word} commands` : of[0]!.meaning] as const,
    );
    const groups = [...words].filter(([, of]) => readSecondWord(of[0]!));
    return [
      '#compdef postern',
      '_postern() {',
      '  local -a words_here',
      '  case "$CURRENT:$' + '{words[2]}:$' + '{words[3]}" in',
      `    2:*) words_here=(${described(firsts)}) ;;`,
      ...groups.map(
        ([word, of]) =>
          `    3:${word}:*) words_here=(${described(of.map((one) => [readSecondWord(one)!, one.meaning]))}) ;;`,
      ),
      ...commands.map(
        (command) =>
          `    *:${formatCasePattern(command)}) words_here=(${[...listChoices(command), described(listFlags(command).map(({ name, meaning }) => [formatFlagName({ name }), meaning]))].join(' ')}) ;;`,
      ),
      '  esac',
      '  case "$' + '{words[2]}:$' + '{words[3]}:$' + '{words[CURRENT-1]}" in',
      ...writeValueCases(commands, (choices) => `words_here=(${choices.join(' ')})`),
      '  esac',
      '  _describe postern words_here || _files',
      '}',
      'if [ "$funcstack[1]" = _postern ]; then _postern "$@"; else compdef _postern postern; fi',
    ].join('\n');
  },

  fish(commands) {
    const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
    const words = groupByWord(commands);
    const lines: string[] = [];
    for (const [word, of] of words) {
      const isGroup = readSecondWord(of[0]!) !== undefined;
      lines.push(
        `complete -c postern -n __fish_use_subcommand -f -a ${word} -d ${quoted(isGroup ? `${word} commands` : of[0]!.meaning)}`,
      );
      const seconds = of.flatMap((one) => readSecondWord(one) ?? []);
      for (const one of of) {
        const second = readSecondWord(one);
        const here = `__fish_seen_subcommand_from ${word}`;
        if (second) {
          const none = `${here}; and not __fish_seen_subcommand_from ${seconds.join(' ')}`;
          lines.push(`complete -c postern -n ${quoted(none)} -f -a ${second} -d ${quoted(one.meaning)}`);
        }
        const inside = second ? `${here}; and __fish_seen_subcommand_from ${second}` : here;
        const choices = listChoices(one);
        if (choices.length > 0)
          lines.push(`complete -c postern -n ${quoted(inside)} -f -a ${quoted(choices.join(' '))}`);
        for (const { name, meaning, value, short, choices: values } of listFlags(one)) {
          const form = [
            name.length > 1 ? `-l ${name}` : `-s ${name}`,
            short && `-s ${short}`,
            value && (values ? `-x -a ${quoted(values.join(' '))}` : '-r'),
          ]
            .filter(Boolean)
            .join(' ');
          lines.push(`complete -c postern -n ${quoted(inside)} ${form} -d ${quoted(meaning)}`);
        }
      }
    }
    return lines.join('\n');
  },
};
