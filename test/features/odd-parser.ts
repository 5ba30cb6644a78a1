/** A parser process that does what hostile mails make a parser do: told by a word in the mail, for the whole mail only. */
import { readFileSync } from 'node:fs';
import { parseHeaders, parseMail } from '../../src/mail/parse.ts';
import type { ParserJob } from '../../src/mail/parser-protocol.ts';

const eaten: Uint8Array[] = [];

let last = Promise.resolve();

// One after the other: answers come in the order of the jobs.
process.on('message', (jobs: ParserJob[]) => {
  for (const job of jobs) last = last.then(() => run(job));
});
process.on('disconnect', () => process.exit(0));

async function run(job: ParserJob): Promise<void> {
  const bytes = 'bytes' in job.raw ? job.raw.bytes : readFileSync(job.raw.file);
  const text = Buffer.from(bytes).toString('latin1');
  const is_whole = job.want !== 'headers';
  if (is_whole && text.includes('HANG')) for (;;);
  if (is_whole && text.includes('EAT')) for (;;) eaten.push(new Uint8Array(32 * 1024 * 1024).fill(1));
  if (is_whole && text.includes('CRASH')) process.exit(3);
  if (text.includes('NEVER')) process.exit(4);
  const { summary, content } = await (is_whole ? parseMail(bytes) : parseHeaders(bytes));
  process.send!([
    { id: job.id, summary, content: Bun.zstdCompressSync(Buffer.from(JSON.stringify(content))) },
  ]);
}
