/**
 * A parser process that behaves as if it hit a hostile mail, chosen by a word in the mail, when it is to read the
 * whole mail. Otherwise it only reads the subject: mailparser would make each start take four times as long, and
 * every suspect starts a process. Writes the subjects of its mails into a file if it is given one.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import {
  decodeJob,
  encodeResult,
  type ParserResult,
  type ReceivedJob,
} from '../../../src/platform/mail/parser-protocol.ts';
import { openParent, takePassedFile } from '../../../src/platform/process/parent.ts';
import { makeStorable } from '../../plain-mail.ts';

const [, , subjects] = process.argv;
const eaten: Uint8Array[] = [];

const parent = openParent((frames) => {
  for (const frame of frames) run(decodeJob(frame));
});
const answer = (result: ParserResult) => parent.send([encodeResult(result)]);

function run(job: ReceivedJob): void {
  const { raw } = job;
  const bytes = 'bytes' in raw ? raw.bytes : readFileSync('file' in raw ? raw.file : takePassedFile());
  const text = Buffer.from(bytes).toString('latin1');
  const isWhole = job.want !== 'headers';
  if (isWhole && text.includes('HANG')) for (;;);
  if (isWhole && text.includes('EAT')) for (;;) eaten.push(new Uint8Array(32 * 1024 * 1024).fill(1));
  if (isWhole && text.includes('CRASH')) process.exit(3);
  if (text.includes('NEVER')) process.exit(4);
  if (job.want === 'safeHtml') {
    answer({ id: job.id, safeHtml: { doctype: '', html: text, removed: {}, hasDark: false } });
    return;
  }
  const subject = /^Subject: (.*)\r$/m.exec(text)?.[1] ?? '';
  if (subjects) appendFileSync(subjects, `${subject}\n`);
  const mail = makeStorable(subject);
  mail.summary = {
    ...mail.summary,
    status: isWhole ? 'parsed' : 'failed',
    from: 'Ann Sender <ann@example.org>',
  };
  answer({ id: job.id, ...mail });
}
