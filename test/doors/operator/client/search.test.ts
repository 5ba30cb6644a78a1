/** `postern search` prints a row for each message that matches. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { sendMail } from '../../../peers/smtp-client.ts';
import { type RunningAppliance, startAppliance } from '../../../start.ts';
import { postern } from '../command-process.ts';

let trap: RunningAppliance;
beforeAll(async () => {
  trap = await startAppliance({ capture: { apiKey: 'secret' }, settings: { limits: 'off' } });
  for (let nth = 1; nth <= 120; nth++) {
    const raw = `From: App <app@example.org>\r\nSubject: Mail ${nth}\r\n\r\nPart ${nth % 2 ? 'odd' : 'even'} \r\n`;
    await sendMail({ port: trap.smtpPort, from: 'app@example.org', to: ['ann@example.com'], raw });
  }
});
afterAll(() => trap[Symbol.asyncDispose]());

const run = (...args: string[]) =>
  postern(['search', ...args], { POSTERN_URL: trap.url, POSTERN_API_KEY: 'secret' });

test('search prints aligned rows, newest first, up to the limit', async () => {
  const { status: code, stdout } = await run('body:odd from:app', '--limit', '2');
  const lines = stdout.trimEnd().split('\n');
  expect(code).toBe(0);
  expect(lines).toEqual([
    expect.stringMatching(
      /^\d{4}-\d\d-\d\d \d\d:\d\d {2}ann@example\.com +App <app@example\.org> +Mail 119$/,
    ),
    expect.stringMatching(
      /^\d{4}-\d\d-\d\d \d\d:\d\d {2}ann@example\.com +App <app@example\.org> +Mail 117$/,
    ),
  ]);
});

test('search continues over pages, and prints whole messages as JSON', async () => {
  const { status: code, stdout } = await run('mail', '--limit', '110', '--json');
  const found = JSON.parse(stdout);
  expect([code, found.length, found[109].subject]).toEqual([0, 110, 'Mail 11']);
});

test('search prints nothing of a stranger that a terminal would act on', async () => {
  const subject = 'Hostile \u009b31m \u202e subject';
  await trap.deliver('ann@example.com', { subject });
  for (const format of [[], ['--json']]) {
    const { stdout } = await run('hostile', ...format);
    expect(stdout).toContain('Hostile');
    expect(stdout).not.toMatch(/[^\P{C}\n]/u);
  }
  expect(JSON.parse((await run('hostile', '--json')).stdout)[0].subject).toBe(subject);
});

test('search without a match says so and succeeds', async () => {
  const { status: code, stdout, stderr } = await run('nowhere');
  expect([code, stdout, stderr]).toEqual([0, '', 'No messages match.\n']);
});

test('search says what is wrong with a query, and what to do', async () => {
  const { status: code, stderr } = await run('Re: hello');
  expect(code).toBe(1);
  expect(stderr).toContain('unknown token "Re:"');
  expect(stderr).toContain('in quotes');
});

test('search accepts only a number as limit', async () => {
  for (const limit of ['0', 'x', '10001']) expect((await run('a', '--limit', limit)).status).toBe(2);
});
