/** What is left of a message that can't be parsed as a whole. */
import { describe, expect, test } from 'bun:test';
import { parseHeaders, parseMail } from '../../../src/platform/mail/parse.ts';

/** Returns the whole result as one object. */
async function parse(mail: string) {
  const { summary, content } = await parseMail(Buffer.from(mail));
  return { ...summary, ...content };
}

describe('headers alone', () => {
  test('are all that is left of a message that can’t be parsed, with status failed', async () => {
    const mail = await parse(
      `Subject: s\r\nFrom: a@example.org\r\nX: ${'y'.repeat(200_000)}\r\n\r\nbody\r\n`,
    );
    expect(mail).toMatchObject({
      status: 'failed',
      subject: 's',
      from: 'a@example.org',
      text: '',
      truncated: true,
    });
  });

  test('are kept of a message with very many short header lines', async () => {
    const from = 'From: a@example.org\r\nSubject: s\r\n';
    const fields = Array.from({ length: 5_000 }, (_, no) => `X-${no}: y\r\n`).join('');
    const to = `To: ${Array.from({ length: 10_000 }, (_, no) => `u${no}@b.example`).join(',\r\n ')}\r\n`;
    for (const lines of [fields, to]) {
      expect(await parse(`${from}${lines}\r\nbody\r\n`)).toMatchObject({
        status: 'failed',
        subject: 's',
        from: 'a@example.org',
        truncated: true,
      });
    }
  });

  test('yield no body, whatever type they declare', async () => {
    for (const type of ['text/plain', 'text/html', 'application/pdf', 'multipart/mixed; boundary=b']) {
      const { summary, content } = await parseHeaders(
        Buffer.from(`Subject: s\r\nContent-Type: ${type}\r\n\r\n--b\r\n\r\nbody\r\n`),
      );
      expect(summary).toMatchObject({ status: 'failed', subject: 's', has_html: false, attachment_count: 0 });
      expect(content).toMatchObject({ text: '', html: '', attachments: [], truncated: true });
    }
  });

  test('never throw', async () => {
    for (const bytes of [
      '',
      '\0'.repeat(70_000),
      ':'.repeat(70_000),
      '\r\n'.repeat(70_000),
      '=?'.repeat(40_000),
    ]) {
      const { summary } = await parseHeaders(Buffer.from(bytes));
      expect(summary.status).toBe('failed');
    }
  });
});

test('a line end or NUL that an encoded word hides in a header becomes a space', async () => {
  const mail = await parse(
    [
      'From: =?utf-8?q?Ann=0D=0ABcc=3A_all?= <ann@shop.example>',
      'To: =?utf-8?q?a=00b?= <you@example.org>',
      'Reply-To: =?utf-8?q?x=0Ay?= <r@shop.example>',
      'Subject: =?utf-8?q?Hi=0D=0AX-Admin:_1=07?=',
      'Content-Type: application/pdf',
      "Content-Disposition: attachment; filename*=utf-8''a%0D%0Ab.pdf",
      '',
      'x',
    ].join('\r\n'),
  );
  expect(mail).toMatchObject({
    from: 'Ann Bcc: all <ann@shop.example>',
    to: ['a b <you@example.org>'],
    reply_to: 'x y <r@shop.example>',
    subject: 'Hi X-Admin: 1',
    truncated: false,
  });
  expect(mail.attachments[0]?.filename).toBe('a b.pdf');
});

test('a separator of addresses within an encoded word is part of the name, even if the sender left it unencoded', async () => {
  const names = [
    ['=?UTF-8?Q?Shop:_Orders?=', 'Shop: Orders'],
    ['=?utf-8?q?Shop,_Inc.?=', 'Shop, Inc.'],
    ['=?UTF-8?Q?Shop;_EU_(DE)?=', 'Shop; EU (DE)'],
    ['=?UTF-8?Q?=22Boss=22_<boss@bank.example>?=', '"Boss" <boss@bank.example>'],
    ['=?UTF-8?Q?J=C3?= =?UTF-8?Q?=BCrgen,_X?=', 'Jürgen, X'],
  ];
  for (const [written, name] of names) {
    const mail = await parse(
      `From: ${written} <a@shop.example>\r\nTo: ${written} <a@x.example>, b@x.example\r\n\r\n`,
    );
    expect(mail).toMatchObject({
      from: `${name} <a@shop.example>`,
      senders: ['a@shop.example'],
      to: [`${name} <a@x.example>`, 'b@x.example'],
    });
  }
});

test.each([
  '=?utf-8?q?Zo=C3=AB_<app@shop.example>?=',
  '=?utf-8?q?Zo=C3=AB_=3Capp@shop.example=3E?=',
  '=?utf-8?b?Wm/DqyA8YXBwQHNob3AuZXhhbXBsZT4=?=',
])('a name and an address in one encoded word are shown: %s', async (written) => {
  const mail = await parse(`From: ${written}\r\nTo: ${written}\r\n\r\n`);
  expect(mail).toMatchObject({ from: 'Zoë <app@shop.example>', to: ['Zoë <app@shop.example>'] });
});
