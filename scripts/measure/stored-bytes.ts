/** Measures the disk space that a mail takes, from the pages that its rows and indexes occupy. */
import { join } from 'node:path';
import { openFile } from '../../src/platform/store/database.ts';
import { type Report, shown } from './figures.ts';
import type { MailKind } from './mails.ts';
import { flood } from './processes.ts';
import { removeDataDir, startPostern } from './targets.ts';

/** The search indexes, which a job fills after a mail is stored. */
const SEARCH = /^(message_search|search_|sqlite_autoindex_search_)/;

const parts: [string, (name: string) => boolean][] = [
  ['raw mail and content', (name) => name === 'raw'],
  ['row of lists and filters', (name) => name === 'message'],
  ['its indexes', (name) => /^(message_|sqlite_autoindex_message|raw_)/.test(name)],
];

/** The words of the first kind of mail repeat, so that they compress to almost nothing, which few real mails do. */
const kinds: [string, MailKind][] = [
  ['5 KB plain', 'plain5k'],
  ['5 KB of English', 'english5k'],
];

export async function benchStoredBytes(report: Report, smoke: boolean): Promise<void> {
  const messages = smoke ? 200 : 10_000;
  report.section(`Stored bytes of a mail, after ${messages.toLocaleString('en-US')} of them`);
  for (const [title, mail] of smoke ? kinds.slice(0, 1) : kinds) {
    const pages = await fillAndMeasure(mail, messages);
    const sum = (isPart: (name: string) => boolean) =>
      [...pages].reduce((bytes, [name, more]) => bytes + (isPart(name) ? more : 0), 0) / messages;
    const isBefore = (name: string) => !SEARCH.test(name);
    const shares = parts.map(
      ([part, isPart]) => `${part} ${shown(sum((name) => isBefore(name) && isPart(name)))}`,
    );
    report.line(title, shares.join(', '));
    report.goal(`${title}, all but search`, sum(isBefore), 'bytes', { under: 2_400 });
  }
}

/** Returns how many bytes each table and index has grown since the store was empty. */
async function fillAndMeasure(mail: MailKind, messages: number): Promise<Map<string, number>> {
  const target = await startPostern();
  await target[Symbol.asyncDispose]();
  const empty = measurePages(target.dataDir);
  const { apiKey, inboxId } = target;
  const again = await startPostern(target.dataDir, { apiKey, inboxId });
  const { accepted } = await flood({
    port: again.smtpPort,
    recipient: again.recipient,
    mail,
    connections: 50,
    reuse: true,
    pipelining: true,
    messages,
    seconds: 60,
    warmUpS: 0,
  });
  await again[Symbol.asyncDispose]();
  if (accepted !== messages) throw new Error(`${accepted} of ${messages} mails were accepted`);
  const full = measurePages(target.dataDir);
  removeDataDir(target.dataDir);
  return new Map([...full].map(([name, bytes]) => [name, bytes - (empty.get(name) ?? 0)]));
}

function measurePages(dataDir: string): Map<string, number> {
  const database = openFile(join(dataDir, 'postern.db'));
  const rows = database.prepare('SELECT name, sum(pgsize) AS bytes FROM dbstat GROUP BY name').all();
  database.close();
  return new Map((rows as { name: string; bytes: number }[]).map(({ name, bytes }) => [name, bytes]));
}
