/** The fast lane returns what mailparser returns, and handles most mail. */
import { describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type MailRange, readRange } from '../../../../src/platform/mail/mail-range.ts';
import { parseMail, parseSlowly, readFast } from '../../../../src/platform/mail/parse.ts';
import { ownMails } from '../../../corpus/extraction/mails.ts';
import { makeVariant, seeded } from './mail-variants.ts';

/** Exists next to the repository on the developers' machines only. */
const shared = join(import.meta.dir, '../../../../../shared/corpus');
const folders = ['transactional/eml', 'transactional-2/eml', 'robust'].filter((name) =>
  existsSync(join(shared, name)),
);
if (folders.length < 3)
  console.warn('the corpora are not here: the fast lane is compared on our own mails only');

/** To try more of them: FAST_LANE_VARIANTS=100000 scripts/test test/platform/mail/mime/fast-lane.test.ts */
const VARIANTS = Number(process.env.FAST_LANE_VARIANTS ?? 2_500);

const readFolder = (name: string) =>
  readdirSync(join(shared, name)).map((file) => readFileSync(join(shared, name, file)));

/** A mail as a mailer writes it: encoded in one of the usual ways, alone or as an alternative. */
function compose(
  { subject, from, text, html }: { subject: string; from: string; text: string; html: string },
  seed: number,
) {
  const pick = seeded(seed);
  const part = (type: string, body: string) => {
    const bytes = Buffer.from(body.replace(/\r?\n/g, '\r\n'));
    const [name, encoded] = [
      ['8bit', bytes.toString('latin1')],
      ['base64', bytes.toString('base64').replace(/.{76}/g, '$&\r\n')],
      ['quoted-printable', toQuoted(bytes)],
    ][pick(3)]!;
    return `Content-Type: ${type}; charset=utf-8\r\nContent-Transfer-Encoding: ${name}\r\n\r\n${encoded}`;
  };
  const head = `From: ${from || 'a@b.example'}\r\nTo: ann@example.com\r\nSubject: ${subject}\r\nMIME-Version: 1.0\r\n`;
  if (!html || !text)
    return Buffer.from(`${head}${html ? part('text/html', html) : part('text/plain', text)}\r\n`, 'latin1');
  const kind = ['alternative', 'alternative', 'mixed', 'related'][pick(4)];
  const parts = [part('text/plain', text), part('text/html', html)];
  const open = `Content-Type: multipart/${kind}; boundary="==b${seed}"\r\n\r\n`;
  const body = parts.map((one) => `--==b${seed}\r\n${one}\r\n`).join('');
  return Buffer.from(`${head}${open}${body}--==b${seed}--\r\n`, 'latin1');
}

function toQuoted(bytes: Buffer): string {
  return bytes
    .toString('latin1')
    .replace(
      /[^\x20-\x3c\x3e-\x7e\r\n]/g,
      (char) => `=${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
    )
    .replace(/[^\r\n]{70}(?=[^\r\n])/g, (line) => (/=.?$/.test(line) ? line : `${line}=\r\n`));
}

const texts = (['fit', 'held', 'more', 'software'] as const).flatMap((set) => ownMails(set));
const own = texts.map(compose);

/** Some of our mails, with their text repeated. */
const large = texts
  .filter((_, index) => index % 12 === 0)
  .map(({ text, html, ...fields }, seed) => {
    const chars = 20_000 + seeded(seed)(50_000);
    const repeat = (body: string) => body.repeat(Math.ceil(chars / (body.length + 1)));
    return compose({ ...fields, text: repeat(`${text}\n`), html: repeat(html) }, seed);
  });

/** Parses mails in both lanes, and returns the first few that differ and how many the fast lane read. */
async function compare(
  mails: Iterable<[string, Uint8Array]>,
): Promise<{ taken: number; differing: string[] }> {
  let taken = 0;
  const differing: string[] = [];
  for (const [name, mail] of mails) {
    if (!readFast(mail)) continue;
    taken += 1;
    const [{ ranges, ...fast }, slow] = await Promise.all([parseMail(mail), parseSlowly(mail)]);
    const { text, html } = fast.content;
    const bytes = Buffer.from(mail);
    const isThere = (range: MailRange | null | undefined, whole: string) =>
      !range || readRange(bytes, range) === whole;
    const isSame = JSON.stringify(fast) === JSON.stringify(slow);
    if (!isSame || !isThere(ranges?.text, text) || !isThere(ranges?.html, html)) differing.push(name);
  }
  return { taken, differing: differing.slice(0, 5) };
}

function* inBothForms(mails: readonly Buffer[], name: string): Generator<[string, Buffer]> {
  for (const [index, mail] of mails.entries()) {
    const text = mail.toString('latin1');
    yield [`${name} ${index}, LF`, Buffer.from(text.replace(/\r\n/g, '\n'), 'latin1')];
    yield [`${name} ${index}, CRLF`, Buffer.from(text.replace(/\r?\n/g, '\r\n'), 'latin1')];
  }
}

function* variants(mails: readonly Buffer[], count = VARIANTS): Generator<[string, Buffer]> {
  for (let seed = 1; seed <= count; seed++)
    yield [`seed ${seed}`, makeVariant(mails[seeded(seed)(mails.length)]!, seed)];
}

describe('mail that the fast lane accepts', () => {
  test('is read as mailparser reads it: our own mails, in LF and CRLF', async () => {
    const { taken, differing } = await compare(inBothForms(own, 'own'));
    expect(differing).toEqual([]);
    expect(taken / own.length / 2).toBeGreaterThan(0.98);
  });

  test('is read as mailparser reads it: large mails, and variants of them', async () => {
    const forms = await compare(inBothForms(large, 'large'));
    const changed = await compare(variants(large, VARIANTS / 10));
    expect([...forms.differing, ...changed.differing]).toEqual([]);
    expect(forms.taken / large.length / 2).toBeGreaterThan(0.8);
  }, 3_600_000);

  test.each(folders)(
    'is read as mailparser reads it: %s, in LF and CRLF',
    async (name) => {
      const mails = readFolder(name);
      const { taken, differing } = await compare(inBothForms(mails, name));
      expect(differing).toEqual([]);
      expect(taken / mails.length / 2).toBeGreaterThan(name === 'robust' ? 0.4 : 0.85);
    },
    60_000,
  );

  test(`is read as mailparser reads it: ${VARIANTS} variants`, async () => {
    const mails = [...own, ...folders.flatMap(readFolder)].filter(({ length }) => length < 200_000);
    const { taken, differing } = await compare(variants(mails));
    expect(differing).toEqual([]);
    expect(taken / VARIANTS).toBeGreaterThan(0.25);
  }, 3_600_000);
});
