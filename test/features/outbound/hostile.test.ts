/** Replies to whatever a stranger sends: never a fault, and never a header or recipient that the stranger made up. */
import { expect, test } from 'bun:test';
import * as fc from 'fast-check';
import { readReplyRecipients } from '../../../src/features/outbound/reply-recipients.ts';
import { Failure } from '../../../src/platform/core/failure.ts';
import { compose } from '../../../src/platform/mail/compose.ts';
import { readMailbox } from '../../../src/platform/mail/mailbox.ts';
import { parseMail } from '../../../src/platform/mail/parse.ts';
import { readQuotable } from '../../../src/platform/mail/quotable.ts';
import { composeForwardBodies } from '../../../src/platform/mail/quote.ts';
import { makeForwardSubject, makeReplySubject, makeThreading } from '../../../src/platform/mail/thread.ts';

const hex = (text: string) =>
  [...Buffer.from(text)].map((byte) => `=${byte.toString(16).padStart(2, '0')}`).join('');
const word = (text: string) => `=?utf-8?Q?${hex(text)}?=`;

const piece = fc.oneof(
  fc.constantFrom(
    'Ann',
    ' ',
    '<',
    '>',
    '"',
    '\\',
    ',',
    ';',
    ':',
    '@',
    '(',
    ')',
    '\r\n ',
    '\t',
    'ü',
    '\u0000',
    '\u0085',
    '.',
    'a@x.example',
    '<b@x.example>',
    '"c" <c@x.example>',
    'Team: a@x.example;',
    '<1@x.example>',
    '<2@y>',
    'Re:',
    ...[word('\r\nBcc: evil@x.example'), word('<evil@x.example>'), word('\u202e\u2028'), '=?utf-8?B?', '?='],
    ...['Fwd: Re:', '<script>', '</blockquote>', '&amp;', '=?x?Q?=00?=', 'a@b', '[192.0.2.1]', 'ä@ü.example'],
  ),
  fc.string({ maxLength: 5 }),
);
// Excludes line breaks: they would start another header of the same mail.
const value = fc
  .array(piece, { maxLength: 12 })
  .map((list) => list.join('').replace(/\r\n(?! )|\r(?!\n)|(?<!\r)\n/g, ' '));
const names = ['From', 'Reply-To', 'To', 'Cc', 'Subject', 'Message-ID', 'References'];
const mail = fc.record({
  headers: fc.array(fc.tuple(fc.constantFrom(...names), value), { maxLength: 9 }),
  body: value,
  is_html: fc.boolean(),
});

const HEADER =
  /^(From|To|Cc|Subject|In-Reply-To|References|Message-ID|Date|MIME-Version|Content-[A-Za-z-]+): /;
const own = readMailbox('desk@shop.example');

/** The header section of an email with this much text from a stranger in it. */
async function readHead(
  draft: Pick<Parameters<typeof compose>[0], 'to' | 'cc' | 'subject' | 'threading' | 'text' | 'html'>,
) {
  const mime = Buffer.concat(
    await Array.fromAsync(
      compose(
        { ...draft, attachments: [], from: own, reply_to: null, message_id: '<1@shop.example>', nowUs: 0 },
        1024,
      ),
    ),
  ).toString('latin1');
  expect(mime.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
  return mime.slice(0, mime.indexOf('\r\n\r\n')).split('\r\n');
}

function expectPlain(head: readonly string[]): void {
  expect(head.filter((line) => line.length > 998)).toEqual([]);
  // A long address may be folded right after the colon (RFC 5322 2.2.3).
  const unfolded = head
    .join('\n')
    .replace(/\n(?=[ \t])/g, '')
    .split('\n');
  expect(unfolded.filter((line) => !HEADER.test(line))).toEqual([]);
  expect(head.join('')).not.toMatch(/[^\x20-\x7e\t]/);
}

test('whatever the original is, the reply and the forward are well-formed mail', async () => {
  await fc.assert(
    fc.asyncProperty(mail, async ({ headers, body, is_html }) => {
      const type = is_html ? 'text/html' : 'text/plain';
      const lines = headers.map(([name, text]) => `${name}: ${text}`);
      const raw = [...lines, `Content-Type: ${type}; charset=utf-8`, '', body, ''].join('\r\n');
      const { summary, content } = await parseMail(Buffer.from(raw));
      const original = { ...summary, content };
      const note = { text: 'Hello.', html: '' };
      const quoted = readQuotable(content, { pictures: true });
      const bodies = composeForwardBodies(note, { ...summary, date: 'then' }, quoted);
      expect(bodies.html).not.toMatch(/<script|<\/blockquote>[\s\S]*<\/blockquote>/i);
      const forward = {
        to: [own],
        cc: [],
        subject: makeForwardSubject(summary.subject),
        threading: null,
        ...bodies,
      };
      expectPlain(await readHead(forward));
      try {
        const { to, cc } = readReplyRecipients(original, [own.email], { all: true, cc: [] });
        const threading = makeThreading(content.message_id, content.references ?? []);
        const subject = makeReplySubject(summary.subject);
        expectPlain(await readHead({ to, cc, subject, threading, ...note }));
        for (const { email } of [...to, ...cc]) expect(readMailbox(email).email).toBe(email);
      } catch (thrown) {
        if (!(thrown instanceof Failure)) throw thrown;
        expect(thrown.code).toBe('reply_target_invalid');
      }
    }),
    {
      numRuns: 400,
      examples: [
        [{ headers: [['From', `${word('<evil@x.example>')}a@x.exampleA00 Ann`]], body: '', is_html: false }],
      ],
    },
  );
}, 30_000);
