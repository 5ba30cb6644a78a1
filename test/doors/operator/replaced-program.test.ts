import { expect, test } from 'bun:test';
import { chmodSync, copyFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sendMail } from '../../peers/smtp-client.ts';
import { program } from '../../program.ts';
import { environment, type Ready } from './command-process.ts';
import { temporaryFolder } from './folder.ts';

test.skipIf(process.platform !== 'linux')(
  'a server whose executable was replaced by an upgrade still parses mail with its own version',
  async () => {
    using folder = temporaryFolder();
    const [executable = '', ...rest] = program;
    const own = join(folder.path, 'postern');
    copyFileSync(executable, own);
    chmodSync(own, 0o755);
    const listen = ['--http-listen', '127.0.0.1:0', '--smtp-listen', '127.0.0.1:0'];
    const child = Bun.spawn([own, ...rest, 'capture', ...listen, '--json'], {
      env: environment({}),
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    });
    const { value } = await child.stdout.getReader().read();
    const ready = JSON.parse(new TextDecoder().decode(value)) as Ready;
    writeFileSync(`${own}.new`, '#!/bin/sh\nexit 1\n');
    chmodSync(`${own}.new`, 0o755);
    renameSync(`${own}.new`, own);
    const raw = 'From: a@a.test\r\nTo: b@b.test\r\nSubject: Sign in\r\n\r\nYour code is 493817.\r\n';
    await sendMail({ port: Number(ready.smtp.split(':').at(-1)), from: 'a@a.test', to: ['b@b.test'], raw });
    const answer = await fetch(`${ready.http}/api/v1/inboxes/b@b.test/messages/wait?since=0`);
    expect(await answer.json()).toMatchObject({ data: { status: 'parsed', otp: '493817' } });
    child.kill('SIGTERM');
    expect(await child.exited).toBe(0);
  },
);
