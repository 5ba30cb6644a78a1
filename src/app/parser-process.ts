/** The role of the parser process: parses strangers' mail until it is killed or no longer needed. */
import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { HEADER_RESCUE_BYTES } from '../platform/mail/bounds.ts';
import { readReport } from '../platform/mail/dsn.ts';
import { type ParsedMail, parseHeaders, parseMail, readAttachment } from '../platform/mail/parse.ts';
import type { ParsedContent, Quotable, RawSource } from '../platform/mail/parsed.ts';
import {
  decodeJob,
  encodeResult,
  type ParserJob,
  type ParserResult,
} from '../platform/mail/parser-protocol.ts';
import { openParent } from '../platform/process/parent.ts';

/** The fastest level: content is written once and rarely read. */
const ZSTD_LEVEL = 1;

/** Mails parsed concurrently: mailparser goes through the event loop several times for each. */
const AT_ONCE = 8;

const queue: ParserJob[] = [];
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

/** How many of the first jobs to run concurrently. A large mail runs alone because of its memory. */
function countTogether(jobs: readonly ParserJob[]): number {
  const large = jobs.slice(0, AT_ONCE).findIndex(({ raw }) => 'file' in raw);
  return large < 0 ? AT_ONCE : Math.max(1, large);
}

async function run(job: ParserJob): Promise<ParserResult> {
  try {
    if (job.want === 'headers') return packParsed(job.id, await parseHeaders(readHead(job.raw)));
    const bytes = readRawBytes(job.raw);
    if (job.want === 'attachment') return { id: job.id, attachment: await readAttachment(bytes, job.index) };
    if (job.want === 'report') return { id: job.id, report: readReport(bytes) };
    if (job.want === 'quotable') return { id: job.id, quotable: await loadQuotable(bytes) };
    if (job.want === 'safe_html') return { id: job.id, safe_html: await makeSafe(bytes, job.remoteImages) };
    return packParsed(job.id, await parseMail(bytes));
  } catch (fault) {
    return { id: job.id, fault: fault instanceof Error ? fault.message : String(fault) };
  }
}

function packParsed(id: number, { summary, content }: ParsedMail): ParserResult {
  const json = Buffer.from(JSON.stringify(content));
  return { id, summary, content: Bun.zstdCompressSync(json, { level: ZSTD_LEVEL }) };
}

/** Loaded on first use: few mails are forwarded. */
async function loadQuotable(content: Uint8Array): Promise<Quotable> {
  const { readQuotable } = await import('../platform/mail/quotable.ts');
  return readQuotable(
    JSON.parse(Bun.zstdDecompressSync(content as Uint8Array<ArrayBuffer>).toString()) as ParsedContent,
  );
}

/** The library is loaded on first use: when somebody opens a mail. */
async function makeSafe(html: Uint8Array, remoteImages: boolean): Promise<string> {
  const { safeHtml } = await import('../platform/mail/safe-html.ts');
  return safeHtml(new TextDecoder().decode(html), remoteImages);
}

function readRawBytes(raw: RawSource): Uint8Array {
  return 'file' in raw ? readFileSync(raw.file) : raw.bytes;
}

/** The part of a mail that can hold its headers; of a large file nothing more is read. */
function readHead(raw: RawSource): Uint8Array {
  if ('bytes' in raw) return raw.bytes;
  const head = Buffer.alloc(HEADER_RESCUE_BYTES);
  const file = openSync(raw.file, 'r');
  try {
    return head.subarray(0, readSync(file, head, 0, head.length, 0));
  } finally {
    closeSync(file);
  }
}
