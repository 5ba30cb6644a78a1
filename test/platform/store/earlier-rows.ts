/**
 * Rows for the tables that a migration adds or changes (test/platform/store/rows), as the programs of that time wrote them: every table has some, with
 * NULLs, the longest values, other scripts, times far away, and work that is half done. What SQL can't write is in temporary tables:
 * mail in zstd frames, sealed secrets, the numbers of Message-IDs.
 */
import type { Database } from 'bun:sqlite';
import { generateKeyPairSync } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sealTotpSecret } from '../../../src/features/accounts/second-factor/totp.ts';
import { sealDkimKey } from '../../../src/features/domains/dkim-key.ts';
import {
  formatIndexText,
  markInbox,
  markSender,
  splitTrigrams,
} from '../../../src/features/messages/search-text.ts';
import { hashSecret } from '../../../src/platform/core/id.ts';
import type { ServerKey } from '../../../src/platform/core/sealed.ts';
import { makeRef } from '../../../src/platform/mail/message-ids.ts';

/** Adds the rows of a migration, by its number of four digits. */
export function addRows(store: Database, number: string): void {
  const file = join(import.meta.dir, 'rows', `${number}.sql`);
  if (existsSync(file)) store.run(readFileSync(file, 'utf8'));
}

const HTML = '<p>Größe <a href="https://app.example/magic?token=abc">Sign in</a></p>';
const IN_BYTES = 'In the bytes of a mail';
const formatHead = (subject: string, more = '') =>
  `From: x@example.org\r\n${more}Subject: ${subject}\r\n\r\n`;

/** Of Bob, a member of account 1; since schema 6. */
export const sessionToken = 's'.repeat(43);
/** Of Bob's authenticator app; since schema 26. */
export const totpSecret = new Uint8Array(20).fill(1);

interface EarlierMail {
  raw: string;
  content: object;
}

/** By the number in `raw`. */
export const earlierMails: Record<number, EarlierMail> = {
  11: {
    raw: `${formatHead('=?utf-8?Q?Gr=C3=B6=C3=9Fe?=', 'Message-ID: <t1@shop.example>\r\nContent-Type: text/html; charset=utf-8\r\n')}${HTML}\r\n`,
    content: {
      message_id: '<t1@shop.example>',
      reply_to: 'desk@shop.example',
      text: 'Größe Sign in',
      html: HTML,
    },
  },
  12: {
    raw: `${formatHead('Re', 'Message-ID: <t2@example.org>\r\nIn-Reply-To: <t1@shop.example>\r\nReferences: <t1@shop.example>\r\n')}001234\r\n`,
    content: {
      message_id: '<t2@example.org>',
      sent_at: '1970-01-01T00:00:00.000000Z',
      text: '001234',
      otp_context: '001234',
      otp_candidates: [{ code: '001234', confidence: 0.125, context: '001234' }],
    },
  },
  13: {
    raw: `${formatHead('large', 'Content-Type: application/octet-stream; name=x.bin\r\n')}${'0123456789abcdef\r\n'.repeat(20_000)}`,
    content: {
      attachments: [
        {
          index: 0,
          filename: 'grün.bin',
          content_type: 'application/octet-stream',
          size: 360_000,
          content_id: null,
          inline: false,
        },
      ],
      truncated: true,
    },
  },
  14: { raw: '', content: {} },
  15: { raw: `${formatHead('In a deleted inbox')}x\r\n`, content: { text: 'x' } },
  16: { raw: `${formatHead('Of a suspended account')}y\r\n`, content: { text: 'y' } },
  21: { raw: `${formatHead('A text in the bytes')}${IN_BYTES}\r\n`, content: { text: IN_BYTES } },
};

const plainContent = {
  message_id: null,
  reply_to: null,
  sent_at: null,
  text: '',
  html: '',
  otp_context: null,
  otp_candidates: [],
  attachments: [],
  truncated: false,
};

const messageIds = [
  ...['<t1@shop.example>', '<5@xn--bcher-kva.example>'],
  ...[1, 2, 3, 4, 6].map((no) => `<${no}@shop.example>`),
];

/** Creates the temporary tables that the rows read. */
export function offerBlobs(store: Database, key: ServerKey): void {
  store.run(
    `CREATE TEMP TABLE mail (no INTEGER PRIMARY KEY, size INTEGER, content BLOB, bytes BLOB, both BLOB, json_size INTEGER);
     CREATE TEMP TABLE piece (raw_no INTEGER, part INTEGER, bytes BLOB);
     CREATE TEMP TABLE secret (name TEXT, bytes BLOB);
     CREATE TEMP TABLE dkim (public_key TEXT, private_key BLOB);
     CREATE TEMP TABLE reference (id TEXT, ref INTEGER);
     CREATE TEMP TABLE indexed (inbox TEXT, subject TEXT, sender TEXT);
     CREATE TEMP TABLE indexed_term (term TEXT)`,
  );
  for (const [no, mail] of Object.entries(earlierMails)) offerMail(store, Number(no), mail);
  // A mail that was begun and never ended.
  store.run(
    "INSERT INTO mail (no, size, content, bytes, both, json_size) VALUES (17, 0, x'', NULL, NULL, 0)",
  );
  const { raw } = earlierMails[13]!;
  for (const [part, text] of [raw.slice(0, 200_000), raw.slice(200_000)].entries())
    store.run('INSERT INTO piece (raw_no, part, bytes) VALUES (13, ?, ?)', [part, packed(text)]);
  const offer = (name: string, bytes: Uint8Array) =>
    store.run('INSERT INTO secret (name, bytes) VALUES (?, ?)', [name, bytes]);
  const seal = (name: string, secret: string, context: string) => offer(name, key.seal(secret, context));
  seal('webhook', 'whsec_kept', 'webhook secret inbox_00000000000000000000000000000002');
  seal('previous webhook', 'whsec_before', 'webhook secret inbox_00000000000000000000000000000002');
  seal('account webhook', 'whsec_account', 'webhook secret hook_00000000000000000000000000000011');
  offer('session', hashSecret(sessionToken));
  offer('totp', sealTotpSecret(key, 'bob@example.org', totpSecret));
  const dkim = sealDkimKey(key, 'dom_00000000000000000000000000000002', makeSmallPair());
  store.run('INSERT INTO dkim (public_key, private_key) VALUES (?, ?)', [dkim.public_key, dkim.private_key]);
  for (const id of messageIds) store.run('INSERT INTO reference (id, ref) VALUES (?, ?)', [id, makeRef(id)]);
  offerIndexed(store, 'Größe 漢字 👩‍🚀 invoice', 'Ann Shop <ann@shop.example>');
}

/** Half the usual size: encrypted bytes can't be compressed. */
const makeSmallPair = () =>
  generateKeyPairSync('rsa', {
    modulusLength: 1024,
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'der' },
  });

function offerMail(store: Database, no: number, { raw, content }: EarlierMail): void {
  const json = JSON.stringify({ ...plainContent, ...content });
  const begin = raw.indexOf(IN_BYTES);
  const shared =
    no === 21
      ? JSON.stringify({ ...plainContent, text: undefined, text_range: [begin, begin + IN_BYTES.length] })
      : json;
  store.run('INSERT INTO mail (no, size, content, bytes, both, json_size) VALUES (?, ?, ?, ?, ?, ?)', [
    ...[no, Buffer.byteLength(raw), packed(json), packed(raw), packed(shared + raw)],
    Buffer.byteLength(shared),
  ]);
}

function offerIndexed(store: Database, subject: string, sender: string): void {
  const texts = [formatIndexText(subject), markSender(formatIndexText(sender))];
  store.run('INSERT INTO indexed (inbox, subject, sender) VALUES (?, ?, ?)', [markInbox(1), ...texts]);
  for (const term of new Set(texts.flatMap(splitTrigrams)))
    store.run('INSERT INTO indexed_term (term) VALUES (?)', [term]);
}

export function packed(text: string): Uint8Array {
  return Bun.zstdCompressSync(Buffer.from(text));
}
