/** startPostern, and the quick start of the client's README.md as printed. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from '../../../clients/typescript/src/index.ts';
import { startPostern } from '../../../clients/typescript/src/server.ts';
import { haveTool } from '../../peers/tools.ts';
import { program } from '../../program.ts';
import { until } from '../../until.ts';
import { type InstalledClient, installClient } from './package.ts';
import { sendMail } from './runner/smtp-mail.ts';

const canInstall = haveTool('npm') && haveTool('node');
let installed: InstalledClient;
let bin: string;

beforeAll(async () => {
  if (!canInstall) return;
  installed = await installClient();
  bin = join(installed.dir, 'postern');
  // scripts/test sets it, and the executable would be plain Bun.
  const start = [
    '#!/bin/sh',
    'unset BUN_BE_BUN',
    `exec ${program.map((word) => `'${word}'`).join(' ')} "$@"`,
  ];
  writeScript(bin, start.join('\n'));
}, 60_000);
afterAll(() => installed?.[Symbol.dispose]());

function writeScript(path: string, text: string): void {
  writeFileSync(path, `${text}\n`);
  chmodSync(path, 0o755);
}

/** Runs a script in the project under Node, with the executable on its PATH. */
function runNode(name: string, text: string, flags: string[] = []) {
  writeFileSync(join(installed.dir, name), text);
  return Bun.spawn(['node', ...flags, name], {
    cwd: installed.dir,
    env: { ...process.env, PATH: `${installed.dir}:${process.env.PATH}` },
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: 30_000,
  });
}

function isAlive(pid: number): boolean {
  return existsSync(`/proc/${pid}`) && !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
}

describe.skipIf(!canInstall)('startPostern', () => {
  test.skipIf(!haveTool('curl'))(
    'runs the quick start of README.md as printed',
    async () => {
      const readme = readFileSync(join(import.meta.dir, '../../../clients/typescript/README.md'), 'utf8');
      const code = /^```js\n([\s\S]*?)^```/m.exec(readme)?.[1] ?? '';
      const child = runNode('code.test.mjs', code, ['--test', '--test-reporter=tap']);
      expect(await child.stdout.text()).toMatch(/^# pass 1$/m);
      expect(await child.exited).toBe(0);
    },
    40_000,
  );

  test('returns a client and an SMTP address, and stop removes everything', async () => {
    const postern = await startPostern({ bin });
    await sendMail(`${postern.smtp.host}:${postern.smtp.port}`, {
      to: 'a@example.com',
      subject: 'Sign in',
      text: 'Your code is 493817.',
    });
    expect(await postern.client.inbox('a@example.com').waitForCode()).toMatchObject({ code: '493817' });
    await Promise.all([postern.stop(), postern.stop()]);
    await postern.exited;
    expect(isAlive(postern.pid)).toBe(false);
    await expect(fetch(`${postern.url}/healthz`)).rejects.toThrow();
  }, 40_000);

  test('starts a server that is reached without the proxy of the environment', async () => {
    await using postern = await startPostern({ bin });
    process.env.HTTP_PROXY = 'http://127.0.0.1:9';
    try {
      expect((await postern.client.account()).kind).toBe('standard');
    } finally {
      delete process.env.HTTP_PROXY;
    }
  });

  test('ends with its process, even one that is killed', async () => {
    const start =
      "import { startPostern } from '@postern/client/server';\nconst postern = await startPostern();\n";
    const child = runNode('killed.mjs', `${start}console.log(postern.pid);\nsetInterval(() => {}, 1000);`);
    const reader = child.stdout.getReader();
    const pid = Number(new TextDecoder().decode((await reader.read()).value));
    expect(isAlive(pid)).toBe(true);
    child.kill('SIGKILL');
    await until(() => !isAlive(pid), 15_000);
  }, 40_000);

  test('does not keep its process alive', async () => {
    const start = "import { startPostern } from '@postern/client/server';\nawait startPostern();\n";
    expect(await runNode('ends.mjs', start).exited).toBe(0);
  }, 40_000);

  test('says what is wrong with an executable', async () => {
    const other = join(installed.dir, 'other');
    const begun = (text: string) => {
      writeScript(other, text);
      return startPostern({ bin: other, timeoutMs: 2_000 }).catch((error: unknown) => error);
    };
    expect(await startPostern({ bin: '/nowhere/postern' }).catch((error: unknown) => error)).toMatchObject({
      code: 'executable_not_found',
      advice: expect.stringContaining('POSTERN_BIN'),
    });
    const ended = await begun('#!/bin/sh\necho the disk is full >&2; exit 3');
    expect(ended).toBeInstanceOf(StartError);
    expect(String(ended)).toContain('ended with status 3. It printed:\nthe disk is full');
    expect(String(await begun('#!/bin/sh\necho hello; sleep 1'))).toContain('is not Postern');
    expect(String(await begun('#!/bin/sh\nexec sleep 5'))).toContain('was not ready after 2 s');
  }, 40_000);
});

test.skipIf(!canInstall)(
  'an endless response that is not from Postern does not keep the process alive',
  async () => {
    const page = () =>
      new ReadableStream({
        async pull(stream) {
          await Bun.sleep(20);
          stream.enqueue('<html>');
        },
      });
    using other = Bun.serve({ port: 0, fetch: () => new Response(page()) });
    const lines = [
      "import { Postern } from '@postern/client';",
      `const client = new Postern({ url: '${other.url.href}', apiKey: null });`,
      "await client.message.raw('msg_1').catch(({ code }) => console.log(code));",
    ];
    const child = runNode('endless.mjs', lines.join('\n'));
    expect(await child.stdout.text()).toBe('not_postern\n');
    // Node ends once no connection is left; otherwise it is killed.
    expect(await child.exited).toBe(0);
  },
  40_000,
);
