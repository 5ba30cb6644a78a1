/** How much of a mail's text is decoded. */
import { expect, test } from 'bun:test';
import { parseMail } from '../../../../src/platform/mail/parse.ts';

async function parse(mail: string | Uint8Array) {
  const { summary, content } = await parseMail(Buffer.from(mail as Uint8Array));
  return { ...summary, ...content };
}

const typed = (type: string, body: Uint8Array, encoding = '8bit') =>
  parse(
    Buffer.concat([
      Buffer.from(`Content-Type: ${type}\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n`),
      body,
    ]),
  );

for (const encoding of ['7bit', 'base64', 'quoted-printable']) {
  test(`text in ${encoding} is decoded exactly as far as it is kept`, async () => {
    const line = { '7bit': '€\r\n', base64: '4oKs', 'quoted-printable': '=E2=82=AC' }[encoding];
    const head = `Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n`;
    const mail = await parse(Buffer.from(head + line?.repeat(1_500_000)));
    expect({ status: mail.status, truncated: mail.truncated }).toEqual({
      status: 'parsed',
      truncated: true,
    });
    expect(mail.text.length).toBe(1024 * 1024);
  });
}

test('parts of one type share a bound: text that fills it leaves the HTML and the attachment whole', async () => {
  const part = (type: string, body: string) => `--b\r\nContent-Type: ${type}\r\n\r\n${body}\r\n`;
  const filler = part('text/plain; charset=utf-8', 'x\n'.repeat(900_000));
  const mail = await parse(
    `Content-Type: multipart/mixed; boundary=b\r\n\r\n${filler}${filler}${part('text/html', '<p>rich</p>')}` +
      `${part('application/pdf', 'x'.repeat(5_000_000))}--b--\r\n`,
  );
  expect({ status: mail.status, truncated: mail.truncated }).toEqual({ status: 'parsed', truncated: true });
  expect(mail.html).toContain('<p>rich</p>');
  expect(mail.attachments[0]?.size).toBe(5_000_000);
});

test('text in a charset other than UTF-8 is bounded before it is decoded', async () => {
  const mail = await typed('text/plain; charset=utf-32le', Buffer.from('a\0\0\0'.repeat(600_000)));
  expect({ status: mail.status, truncated: mail.truncated }).toEqual({ status: 'parsed', truncated: true });
  expect(mail.text.length).toBe((2 * 1024 * 1024) / 4);
});

test('a text of control characters is cut so that writing it as JSON is quick', async () => {
  const raw = Buffer.from(`\x01\x02${'a'.repeat(100)}`.repeat(40_000));
  for (const type of ['text/plain', 'text/html']) {
    const mail = await typed(type, raw);
    expect({ status: mail.status, truncated: mail.truncated }).toEqual({ status: 'parsed', truncated: true });
    expect((type === 'text/plain' ? mail.text : mail.html).length).toBe(1024 * 1024);
    const worse = await typed(type, Buffer.alloc(1024 * 1024, 1));
    expect({ status: worse.status, truncated: worse.truncated }).toEqual({
      status: 'parsed',
      truncated: true,
    });
    expect((type === 'text/plain' ? worse.text : worse.html).length).toBe(64 * 1024);
  }
  const few = await typed('text/plain', Buffer.alloc(60_000, 1));
  expect([few.text.length, few.truncated]).toEqual([60_000, false]);
});

test('base64 whose lines are each padded is decoded line by line', async () => {
  const lines = ['aGVsbG8=', 'IA==', 'd29y', 'bGQ=', 'IQ'].join('\r\n');
  expect((await typed('text/plain', Buffer.from(lines), 'base64')).text).toBe('hello world!');
});

test.each(['utf-7', 'UNICODE-1-1-UTF-7', 'utf-7-imap'])(
  'text in %s, in which markup could hide, is left undecoded, as browsers leave it',
  async (charset) => {
    const mail = await typed(`text/html; charset=${charset}`, Buffer.from('+ADw-script+AD4- 482913'));
    expect(mail.html).toBe('+ADw-script+AD4- 482913');
  },
);
