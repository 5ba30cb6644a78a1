/** Runs scripts/start in a folder that is another Bun project. */
import { afterAll, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { environment } from './doors/operator/command-process.ts';
import { sendMail } from './peers/smtp-client.ts';

const script = join(import.meta.dir, '../scripts/start');
const project = mkdtempSync(join(tmpdir(), 'postern-project-'));
afterAll(() => rmSync(project, { recursive: true }));

/** Bun reads these files in the folder where it is started. */
writeFileSync(join(project, '.env'), 'POSTERN_HTTP_LISTEN=127.0.0.1:9\nPOSTERN_OF_THE_APP=1\n');
writeFileSync(join(project, 'bunfig.toml'), 'preload = ["./preload.ts"]\n');
const trace = join(project, 'preloaded');
writeFileSync(join(project, 'preload.ts'), `await Bun.write('${trace}', '');\nconsole.log('preloaded');\n`);

const start = (...args: string[]) =>
  Bun.spawn([script, ...args], {
    cwd: project,
    env: environment({}),
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'inherit',
  });

test('Postern uses neither the settings nor the code of the project in the current folder', async () => {
  const settings = (await new Response(start('config', '--json').stdout).json()) as Record<string, string>[];
  expect(settings.find(({ name }) => name === 'http_listen')).toMatchObject({ source: 'default' });
});

test('the processes that parse mail do not use them either', async () => {
  const trap = start('capture', '--json', '--http-listen', '127.0.0.1:0', '--smtp-listen', '127.0.0.1:0');
  try {
    const { value } = await trap.stdout.getReader().read();
    const { http, smtp } = JSON.parse(Buffer.from(value!).toString()) as { http: string; smtp: string };
    const raw = 'Subject: Sign in\r\n\r\nYour code is 493817.\r\n';
    const port = Number(smtp.split(':')[1]);
    await sendMail({ port, from: 'app@example.com', to: ['you@example.com'], raw });
    const answer = await fetch(`${http}/api/v1/inboxes/you@example.com/messages/latest`);
    expect(((await answer.json()) as { data: unknown }).data).toMatchObject({ otp: '493817' });
    expect(existsSync(trace)).toBe(false);
  } finally {
    trap.kill();
    await trap.exited;
  }
}, 40_000);
