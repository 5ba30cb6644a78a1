/** Attachments of outbound email, as mailparser reads them at the far end. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { type ParsedMail, simpleParser } from 'mailparser';
import { writeEmailList } from '../../../src/features/outbound/sql.ts';
import { parseMail } from '../../../src/platform/mail/parse.ts';
import type { Reply } from '../../start.ts';
import { countRows, explainPlan } from '../../store-state.ts';
import { DOMAIN, Sender, verdict } from './sender.ts';

let sender: Sender;
beforeAll(async () => {
  sender = await Sender.start();
});
afterAll(() => sender[Symbol.asyncDispose]());

const MIB = 1024 * 1024;
const base64 = (bytes: string | Uint8Array) => Buffer.from(bytes as string).toString('base64');
const file = (filename: string, bytes: string | Uint8Array, more = {}) => ({
  filename,
  content: base64(bytes),
  ...more,
});

function reasons({ json }: Reply, field = 'attachments'): string {
  return (json.error.fields[field] ?? []).join('; ');
}

async function read(answer: Reply): Promise<ParsedMail> {
  expect(verdict(answer)).toBe('201');
  return simpleParser(sender.mime(answer), { skipImageLinks: true });
}

const listed = ({ attachments }: ParsedMail) =>
  attachments.map(({ filename, contentType, content }) => [filename, contentType, content.toString()]);

const picture = Buffer.from('iVBORw0KGgo=', 'base64');
/** A mail with a picture in its HTML, a picture beside it, and a file. */
const RICH = [
  'From: Ann <ann@example.org>',
  `To: desk@${DOMAIN}`,
  'Subject: Your /order',
  'MIME-Version: 1.0',
  'Content-Type: multipart/mixed; boundary=m',
  '',
  '--m',
  'Content-Type: text/html',
  '',
  '<p>See <img src="cid:logo@x" alt="Logo" onerror="x()"><img src="https://x.example/t.gif" alt="far"></p>',
  '--m',
  'Content-Type: image/png; name=logo.png',
  'Content-Disposition: inline; filename=logo.png',
  'Content-ID: <logo@x>',
  'Content-Transfer-Encoding: base64',
  '',
  picture.toString('base64'),
  '--m',
  'Content-Type: application/pdf; name="../../order.pdf"',
  'Content-Disposition: attachment; filename="../../order.pdf"',
  '',
  'PDF-BYTES',
  '--m--',
  '',
].join('\r\n');

async function deliver(raw: string | Buffer, to = `desk@${DOMAIN}`): Promise<string> {
  const { summary, content } = await parseMail(Buffer.from(raw as string));
  return sender.appliance.deliver(to, { ...summary, content, raw: raw as string });
}

const forward = (id: string, fields: Record<string, unknown>) =>
  sender.post(`/inboxes/${sender.inbox.id}/messages/${id}/forward`, { to: ['cy@example.org'], ...fields });

describe('content in the request', () => {
  test('arrives with its name and type, and is listed', async () => {
    const answer = await sender.send({
      attachments: [
        file('a.pdf', 'one'),
        file('Größe 字.csv', 'ü,1', { content_type: 'text/csv; charset=utf-8' }),
      ],
    });
    expect(listed(await read(answer))).toEqual([
      ['a.pdf', 'application/pdf', 'one'],
      ['Größe 字.csv', 'text/csv', 'ü,1'],
    ]);
    const attachments = [
      { filename: 'a.pdf', content_type: 'application/pdf', size: 3 },
      { filename: 'Größe 字.csv', content_type: 'text/csv; charset=utf-8', size: 4 },
    ];
    expect(answer.json.data.attachments).toEqual(attachments);
    const again = await sender.get(`/outbound_emails/${answer.json.data.id}`);
    expect(again.json.data.attachments).toEqual(attachments);
  });

  test('goes with compose and reply', async () => {
    const id = await deliver(RICH);
    const attachments = [file('a.txt', 'one')];
    const bodyText = 'x';
    const desk = `/inboxes/${sender.inbox.id}`;
    for (const answer of [
      await sender.post(`${desk}/compose`, {
        to: ['b@example.org'],
        subject: 'x',
        body_text: bodyText,
        attachments,
      }),
      await sender.post(`${desk}/messages/${id}/reply`, { body_text: bodyText, attachments }),
    ])
      expect(listed(await read(answer))).toEqual([['a.txt', 'text/plain', 'one']]);
  });

  test('may be any bytes, in base64 that may have line breaks', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 300 }),
        fc.integer({ min: 1, max: 80 }),
        async (bytes, at) => {
          const text = base64(bytes);
          const content = `${text.slice(0, at)}\r\n${text.slice(at)}`;
          const mail = await read(await sender.send({ attachments: [{ filename: 'x.bin', content }] }));
          expect(Buffer.from(bytes).equals(mail.attachments[0]!.content)).toBe(true);
        },
      ),
      { numRuns: 25 },
    );
  });

  test('has a name without folders and hidden characters', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc
            .string({ unit: 'grapheme', minLength: 1, maxLength: 60 })
            .filter((name) => !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(name)),
          fc.constantFrom('../../etc/passwd', 'C:\\x\\y.exe', '\u202egpj.exe', '..', '"; x="'),
        ),
        async (filename) => {
          const answer = await sender.send({ attachments: [file(filename, 'one')] });
          const mail = await read(answer);
          const name = answer.json.data.attachments[0].filename as string;
          expect(name).not.toMatch(/[/\\\p{Cc}\p{Cf}]|^\.|^$/u);
          expect(mail.attachments.map((each) => each.content.toString())).toEqual(['one']);
          expect(mail.headers.has('bcc')).toBe(false);
        },
      ),
      { numRuns: 30 },
    );
  });

  test.each([
    [{ filename: 'a', content: '%%%' }, 'entry 1 has content that is not base64 with padding'],
    [{ filename: 'a', content: 'YWI' }, 'entry 1 has content that is not base64 with padding'],
    [{ content: 'YWI=' }, 'entry 1 has no filename'],
    [{ filename: 'a' }, 'entry 1 needs content, or message_id and index'],
    [file('a\r\nBcc: x@y.example', 'x'), 'entry 1: filename has control characters'],
    [file('a\u0085b', 'x'), 'entry 1: filename has control characters'],
    [file('a\u2028b', 'x'), 'entry 1: filename has control characters'],
    [{ filename: 'a', content: 'YWI=', message_id: 'msg_x' }, 'entry 1 has content and message_id'],
    [{ filename: 'a', content: 'YWI=', index: 0 }, 'entry 1 has an index without message_id'],
    [{ message_id: 'msg_x', index: 0 }, 'entry 1 names a message that is not yours'],
    [{ message_id: 'msg_x' }, 'entry 1 has no index'],
    [
      { ...file('a', 'x'), content_type: 'pdf' },
      'entry 1: content_type must be a media type, like application/pdf',
    ],
    [
      { ...file('a', 'x'), content_type: 'text/plain\r\nBcc: x@y.example' },
      'entry 1: content_type must be a media type, like application/pdf',
    ],
    [
      { ...file('a', 'x'), content_type: 'multipart/mixed' },
      'entry 1: content_type must be a media type, like application/pdf',
    ],
    [{ ...file('a', 'x'), path: '/etc/passwd' }, 'entry 1 has unknown fields: path'],
    ['x', 'must be an object'],
  ])('is refused when it is invalid: %j', async (entry, reason) => {
    const answer = await sender.send({ attachments: [entry] });
    expect([verdict(answer), reasons(answer)]).toEqual(['422 validation_error attachments', reason]);
  });

  test('is refused in more than 20 attachments', async () => {
    const many = (count: number) => Array.from({ length: count }, () => file('a', 'x'));
    const answer = await sender.send({ attachments: many(21) });
    expect([verdict(answer), reasons(answer)]).toEqual([
      '422 validation_error attachments',
      'must have at most 20 entries',
    ]);
    expect((await read(await sender.send({ attachments: many(20) }))).attachments).toHaveLength(20);
  });

  test('is sent once per Idempotency-Key', async () => {
    const headers = { 'Idempotency-Key': 'with a file' };
    const request = { attachments: [file('a.txt', new Uint8Array(2 * MIB))] };
    const [one, other] = await Promise.all([sender.send(request, headers), sender.send(request, headers)]);
    expect(one!.json).toEqual(other!.json);
    expect((await sender.send(request, headers)).json).toEqual(one!.json);
    expect(verdict(await sender.send({ attachments: [file('a.txt', 'x')] }, headers))).toBe('409 conflict');
    expect(countRows(sender.appliance, 'outbound_large')).toBe(1);
  });
});

describe('an attachment of a received message', () => {
  test('is copied, with its own name and type or others', async () => {
    const messageId = await deliver(RICH);
    const answer = await sender.send({
      attachments: [
        { message_id: messageId, index: 1 },
        { message_id: messageId, index: 1, filename: 'b.bin', content_type: 'application/x-b' },
      ],
    });
    expect(listed(await read(answer))).toEqual([
      ['order.pdf', 'application/pdf', 'PDF-BYTES'],
      ['b.bin', 'application/x-b', 'PDF-BYTES'],
    ]);
  });

  test('is refused without the index, with a wrong one, and of another account’s message', async () => {
    const messageId = await deliver(RICH);
    const wrong = await sender.send({ attachments: [file('a', 'x'), { message_id: messageId, index: 9 }] });
    expect(reasons(wrong)).toBe('entry 2 names attachment 9, which the message does not have');
    const other = await Sender.join(sender.appliance, 'other.example');
    const answer = await other.send({
      from_address: 'a@other.example',
      attachments: [{ message_id: messageId, index: 1 }],
    });
    expect([verdict(answer), reasons(answer)]).toEqual([
      '422 validation_error attachments',
      'entry 1 names a message that is not yours',
    ]);
  });
});

describe('a forward', () => {
  test('keeps the attachments, and the pictures within the HTML', async () => {
    const answer = await forward(await deliver(RICH), { include_attachments: true });
    const mime = sender.mime(answer);
    const mail = await simpleParser(mime, { skipImageLinks: true });
    expect(mail.html).toContain('<img src="cid:logo@x" alt="Logo" />');
    expect(mail.html).toContain('[far]');
    expect(mail.html).not.toMatch(/onerror|t\.gif/);
    expect(
      mail.attachments.map(({ filename, cid, related }) => [filename, cid ?? null, related ?? false]),
    ).toEqual([
      ['logo.png', 'logo@x', true],
      ['order.pdf', null, false],
    ]);
    expect(mail.attachments[0]!.content.equals(picture)).toBe(true);
    expect(answer.json.data.attachments.map((each: { filename: string }) => each.filename)).toEqual([
      'logo.png',
      'order.pdf',
    ]);
  });

  test.each([
    ['ASCII', RICH],
    ['8-bit', RICH.replace('PDF-BYTES', 'größe \u{1f600}')],
    ['bare line ends', RICH.replaceAll('\r\n', '\n')],
    ['a long line', RICH.replace('PDF-BYTES', 'x'.repeat(5000))],
    ['no last line end', RICH.trimEnd()],
    ['dots and boundaries', RICH.replace('PDF-BYTES', '.\r\n..\r\n--x--\r\nFrom x\r\n \t ')],
  ])('as an attachment has every byte of the mail: %s', async (_, raw) => {
    const answer = await forward(await deliver(raw), { as_attachment: true, body_text: 'See below' });
    const mail = await read(answer);
    expect(mail.attachments).toHaveLength(1);
    const [attached] = mail.attachments;
    expect([attached!.filename, attached!.contentType]).toEqual(['Your _order.eml', 'message/rfc822']);
    expect(attached!.content.toString('latin1')).toBe(Buffer.from(raw).toString('latin1'));
    expect(mail.text).toStartWith('See below\n\n---------- Forwarded message ----------\nFrom: Ann');
  });

  test('takes the attachments or the whole mail, and further files with either', async () => {
    const id = await deliver(RICH);
    const both = await forward(id, { include_attachments: true, as_attachment: true });
    expect(verdict(both)).toBe('422 validation_error as_attachment');
    const mail = await read(await forward(id, { as_attachment: true, attachments: [file('a.txt', 'one')] }));
    expect(mail.attachments.map(({ filename }) => filename)).toEqual(['a.txt', 'Your _order.eml']);
    expect((await read(await forward(id, { attachments: [file('a.txt', 'one')] }))).attachments).toHaveLength(
      1,
    );
  });
});

describe('the list', () => {
  test('has the newest first, can be filtered by status, and comes in pages', async () => {
    await using own = await Sender.start();
    const ids: string[] = [];
    for (const subject of ['one', 'two', 'three'])
      ids.unshift((await own.send({ subject })).json.data.id as string);
    const first = await own.get('/outbound_emails?limit=2&status=queued');
    expect(first.json.data.map((each: { id: string }) => each.id)).toEqual(ids.slice(0, 2));
    const { next_cursor } = first.json.pagination;
    const rest = await own.get(`/outbound_emails?limit=2&status=queued&cursor=${next_cursor}`);
    expect(rest.json.data.map((each: { id: string }) => each.id)).toEqual(ids.slice(2));
    expect((await own.get('/outbound_emails?status=sent')).json.data).toEqual([]);
    expect((await own.get('/outbound_emails')).json.data).toHaveLength(3);
    expect(verdict(await own.get('/outbound_emails?status=lost'))).toBe('422 validation_error status');
    expect(verdict(await own.get(`/outbound_emails?cursor=${next_cursor}`))).toBe(
      '422 validation_error cursor',
    );
  });
});

test('a list reads only the rows of its page', () => {
  // The other steps look up each row's thread by its key.
  for (const [status, index] of [
    [null, 'outbound_email_account (account_no=? AND rowid<?)'],
    ['sent', 'outbound_email_status (account_no=? AND status=? AND rowid<?)'],
  ] as const)
    expect(explainPlan(sender.appliance, writeEmailList(status))).toStartWith(
      `SEARCH outbound_email USING INDEX ${index}; CORRELATED SCALAR SUBQUERY `,
    );
});
