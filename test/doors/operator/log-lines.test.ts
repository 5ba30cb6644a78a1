/** A log that nobody reads, or that can't be written, does not keep a server from working or stopping. */
import { describe, expect, test } from 'bun:test';
import { constants, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { gatherLines } from '../../../src/doors/operator/log-lines.ts';
import { nextTurn } from '../../../src/platform/core/next-turn.ts';
import { program } from '../../program.ts';
import { environment } from './command-process.ts';
import { temporaryFolder } from './folder.ts';

/** A pipe whose reader pauses and continues. */
class Pipe extends Writable {
  taken = '';
  private waiting: (() => void) | null = null;
  private isRead = true;

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    const take = () => {
      this.taken += chunk.toString();
      done();
    };
    if (this.isRead) take();
    else this.waiting = take;
  }

  setRead(isRead: boolean): void {
    this.isRead = isRead;
    if (isRead) this.waiting?.();
    this.waiting = null;
  }
}

test('lines that nobody reads are bounded, and the number of dropped ones is logged once somebody reads again', async () => {
  const pipe = new Pipe();
  let write = (_line: string) => {};
  write = gatherLines(pipe, (count) => write(`${count} left out\n`));
  write('first\n');
  await nextTurn();
  expect(pipe.taken).toBe('first\n');
  pipe.setRead(false);
  const line = `${'x'.repeat(1023)}\n`;
  write(line);
  await nextTurn();
  // One is on its way; of the others, 1 MiB waits.
  for (let count = 0; count < 5 * 1024; count++) write(line);
  pipe.setRead(true);
  for (let turn = 0; turn < 10; turn++) await nextTurn();
  write('last\n');
  for (let turn = 0; turn < 10; turn++) await nextTurn();
  const lines = pipe.taken.split('\n');
  expect(lines.filter((one) => one.startsWith('x'))).toHaveLength(1 + 1024);
  expect(lines.filter((one) => !one.startsWith('x'))).toEqual(['first', `${4 * 1024} left out`, 'last', '']);
});

describe.skipIf(process.platform !== 'linux' || !Bun.which('mkfifo'))('a server', () => {
  test('stops although nobody reads its log', async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'log');
    Bun.spawnSync(['mkfifo', path]);
    const pipe = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
    const listen = ['--http-listen', '127.0.0.1:0', '--smtp-listen', '127.0.0.1:0'];
    const child = Bun.spawn([...program, 'serve', ...listen, '--data-dir', join(folder.path, 'data')], {
      env: environment({}),
      stdio: ['ignore', pipe, pipe],
    });
    let seen = '';
    while (!seen.includes('"ready"')) {
      seen += readPipe(pipe);
      await Bun.sleep(10);
    }
    fillPipe(pipe);
    child.kill('SIGTERM');
    expect(await child.exited).toBe(0);
  }, 20_000);
});

function readPipe(pipe: number): string {
  const bytes = Buffer.alloc(65_536);
  try {
    return bytes.toString('utf8', 0, readSync(pipe, bytes));
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code === 'EAGAIN') return '';
    throw fault;
  }
}

function fillPipe(pipe: number): void {
  try {
    for (;;) writeSync(pipe, Buffer.alloc(4096));
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code !== 'EAGAIN') throw fault;
  }
}
