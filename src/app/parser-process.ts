/** The role of a parser process: parses strangers' mail until its parent ends or kills it. */
import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { readReason } from '../platform/core/thrown.ts';
import { HEADER_RESCUE_BYTES } from '../platform/mail/bounds.ts';
import type { MailFindings, MailToCheck } from '../platform/mail/checks/findings.ts';
import { readReport } from '../platform/mail/dsn.ts';
import { type ParsedMail, parseHeaders, parseMail, readAttachment } from '../platform/mail/parse.ts';
import type { FrameLook, ParsedContent, Quotable, QuoteLook, SafeHtml } from '../platform/mail/parsed.ts';
import {
  decodeJob,
  encodeResult,
  type ParserResult,
  type ReceivedJob,
  type ReceivedSource,
} from '../platform/mail/parser-protocol.ts';
import { encodeContent } from '../platform/mail/stored-mail.ts';
import { openParent, takePassedFile } from '../platform/process/parent.ts';

/** Mails to parse concurrently: mailparser takes several turns of the event loop for each. */
const AT_ONCE = 8;

const queue: ReceivedJob[] = [];
let working = false;

const parent = openParent((frames) => {
  queue.push(...frames.map(decodeJob));
  void work();
});

async function work(): Promise<void> {
  if (working) return;
  working = true;
  while (queue.length > 0) {
    const results = await Promise.all(queue.splice(0, countTogether(queue)).map(run));
    parent.send(results.map(encodeResult));
  }
  working = false;
}

/** Returns how many of the first jobs to run concurrently. A large mail runs alone, because of its memory. */
function countTogether(jobs: readonly ReceivedJob[]): number {
  const large = jobs.slice(0, AT_ONCE).findIndex(({ raw }) => !('bytes' in raw));
  return large < 0 ? AT_ONCE : Math.max(1, large);
}

async function run(job: ReceivedJob): Promise<ParserResult> {
  try {
    if (job.want === 'headers') {
      const head = readHeadBytes(job.raw);
      return packParsed(job.id, head.length, await parseHeaders(head));
    }
    const bytes = readMailBytes(job.raw);
    if (job.want === 'attachment') return { id: job.id, attachment: await readAttachment(bytes, job.index) };
    if (job.want === 'report') return { id: job.id, report: readReport(bytes) };
    if (job.want === 'quotable') return { id: job.id, quotable: await loadQuotable(bytes, job.look) };
    if (job.want === 'safeHtml') return { id: job.id, safeHtml: await makeSafe(bytes, job.look) };
    if (job.want === 'findings') return { id: job.id, findings: await findFaults(bytes) };
    return packParsed(job.id, bytes.length, await parseMail(bytes));
  } catch (fault) {
    return { id: job.id, fault: readReason(fault) };
  }
}

function packParsed(id: number, mailBytes: number, mail: ParsedMail): ParserResult {
  return { id, summary: mail.summary, ...encodeContent(mail.content, mail.ranges, mailBytes) };
}

/** Prepares a mail to be quoted. The code is loaded on first use, because few mails are forwarded. */
async function loadQuotable(json: Uint8Array, look: QuoteLook): Promise<Quotable> {
  const { readQuotable } = await import('../platform/mail/quotable.ts');
  return readQuotable(JSON.parse(new TextDecoder().decode(json)) as ParsedContent, look);
}

/** Makes HTML safe to show. The library is loaded on first use, when somebody opens a mail. */
async function makeSafe(html: Uint8Array, look: FrameLook): Promise<SafeHtml> {
  const { makeSafeHtml } = await import('../platform/mail/html/safe-html.ts');
  return makeSafeHtml(new TextDecoder().decode(html), look);
}

/** Checks a mail. The code is loaded on first use, with the table of what mail programs support. */
async function findFaults(json: Uint8Array): Promise<MailFindings> {
  const { checkMail } = await import('../platform/mail/checks/check.ts');
  return checkMail(JSON.parse(new TextDecoder().decode(json)) as MailToCheck);
}

function readMailBytes(raw: ReceivedSource): Uint8Array {
  return 'bytes' in raw ? raw.bytes : withFile(raw, (file) => readFileSync(file));
}

/** Reads the part of a mail that may have its headers. Nothing more of a large file is read. */
function readHeadBytes(raw: ReceivedSource): Uint8Array {
  if ('bytes' in raw) return raw.bytes;
  const head = Buffer.alloc(HEADER_RESCUE_BYTES);
  return withFile(raw, (file) => head.subarray(0, readSync(file, head, 0, head.length, 0)));
}

type ReceivedFile = Exclude<ReceivedSource, { bytes: Uint8Array }>;

function withFile<Result>(raw: ReceivedFile, read: (file: number) => Result): Result {
  const file = 'isPassed' in raw ? takePassedFile() : openSync(raw.file, 'r');
  try {
    return read(file);
  } finally {
    closeSync(file);
  }
}
