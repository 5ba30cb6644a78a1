/** Reads mails with known codes and links: external ones, from outside the repository, and our own. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { MailParts } from '../../src/platform/mail/extract/reading.ts';
import { parseMail } from '../../src/platform/mail/parse.ts';

export interface LabelledMail extends MailParts {
  name: string;
  /** The origin of its template. Mails of one source are never on both sides of a split. */
  source: string;
  language: string;
  otp: string | null;
  magic_link: string | null;
  otp_also: string[];
  magic_link_also: string[];
  /** Fields that are not scored. */
  uncertain: string[];
}

const root = resolve(import.meta.dir, '../..');
/** A folder beside the repository, and not in it, because the mails have their own licences. */
const outside = join(root, '../shared/corpus');
const OUTSIDE_SETS = ['transactional', 'transactional-2'];

/** The external labelled mails; undefined when they are missing. */
export async function readOutsideMails(): Promise<LabelledMail[] | undefined> {
  const sets = OUTSIDE_SETS.map((name) => join(outside, name));
  if (!sets.every((set) => existsSync(join(set, 'labels.jsonl')))) return;
  return (await Promise.all(sets.map(readSet))).flat();
}

async function readSet(set: string): Promise<LabelledMail[]> {
  const labels = join(set, 'labels.jsonl');
  const mails: LabelledMail[] = [];
  for (const line of readFileSync(labels, 'utf8').trim().split('\n')) {
    const label = JSON.parse(line) as LabelledMail & { file: string };
    const { summary, content } = await parseMail(readFileSync(join(set, label.file)));
    const { from, subject } = summary;
    const { text, html } = content;
    // By project, because its templates are similar: a split by file would make the result look better.
    const source = label.source.split(':')[0]!;
    const language = label.language.split('-')[0]!;
    mails.push({ ...label, name: label.file, source, language, from, subject, text, html });
  }
  return mails;
}

/** Returns odd and malformed mails, for which nothing is expected; empty if they are missing. */
export async function readRobustMails(): Promise<MailParts[]> {
  const folder = join(outside, 'robust');
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder);
  return Promise.all(
    names.map(async (name) => {
      const { summary, content } = await parseMail(readFileSync(join(folder, name)));
      return { subject: summary.subject, from: summary.from, text: content.text, html: content.html };
    }),
  );
}

/** Normalises a code: `123-456` and `123456` are the same, and `G-123456` is typed as `123456` (docs/decisions.md). */
export function isSameCode(found: string | null, mail: Pick<LabelledMail, 'otp' | 'otp_also'>): boolean {
  if (found === null || mail.otp === null) return found === mail.otp;
  const normalizeCode = (code: string) => code.replace(/^[A-Z]-(?=\d{4,8}$)/, '').replace(/[\s-]/g, '');
  return [mail.otp, ...mail.otp_also].some((code) => normalizeCode(code) === normalizeCode(found));
}

export function isSameLink(
  found: string | null,
  mail: Pick<LabelledMail, 'magic_link' | 'magic_link_also'>,
): boolean {
  return found === mail.magic_link || (found !== null && mail.magic_link_also.includes(found));
}
