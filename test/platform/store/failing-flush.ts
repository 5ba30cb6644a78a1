/** A thread of a store whose disk fails with a commit, and then with every flush (rewrite-log.test.ts). */
import type NodeFs from 'node:fs';
import { createRequire } from 'node:module';

declare const self: Worker;

// Patched before the code under test imports it (test/peers/power-cut.ts).
const fs = createRequire(import.meta.url)('node:fs') as typeof NodeFs;
const flush = fs.fsyncSync;
let isFailing = false;
fs.fsyncSync = (descriptor) => {
  if (isFailing) throw Object.assign(new Error('EIO: i/o error, fsync'), { code: 'EIO' });
  flush(descriptor);
};

self.onmessage = async ({ data: file }: MessageEvent<string>) => {
  const { Writer } = await import('../../../src/platform/store/group-commit.ts');
  const { writeOp } = await import('../../../src/platform/store/operation.ts');
  const add = writeOp('add', (tx) => {
    tx.sql("INSERT INTO job_run (name, last_at) VALUES ('one', 1)").run();
    return null;
  });
  const fail = writeOp('fail', () => {
    isFailing = true;
    throw Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_FSYNC' });
  });
  const writer = new Writer(file, [add, fail]);
  const answers = [add, fail].map(({ name }, id) =>
    writer.commitGroup([{ id, name, input: null, nowUs: 0 }]),
  );
  writer.close();
  self.postMessage(answers.flat());
};
