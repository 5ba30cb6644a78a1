/** Runs the examples as their folders show them, with a capture. Those whose tool is not installed are skipped. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  chmodSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { environment, type Serving, startServing } from './doors/operator/command-process.ts';
import { program } from './program.ts';

const examples = join(import.meta.dir, '../examples');
const work = mkdtempSync(join(tmpdir(), 'postern-examples-'));
let trap: Serving;

beforeAll(async () => {
  trap = await startServing(['capture']);
  // They call `postern` by its name.
  writeFileSync(
    join(work, 'postern'),
    `#!/bin/sh\nexec ${program.map((word) => `'${word}'`).join(' ')} "$@"\n`,
  );
  chmodSync(join(work, 'postern'), 0o755);
  cpSync(examples, join(work, 'examples'), { recursive: true });
  symlinkSync(join(import.meta.dir, '../node_modules'), join(work, 'node_modules'));
});
afterAll(async () => {
  await trap[Symbol.asyncDispose]();
  rmSync(work, { recursive: true });
});

const commands: Record<string, string[]> = {
  node: ['node', '--test', 'sign-in.mjs'],
  python: ['python3', 'test_sign_in.py'],
  go: ['go', 'test', './...'],
  php: ['php', '-d', 'sendmail_path=postern sendmail -t -i', 'sign-in.php'],
  shell: ['./sign-in.sh'],
};

describe('an example', () => {
  for (const [folder, command] of Object.entries(commands)) {
    const isThere = command[0]!.startsWith('.') || Bun.which(command[0]!) !== null;
    test.skipIf(!isThere)(`in ${folder} reads its code back`, async () => {
      const child = Bun.spawn(command, {
        cwd: join(work, 'examples', folder),
        env: environment({
          PATH: `${work}:${process.env.PATH}`,
          POSTERN_URL: trap.ready.http,
          SMTP_PORT: trap.ready.smtp.split(':').at(-1) ?? '',
          GOFLAGS: '-count=1',
        }),
        stdout: 'pipe',
        stderr: 'pipe',
      });
      const [out, err, status] = await Promise.all([
        new Response(child.stdout).text(),
        new Response(child.stderr).text(),
        child.exited,
      ]);
      expect({ status, said: status === 0 ? '' : out + err }).toEqual({ status: 0, said: '' });
    });
  }

  test('has a row in the table of examples', () => {
    const rows = readFileSync(join(examples, 'README.md'), 'utf8').matchAll(/^\| \[([a-z]+)\]/gm);
    const folders = readdirSync(examples, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect([...rows].map(([, name]) => name!).sort()).toEqual(folders.map(({ name }) => name).sort());
  });
});
