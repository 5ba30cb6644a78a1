/** The first examples a newcomer copies from README.md and docs/testing.md, run as printed except for the ports. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { haveTool, runTool } from '../peers/tools.ts';
import { type RunningAppliance, startAppliance } from '../start.ts';

const dir = mkdtempSync(join(tmpdir(), 'postern-first-code-'));
let trap: RunningAppliance;
beforeAll(async () => {
  trap = await startAppliance({ capture: { apiKey: 'secret' } });
});
afterAll(async () => {
  await trap[Symbol.asyncDispose]();
  rmSync(dir, { recursive: true, force: true });
});

const root = join(import.meta.dir, '../..');

/** The fenced sample of a document that contains these words. */
function sample(document: string, language: string, words: string): string {
  const text = readFileSync(join(root, document), 'utf8');
  const fences = Array.from(text.matchAll(/^```(\w+)\n([\s\S]*?)^```/gm), ([, name, body = '']) => ({
    name,
    body,
  }));
  const found = fences.filter(({ name, body }) => name === language && body.includes(words));
  expect([document, words, found.length]).toEqual([document, words, 1]);
  return found[0]!.body;
}

function runSample(code: string, file: string, command: string[]) {
  const body = code
    .replaceAll('127.0.0.1:8025', `127.0.0.1:${trap.httpPort}`)
    .replaceAll(/(?<=127\.0\.0\.1(?::|", ))1025/g, String(trap.smtpPort));
  expect(body).not.toMatch(/\b(8025|1025)\b/);
  writeFileSync(join(dir, file), body);
  return runTool([...command, join(dir, file)]);
}

test.skipIf(!haveTool('node') || !haveTool('curl'))('the test in README.md passes', async () => {
  const code = sample('README.md', 'js', 'a new user gets a code');
  const { exitCode, output } = await runSample(code, 'code.test.mjs', ['node', '--test']);
  expect([exitCode, output]).toEqual([0, expect.stringMatching(/pass 1\b/)]);
});

test.skipIf(!haveTool('curl'))('the two commands of docs/testing.md send a message and read it', async () => {
  const code = sample('docs/testing.md', 'sh', 'messages/latest');
  const { output } = await runSample(code, 'first.sh', ['sh']);
  expect(JSON.parse(output).data).toMatchObject({ subject: 'Hello', otp: '123456' });
});

test.skipIf(!haveTool('curl'))('the shell script of docs/testing.md prints the code', async () => {
  const code = sample('docs/testing.md', 'sh', '#!/bin/sh');
  // Some versions of sed add a final line break, some don't.
  const { output } = await runSample(code, 'code.sh', ['sh']);
  expect(output.trim()).toBe('493817');
});

test.skipIf(Bun.which('python3') === null)('the Python of docs/testing.md prints the code', async () => {
  const code = sample('docs/testing.md', 'python', 'def sign_up');
  expect(await runSample(code, 'code.py', ['python3'])).toEqual({ exitCode: 0, output: '493817\n' });
});

test.skipIf(!haveTool('node'))('the retries of docs/testing.md pass under nodemailer', async () => {
  symlinkSync(join(root, 'node_modules'), join(dir, 'node_modules'));
  const code = sample('docs/testing.md', 'js', 'smtp_faults');
  const { exitCode, output } = await runSample(code, 'retries.test.mjs', ['node', '--test']);
  expect([exitCode, output]).toEqual([0, expect.stringMatching(/pass 1\b/)]);
});

test.skipIf(Bun.which('python3') === null)(
  'the retries of docs/testing.md happen as it says under smtplib',
  async () => {
    const code = sample('docs/testing.md', 'python', 'smtp_faults');
    const expected = { exitCode: 0, output: '[True, False, True]\n' };
    expect(await runSample(code, 'retries.py', ['python3'])).toEqual(expected);
  },
);
