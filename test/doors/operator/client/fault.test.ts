/** `postern fault`, as a script uses it. */
import { afterAll, expect, test } from 'bun:test';
import type { SmtpFaultView } from '../../../../src/features/faults/wire.ts';
import { postern, posternJson, startServing } from '../command-process.ts';

const trap = await startServing(['capture']);
afterAll(() => trap[Symbol.asyncDispose]());

const env = { POSTERN_URL: trap.ready.http, POSTERN_API_KEY: trap.ready.api_key ?? '' };
const list = () => posternJson<SmtpFaultView[]>(['fault', 'list'], env);

test('fault adds a fault that applies to mail, lists it with its hits, and clears one or all', async () => {
  const flags = ['--recipient', 'Ann@*', '--sender', '*', '--skip', '1', '--times', '2', '--delay-ms', '1'];
  const added = await postern(
    ['fault', 'add', '--stage', 'rcpt', '--reply', '450 4.2.1 try later', ...flags],
    env,
  );
  expect(added).toEqual({ status: 0, stdout: expect.stringMatching(/^fault_\w+\n$/), stderr: '' });
  const id = added.stdout.trim();
  const statuses: number[] = [];
  for (let mail = 0; mail < 4; mail++) {
    statuses.push((await postern(['send', '--to', 'ann@example.com'], env)).status);
  }
  expect(statuses).toEqual([0, 1, 1, 0]);
  expect(await list()).toEqual([
    expect.objectContaining({
      id,
      stage: 'rcpt',
      recipient: 'Ann@*',
      skip: 1,
      times: 2,
      delay_ms: 1,
      hits: 2,
    }),
  ]);
  const dropped = await posternJson<SmtpFaultView>(['fault', 'add', '--stage', 'dot', '--drop'], env);
  expect(dropped).toMatchObject({ stage: 'dot', drop: true, reply: null, times: null });
  const { stdout } = await postern(['fault', 'list'], env);
  expect(stdout.split('\n').map((line) => line.split(/ {2,}/).slice(1))).toEqual([
    ['STAGE', 'ANSWER', 'SENDER', 'RECIPIENT', 'SKIP', 'TIMES', 'HITS'],
    ['rcpt', '1 ms, then 450 4.2.1 try later', '*', 'Ann@*', '1', '2', '2'],
    ['dot', 'drop', '-', '-', '0', '-', '0'],
    [],
  ]);
  expect(await postern(['fault', 'clear', id], env)).toEqual({ status: 0, stdout: '', stderr: '' });
  expect((await list()).map((one) => one.id)).toEqual([dropped.id]);
  expect((await postern(['fault', 'clear'], env)).status).toBe(0);
  expect((await postern(['fault', 'list'], env)).stdout).toBe('No SMTP faults.\n');
});

test('fault says what is wrong, and exits with 2 for a flag and with 1 for a field that the server refuses', async () => {
  const add = ['fault', 'add', '--stage'];
  const missing = await postern(['fault', 'add', '--drop'], env);
  const stages = '--stage is missing: where in the session (connect, ehlo, auth, mail, rcpt, data, dot)\n';
  expect([missing.status, missing.stderr]).toEqual([2, stages]);
  const nothing = await postern([...add, 'rcpt', '--times', '2'], env);
  const answers = 'fault add needs at least one of --reply, --drop, --delay-ms\n';
  expect([nothing.status, nothing.stderr]).toEqual([2, answers]);
  const stage = await postern([...add, 'quit', '--drop'], env);
  expect([stage.status, stage.stderr]).toEqual([
    2,
    expect.stringContaining('--stage must be one of connect'),
  ]);
  const times = await postern([...add, 'dot', '--drop', '--times', 'two'], env);
  expect([times.status, times.stderr]).toEqual([
    2,
    expect.stringContaining('--times must be a whole number'),
  ]);
  const reply = await postern([...add, 'dot', '--reply', '250 ok'], env);
  expect([reply.status, reply.stderr]).toEqual([
    1,
    expect.stringContaining('--reply must be a code from 400'),
  ]);
  const unknown = await postern(['fault', 'clear', 'fault_x'], env);
  const message = 'There is no fault fault_x. postern fault list shows them.\n';
  expect([unknown.status, unknown.stderr]).toEqual([1, message]);
});
