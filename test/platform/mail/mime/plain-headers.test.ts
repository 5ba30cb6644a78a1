/** Our reader reads usual header sections as mailsplit and mailparser do. */
import { expect, test } from 'bun:test';
import MimeNode from '@zone-eu/mailsplit/lib/mime-node.js';
import fc from 'fast-check';
import { HeaderReader } from '../../../../src/platform/mail/mime/lenient-parser.ts';
import { readPlainHead, readPlainValues } from '../../../../src/platform/mail/mime/plain-headers.ts';

const library = new HeaderReader();

/** Reads a section with the libraries, and returns it in the form of `readPlainHead`. */
function readByLibrary(section: string) {
  const node = new MimeNode(false, {});
  node.addHeaderChunk(Buffer.from(section, 'latin1'));
  node.parseHeaders();
  return {
    lines: (node.headers as unknown as { getList(): { key: string; line: string }[] }).getList(),
    contentType: node.contentType,
    isMultipart: Boolean(node.multipart),
    boundary: node._boundary ? node._boundary.toString('latin1') : null,
    encoding: node.encoding || '',
    charset: node.charset,
    disposition: node.disposition,
    isFlowed: node.flowed,
  };
}

/** Picks the values that the parser uses. */
function pickValues(values: Map<string, unknown>) {
  const names = ['from', 'to', 'cc', 'bcc', 'reply-to', 'subject', 'message-id'];
  return names.map((name) => {
    const value = values.get(name) as { value?: unknown } | string | undefined;
    return [name, typeof value === 'object' ? value.value : value];
  });
}

const word = fc.stringMatching(/^[A-Za-z0-9][\w.'&!,()@;:"<>=?-]{0,6}$/);
const address = fc.oneof(
  fc.constantFrom('Ann <ann@example.com>', '"Shop, Inc." <no-reply@shop.example>', 'a@b.example', '<a@b>'),
  fc.constantFrom(
    'J. Doe <j.doe+x@example.com>',
    "O'Neil <o@example.com>",
    'x: a@b;',
    'a@xn--80ak6aa92e.com',
  ),
  fc.tuple(fc.array(word, { maxLength: 3 }), word).map(([name, at]) => `${name.join(' ')} <${at}@b.example>`),
  fc.array(word, { maxLength: 4 }).map((words) => words.join(' ')),
);
const addresses = fc
  .array(address, { minLength: 1, maxLength: 3 })
  .chain((list) => fc.constantFrom(', ', ',', ',\r\n ').map((joint) => list.join(joint)));
const type = fc
  .tuple(
    fc.constantFrom('text/plain', 'TEXT/html', 'multipart/alternative', 'multipart/', 'text', ''),
    fc.constantFrom('; ', ';', ';\r\n\t', ' ; ', ' '),
    fc.constantFrom('charset=utf-8', 'Charset="UTF-8"', 'boundary="=_b"', 'boundary=b', 'format=flowed', ''),
    fc.constantFrom('', '; boundary=c', ';', '; charset=ascii', ' (a comment)', "; name*=utf-8''a"),
  )
  .map((parts) => parts.join(''));
const field = fc.oneof(
  fc.tuple(fc.constantFrom('From', 'To', 'Cc', 'Bcc', 'Reply-To', 'to '), addresses),
  fc.tuple(
    fc.constantFrom('Subject', 'Message-ID', 'X-Other', 'Date'),
    fc.array(word).map((all) => all.join(' ')),
  ),
  fc.tuple(
    fc.constant('Subject'),
    fc.constantFrom('=?utf-8?Q?caf=C3=A9?=', ' a  b ', '', 'folded\r\n  twice\r\n\tover'),
  ),
  fc.tuple(fc.constantFrom('Message-ID'), fc.constantFrom('<a@b>', 'a@b', '<a@b', '', '<a@b> (x)')),
  fc.tuple(fc.constant('Content-Type'), type),
  fc.tuple(
    fc.constant('Content-Transfer-Encoding'),
    fc.constantFrom('7bit', 'Base64', '8bit (x)', '"7bit"', ''),
  ),
  fc.tuple(
    fc.constant('Content-Disposition'),
    fc.constantFrom('inline', 'INLINE', 'attachment', 'inline; x=y', ''),
  ),
);
const section = fc
  .tuple(
    fc.array(field, { minLength: 1, maxLength: 6 }),
    fc.constantFrom('\r\n', '\n'),
    fc.constantFrom(': ', ':'),
  )
  .map(([fields, end, colon]) =>
    `${fields.map(([name, value]) => `${name}${colon}${value}\r\n`).join('')}\r\n`.replaceAll('\r\n', end),
  );

test('a header section read without the libraries has the same lines and values as with them', () => {
  let taken = 0;
  let withValues = 0;
  fc.assert(
    fc.property(section, (written) => {
      const head = readPlainHead(written);
      if (!head) return;
      taken += 1;
      expect(head).toEqual(readByLibrary(written) as unknown as typeof head);
      const values = readPlainValues(head.lines);
      if (!values) return;
      withValues += 1;
      expect(pickValues(values)).toEqual(pickValues(library.readAll(head.lines)));
    }),
    { numRuns: 4_000 },
  );
  expect(taken).toBeGreaterThan(800);
  expect(withValues).toBeGreaterThan(200);
});

test.each([
  ['From ann@example.com Mon\r\nSubject: a\r\n\r\n', 'a line of a mailbox file'],
  [' folded: first\r\nSubject: a\r\n\r\n', 'a folded first line'],
  ['Subject\r\n\r\n', 'a line without a colon'],
  ['Subject: caf\xe9\r\n\r\n', 'other characters'],
  ['Content-Type: text/plain; charset=a; charset=b\r\n\r\n', 'a parameter twice'],
])('%j is left to the libraries: %s', (written) => expect(readPlainHead(written)).toBeNull());

test('the values of a usual mail are read without the libraries', () => {
  const head = readPlainHead(
    'From: "Example Shop" <no-reply@shop.example>\r\nTo: Ann Lee <ann@example.com>,\r\n ben@example.com\r\n' +
      'Subject: Your code\r\n is 482913\r\nMessage-ID: <1@shop.example>\r\n\r\n',
  );
  expect(pickValues(readPlainValues(head!.lines)!)).toEqual([
    ['from', [{ name: 'Example Shop', address: 'no-reply@shop.example' }]],
    [
      'to',
      [
        { name: 'Ann Lee', address: 'ann@example.com' },
        { name: '', address: 'ben@example.com' },
      ],
    ],
    ['cc', undefined],
    ['bcc', undefined],
    ['reply-to', undefined],
    ['subject', 'Your code is 482913'],
    ['message-id', '<1@shop.example>'],
  ]);
});
