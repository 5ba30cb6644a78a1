/** Chooses the HTML mails that `scripts/screenshots compare` renders: always the same, of every source in the corpora. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseMail, readAttachment } from '../../src/platform/mail/parse.ts';
import type { ParsedContent } from '../../src/platform/mail/parsed.ts';
import { ownMails } from '../../test/corpus/extraction/mails.ts';

const outside = join(import.meta.dir, '../../../shared/corpus');

/** The number of mails from each corpus. */
const SHARES = { 'transactional/eml': 17, 'transactional-2/eml': 14, robust: 17, own: 12 };
/** In less HTML, there is nothing to get wrong. */
const HTML_CHARS_MIN = 150;

export interface HtmlMail {
  name: string;
  raw: Uint8Array;
  html: string;
  attachments: ParsedContent['attachments'];
}

export const haveCorpora = () =>
  Object.keys(SHARES).every((name) => name === 'own' || existsSync(join(outside, name)));

export async function chooseMails(): Promise<HtmlMail[]> {
  const chosen: HtmlMail[] = [];
  for (const [corpus, share] of Object.entries(SHARES)) {
    const files = corpus === 'own' ? composeOwn() : listFiles(corpus);
    chosen.push(...(await takeVaried(files, share)));
  }
  return chosen;
}

interface Candidate {
  name: string;
  /** One sender, project or template family. */
  source: string;
  read: () => Uint8Array;
}

function listFiles(corpus: string): Candidate[] {
  return readdirSync(join(outside, corpus)).map((file) => ({
    name: `${corpus.split('/')[0]}/${file}`,
    source: file.split('__')[0]!,
    read: () => readFileSync(join(outside, corpus, file)),
  }));
}

function composeOwn(): Candidate[] {
  return (['held', 'more', 'software', 'judge'] as const)
    .flatMap((set) => ownMails(set).map((mail) => ({ ...mail, set })))
    .filter(({ html }) => html !== '')
    .map(({ set, html, language, subject }, index) => ({
      name: `own/${set}-${index}-${language}`,
      source: `${set}-${language}`,
      read: () =>
        Buffer.from(
          `Subject: ${subject}\r\nMIME-Version: 1.0\r\nContent-Type: text/html; charset=utf-8\r\n\r\n${html}\r\n`,
        ),
    }));
}

/** Takes one mail of each source in turn, in an order that depends only on their names, and no two with the same tags. */
async function takeVaried(candidates: Candidate[], share: number): Promise<HtmlMail[]> {
  const bySource = Map.groupBy(
    candidates.sort((a, b) => Number(Bun.hash(a.name) - Bun.hash(b.name)) || (a.name < b.name ? -1 : 1)),
    ({ source }) => source,
  );
  const queues = [...bySource.values()];
  const taken: HtmlMail[] = [];
  const shapes = new Set<string>();
  while (taken.length < share && queues.some(({ length }) => length > 0)) {
    for (const queue of queues) {
      for (let next = queue.shift(); next && taken.length < share; next = queue.shift()) {
        const mail = await readHtml(next);
        const shape = mail?.html.match(/<[a-z][a-z0-9]*/gi)?.join('') ?? '';
        if (!mail || mail.html.length < HTML_CHARS_MIN || shapes.has(shape)) continue;
        shapes.add(shape);
        taken.push(mail);
        break;
      }
    }
  }
  return taken;
}

async function readHtml({ name, read }: Candidate): Promise<HtmlMail | null> {
  const raw = read();
  const { content } = await parseMail(raw).catch(() => ({ content: null }));
  return content?.html ? { name, raw, html: content.html, attachments: content.attachments } : null;
}

/** Returns the HTML with its own pictures in it, as a browser would show it. */
export async function withOwnPictures({ raw, html, attachments }: HtmlMail): Promise<string> {
  let shown = html;
  for (const { content_id, content_type, index } of attachments) {
    if (!content_id || !content_type.startsWith('image/')) continue;
    const bytes = await readAttachment(raw, index);
    if (!bytes) continue;
    const address = `data:${content_type};base64,${Buffer.from(bytes).toString('base64')}`;
    shown = shown.replaceAll(`cid:${content_id.replace(/^<|>$/g, '')}`, () => address);
  }
  return shown;
}
