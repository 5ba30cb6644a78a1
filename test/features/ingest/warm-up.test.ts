/** A capture warms its parser up with made-up mails before the first real one. */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ParserPool } from '../../../src/features/ingest/parser-pool.ts';
import { WARM_UP_ROUNDS, warmUpMails } from '../../../src/features/ingest/warm-up.ts';
import { silentLog } from '../../../src/platform/core/log.ts';
import { type Meters, silentMeters } from '../../../src/platform/core/meters.ts';
import { parseMail, readFast } from '../../../src/platform/mail/parse.ts';
import { temporaryFolder } from '../../doors/operator/folder.ts';

/** A pool whose parsers write down the subjects of what they read. */
function open(meters: Meters = silentMeters, program = join(import.meta.dir, 'odd-parser.ts')) {
  const folder = temporaryFolder();
  const file = join(folder.path, 'subjects');
  const command = [process.execPath, program, file];
  const pool = new ParserPool(command, silentLog, meters, null);
  const dispose = () => {
    pool.stop();
    folder[Symbol.dispose]();
  };
  return {
    pool,
    subjects: () => readFileSync(file, 'utf8').trim().split('\n'),
    [Symbol.dispose]: dispose,
  };
}

test('the made-up mails have the two common shapes, with a code and a link to find', async () => {
  const read = await Promise.all(warmUpMails.map((mail) => parseMail(mail)));
  expect(warmUpMails.map((mail) => readFast(mail) !== null)).toEqual([true, true]);
  expect(read.map(({ summary }) => summary)).toMatchObject([
    { otp: '482913', magic_link: expect.stringContaining('/verify?token='), has_html: true },
    { otp: null, magic_link: null, has_html: false },
  ]);
});

test('one process reads all made-up mails, and then the first real one', async () => {
  using opened = open();
  await opened.pool.warmUp();
  const pids = opened.pool.pids;
  await opened.pool.parse({ bytes: Buffer.from('Subject: real\r\n\r\nx\r\n') });
  expect(opened.pool.pids).toEqual(pids);
  expect(opened.subjects()).toHaveLength(WARM_UP_ROUNDS * warmUpMails.length + 1);
});

test('a real mail waits for at most one made-up mail, and ends the warm-up', async () => {
  using opened = open();
  const warmUp = opened.pool.warmUp();
  await opened.pool.parse({ bytes: Buffer.from('Subject: real\r\n\r\nx\r\n') });
  await warmUp;
  const subjects = opened.subjects();
  expect(subjects.indexOf('real')).toBeLessThanOrEqual(1);
  expect(subjects.length).toBeLessThanOrEqual(warmUpMails.length + 1);
});

test('a parser that can’t be started ends the warm-up at the first mail', async () => {
  let kills = 0;
  using opened = open({ ...silentMeters, count: () => void kills++ }, '/nowhere.ts');
  await opened.pool.warmUp();
  // In the lane, and alone.
  expect(kills).toBe(2);
});
