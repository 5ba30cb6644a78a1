/** A parser process that a mail took over: changes the file of a large mail before it answers. */
import { readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { decodeJob, encodeResult } from '../../../src/platform/mail/parser-protocol.ts';
import { openParent } from '../../../src/platform/process/parent.ts';
import { makeStorable } from './plain-mail.ts';

const changes: Record<string, (file: string, bytes: Buffer) => void> = {
  SHORTEN: (file, bytes) => truncateSync(file, bytes.length - 1),
  EMPTY: (file) => truncateSync(file, 0),
  LENGTHEN: (file) => writeFileSync(file, 'x', { flag: 'a' }),
  OVERWRITE: (file, bytes) => writeFileSync(file, bytes.fill('x', bytes.length - 9)),
  REPLACE(file, bytes) {
    writeFileSync(`${file}.new`, bytes.fill('y', bytes.length - 9));
    renameSync(`${file}.new`, file);
  },
  REMOVE: (file) => rmSync(file),
};

const parent = openParent((frames) => {
  for (const { id, raw } of frames.map(decodeJob)) {
    const bytes = 'file' in raw ? readFileSync(raw.file) : Buffer.from(raw.bytes);
    const subject = /^Subject: (.*)\r$/m.exec(bytes.toString('latin1'))?.[1] ?? '';
    if ('file' in raw) changes[subject]?.(raw.file, bytes);
    parent.send([encodeResult({ id, ...makeStorable(subject) })]);
  }
});
