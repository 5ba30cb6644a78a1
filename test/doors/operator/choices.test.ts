/** Whatever has a fixed set of values names them when the value is wrong or missing: flags, arguments, and settings as flags. */
import { expect, test } from 'bun:test';
import { commonFlags, parseLine } from '../../../src/doors/operator/arguments.ts';
import { commands } from '../../../src/doors/operator/commands.ts';
import { settingsFrom } from '../../../src/platform/core/settings.ts';
import { eventKindNames } from '../../../src/rules/events.ts';
import { type SettingRule, settings } from '../../../src/rules/settings.ts';

/** The mistakes in a command line, about one flag or argument. */
function faults(name: string, words: readonly string[], about: string): string[] {
  const command = commands.find((one) => one.name === name)!;
  return parseLine(command, words).faults.filter((fault) => fault.startsWith(`${about} `));
}

const flags = commands.flatMap(({ name, flags = [] }) =>
  flags.flatMap(({ name: flag, choices }) => (choices ? [[name, `--${flag}`, choices.join(', ')]] : [])),
) as [string, string, string][];

test.each(flags)('%s %s names its values', (name, flag, choices) => {
  expect(faults(name, [flag], flag)).toEqual([`${flag} needs a value: ${choices}`]);
  expect(faults(name, [flag, '--json'], flag)).toEqual([`${flag} needs a value: ${choices}`]);
  expect(faults(name, [flag, 'x'], flag)).toEqual([`${flag} must be one of ${choices}`]);
});

const withValue = commands.flatMap((command) =>
  [...(command.flags ?? []), ...commonFlags, { name: 'log', value: 'V' }]
    .filter((flag) => flag.value !== undefined && !('ownArguments' in command))
    .map(({ name }) => [command.name, `--${name}`] as const),
);

test.each(withValue)('%s %s without its value leaves the next flag its own', (name, flag) => {
  const command = commands.find((one) => one.name === name)!;
  const next = flag === '--data-dir' ? 'plan' : 'data-dir';
  const key = next.replace('-', '_');
  const { faults: found, settings: set, input } = parseLine(command, [flag, `--${next}`, 'X']);
  expect(found.filter((fault) => fault.startsWith(flag))).toEqual([
    expect.stringContaining(`${flag} needs a value`),
  ]);
  expect(found.filter((fault) => fault.includes('"X"') || fault.startsWith(`--${next}`))).toEqual([]);
  expect(set[key] ?? input[key]).toBe('X');
});

const given = commands.flatMap(({ name, arguments: all = [] }) =>
  all.flatMap(({ name: argument, choices }, index) =>
    choices ? [[name, argument, choices.join(', '), index]] : [],
  ),
) as [string, string, string, number][];

test.each(given)('%s %s names its values', (name, argument, choices, index) => {
  const before = Array.from({ length: index }, () => 'x');
  expect(faults(name, before, argument)).toEqual([expect.stringContaining(`(${choices})`)]);
  expect(faults(name, [...before, 'x'], argument)).toEqual([`${argument} must be one of ${choices}`]);
});

const fixed = (Object.entries(settings) as [string, SettingRule][]).flatMap(([name, { type, choices }]) =>
  type === 'switch' ? [[name, ['on', 'off']]] : choices ? [[name, choices]] : [],
) as [string, readonly string[]][];

test.each(fixed)('the setting %s names its values', (name, choices) => {
  const flag = `--${name.replaceAll('_', '-')}`;
  expect(faults('config', [flag], flag)).toEqual([`${flag} needs a value: ${choices.join(', ')}`]);
  expect(() => settingsFrom({ cli: { [name]: 'x' } })).toThrow(new RegExp(choices.join('(, | or )')));
});

test('the kinds of event are named', () => {
  const kinds = eventKindNames.join(', ');
  expect(faults('webhook add', ['--events'], '--events')).toEqual([`--events needs a value: ${kinds}`]);
  const [fault] = faults('webhook add', ['--events', 'email.received,email.read'], '--events');
  expect(fault).toBe(`--events email.read is not a kind of event; the kinds are ${kinds}`);
});

const checked = commands.flatMap(({ name, flags = [] }) =>
  flags.flatMap(({ name: flag, check }) => (check ? [[name, `--${flag}`] as const] : [])),
);

test.each(checked)('%s %s is refused together with every other mistake', (name, flag) => {
  const command = commands.find((one) => one.name === name)!;
  const { faults: found } = parseLine(command, [flag, '\x07', '--bogus']);
  const named = found.map((fault) => fault.split(' ')[0]);
  expect(named).toEqual(expect.arrayContaining([flag, '--bogus']));
});
