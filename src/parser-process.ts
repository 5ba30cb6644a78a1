/** The role of the parser process: strangers' mails to parsed ones, until it is killed or no longer needed. */
import { readFileSync } from 'node:fs';
import { dieWithParent } from './die-with-parent.ts';
import { readReport } from './mail/dsn.ts';
import { parseHeaders, parseMail, readAttachment } from './mail/parse.ts';
import type { ParsedContent, Quotable, RawSource } from './mail/parsed.ts';
import type { ParserJob, ParserResult } from './mail/parser-protocol.ts';

/** Small and quick: the content is written once and read seldom. */
const ZSTD_LEVEL = 1;

/** Results sent in one message while more work waits: a message costs as much as a fifth of a small mail. */
const RESULTS_MAX = 8;

const queue: ParserJob[] = [];
let working = false;

process.on('message', (jobs: ParserJob[]) => {
  queue.push(...jobs);
  void work();
});
// The appliance is gone: nobody is left to parse for.
process.on('disconnect', () => process.exit(0));
dieWithParent();

async function work(): Promise<void> {
  if (working) return;
  working = true;
  let results: ParserResult[] = [];
  for (let job = queue.shift(); job; job = queue.shift()) {
    results.push(await run(job));
    if (queue.length > 0 && results.length < RESULTS_MAX) continue;
    process.send!(results);
    results = [];
  }
  working = false;
}

async function run(job: ParserJob): Promise<ParserResult> {
  try {
    const bytes = bytesOf(job.raw);
    if (job.want === 'attachment') return { id: job.id, attachment: await readAttachment(bytes, job.index) };
    if (job.want === 'report') return { id: job.id, report: readReport(bytes) };
    if (job.want === 'quotable') return { id: job.id, quotable: await quotableOf(bytes) };
    if (job.want === 'safe_html') return { id: job.id, safe_html: await madeSafe(bytes, job.remote_images) };
    const { summary, content } = await (job.want === 'headers' ? parseHeaders(bytes) : parseMail(bytes));
    return {
      id: job.id,
      summary,
      content: Bun.zstdCompressSync(Buffer.from(JSON.stringify(content)), { level: ZSTD_LEVEL }),
    };
  } catch (fault) {
    return { id: job.id, fault: fault instanceof Error ? fault.message : String(fault) };
  }
}

/** Loaded when first needed: few mails are forwarded. */
async function quotableOf(content: Uint8Array): Promise<Quotable> {
  const { readQuotable } = await import('./mail/quotable.ts');
  return readQuotable(
    JSON.parse(Bun.zstdDecompressSync(content as Uint8Array<ArrayBuffer>).toString()) as ParsedContent,
  );
}

/** Its library is loaded when somebody first looks at a mail. */
async function madeSafe(html: Uint8Array, remote_images: boolean): Promise<string> {
  const { safeHtml } = await import('./mail/safe-html.ts');
  return safeHtml(new TextDecoder().decode(html), remote_images);
}

function bytesOf(raw: RawSource): Uint8Array {
  return 'file' in raw ? readFileSync(raw.file) : raw.bytes;
}
