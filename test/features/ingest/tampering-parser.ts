/**
 * A parser process that a mail took over, on a system that can't confine it: changes the file of a large mail before it
 * answers.
 */
import {
  closeSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { decodeJob, encodeResult, type ReceivedSource } from '../../../src/platform/mail/parser-protocol.ts';
import { Channel } from '../../../src/platform/process/channel.ts';
import { type Frame, HEARTBEAT } from '../../../src/platform/process/frames.ts';
import { takePassedFile } from '../../../src/platform/process/parent.ts';
import { makeStorable } from '../../plain-mail.ts';

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

function findPath(raw: Exclude<ReceivedSource, { bytes: Uint8Array }>): string {
  if ('file' in raw) return raw.file;
  const file = takePassedFile();
  try {
    return readlinkSync(`/proc/self/fd/${file}`);
  } finally {
    closeSync(file);
  }
}

const onFrames = (frames: Frame[]) => {
  for (const { id, raw } of frames.map(decodeJob)) {
    const file = 'bytes' in raw ? null : findPath(raw);
    const bytes = 'bytes' in raw ? Buffer.from(raw.bytes) : readFileSync(file!);
    const subject = /^Subject: (.*)\r$/m.exec(bytes.toString('latin1'))?.[1] ?? '';
    if (file !== null) changes[subject]?.(file, bytes);
    parent.send([encodeResult({ id, ...makeStorable(subject) })]);
  }
};
const parent = new Channel(3, { onFrames, onEnd: () => process.exit(0) });
parent.send([HEARTBEAT]);
