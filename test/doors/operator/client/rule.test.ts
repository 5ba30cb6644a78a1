/** `postern rule`, as a script uses it. */
import { afterAll, expect, test } from 'bun:test';
import type { RuleView } from '../../../../src/features/mail-rules/wire.ts';
import { sendMail } from '../../../peers/smtp-client.ts';
import { postern, posternJson, startServing } from '../command-process.ts';

const trap = await startServing(['capture']);
afterAll(() => trap[Symbol.asyncDispose]());

const env = { POSTERN_URL: trap.ready.http, POSTERN_API_KEY: trap.ready.api_key ?? '' };
const list = () => posternJson<RuleView[]>(['rule', 'list'], env);

const receive = (subject: string) =>
  sendMail({
    port: Number(new URL(`smtp://${trap.ready.smtp}`).port),
    from: 'bob@else.test',
    to: ['ann@example.com'],
    raw: `From: Bob <bob@else.test>\r\nSubject: ${subject}\r\n\r\nx\r\n`,
  });

test('rule adds a rule, tries it, changes it, moves it and deletes it', async () => {
  await receive('Invoice 1');
  const flags = [
    '--subject',
    'invoice',
    '--tags',
    'money, x',
    '--mark-read',
    'on',
    '--delete-after-days',
    '3',
  ];
  const added = await postern(['rule', 'add', '--name', 'Money', ...flags], env);
  expect(added).toEqual({ status: 0, stdout: expect.stringMatching(/^rule_\w+\n$/), stderr: '' });
  const id = added.stdout.trim();
  const tried = await postern(['rule', 'try'], env);
  expect(tried.stdout).toContain('tag money, tag x, mark_read, delete 3');
  expect(tried.stdout).toEndWith('1 of 1 messages match.\n');
  const second = await posternJson<RuleView>(['rule', 'add', '--stop', 'on', '--position', '1'], env);
  expect((await list()).map((rule) => rule.id)).toEqual([second.id, id]);
  const set = ['rule', 'set', id, '--position', '1', '--subject', '', '--enabled', 'off', '--tags', ''];
  expect(await posternJson<RuleView>(set, env)).toMatchObject({
    position: 1,
    subject: null,
    is_enabled: false,
    tags: [],
    mark_read: true,
    name: 'Money',
  });
  const { stdout } = await postern(['rule', 'list'], env);
  expect(stdout).toMatch(/1 {2}rule_\w+ {2}off {4}Money {2}every mail {2}mark read, delete after 3 days\n/);
  for (const rule of await list())
    expect(await postern(['rule', 'delete', rule.id], env)).toEqual({ status: 0, stdout: '', stderr: '' });
  expect((await postern(['rule', 'list'], env)).stdout).toBe('No rules.\n');
});

test('rule says what is wrong with a rule', async () => {
  const nothing = await postern(['rule', 'add', '--subject', 'x'], env);
  const actions =
    '--tags, --mark-read, --delete-after-days, --forward-to, --notify-url, --notify-template, --stop';
  expect([nothing.status, nothing.stderr]).toEqual([2, `rule add needs at least one of ${actions}\n`]);
  const off = await postern(['rule', 'add', '--mark-read', 'off'], env);
  expect([off.status, off.stderr]).toEqual([
    1,
    'The rule must do something: give it at least one of --tags, --mark-read on, --delete-after-days, --forward-to, --notify-url and --stop on.\n',
  ]);
  const same = await postern(['rule', 'set', 'rule_x'], env);
  expect([same.status, same.stderr]).toEqual([2, expect.stringContaining('needs at least one of --name')]);
  const half = await postern(['rule', 'add', '--notify-url', 'https://x.example/'], env);
  expect([half.status, half.stderr]).toEqual([2, expect.stringContaining('go together')]);
  const template = ['--notify-url', 'https://x.example/', '--notify-template', '{"a": "{{nope}}"}'];
  expect((await postern(['rule', 'add', ...template], env)).stderr).toContain('{{nope}}');
  const unknown = await postern(['rule', 'delete', 'rule_x'], env);
  const message = 'There is no rule rule_x. postern rule list shows them.\n';
  expect([unknown.status, unknown.stderr]).toEqual([1, message]);
  expect((await postern(['rule', 'set', 'rule_x', '--name', 'x'], env)).stderr).toBe(message);
  const wrong = await postern(['rule', 'set', 'rule_x', '--mark-read', 'maybe'], env);
  expect(wrong.status).toBe(2);
});

test('only a rule without an action is said to need one', async () => {
  const nothing = expect.stringContaining('The rule must do something');
  const { id } = await posternJson<RuleView>(['rule', 'add', '--tags', 'x'], env);
  const emptied = await postern(['rule', 'set', id, '--tags', ''], env);
  expect([emptied.status, emptied.stderr]).toEqual([1, nothing]);
  const large = ['--subject', 'x'.repeat(70_000)];
  for (const args of [
    ['add', '--stop', 'on', ...large],
    ['add', '--stop', 'off', ...large],
    ['set', id, ...large],
  ]) {
    const { status, stderr } = await postern(['rule', ...args], env);
    expect([status, stderr]).toEqual([1, expect.stringContaining('has more than 65536 bytes')]);
  }
});

test.each([
  [['--delete-after-days', '0'], '--delete-after-days must be an integer from 1 to 3650\n'],
  [['--tags', 'A B'], '--tags must be tags of 1 to 40 characters of a-z 0-9 _ -\n'],
  [['--stop', 'on', '--inbox', 'nope'], '--inbox is not one of your inboxes\n'],
  [['--stop', 'on', '--position', '0'], '--position must be an integer from 1 to 50\n'],
  [
    ['--notify-url', 'https://x.example/', '--notify-template', '{'],
    '--notify-template is not JSON: put placeholders such as {{subject}} inside strings\n',
  ],
  [
    ['--notify-url', `https://x.example/${'x'.repeat(2048)}`, '--notify-template', '{}'],
    '--notify-url has more than 2048 characters\n',
  ],
])('a refusal of the API names the flag: %p', async (flags, stderr) => {
  expect(await postern(['rule', 'add', ...flags], env)).toEqual({ status: 1, stdout: '', stderr });
});
