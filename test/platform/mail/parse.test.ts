/** Parsing a mail's bytes. */
import { describe, expect, test } from 'bun:test';
import { parseMail, readAttachment } from '../../../src/platform/mail/parse.ts';

type Source = string | Uint8Array;

const toBytes = (mail: Source) => (typeof mail === 'string' ? Buffer.from(mail) : mail);

/** Returns the whole result as one object. */
async function parse(mail: Source) {
  const { summary, content } = await parseMail(toBytes(mail));
  return { ...summary, ...content };
}

/** Parses header lines alone. */
const headers = (...lines: string[]) => parse(`${lines.join('\r\n')}\r\n\r\nbody\r\n`);

describe('addresses', () => {
  const table: [string, string[]][] = [
    ['ann@example.org', ['ann@example.org']],
    ['<ann@example.org>', ['ann@example.org']],
    ['Ann <ann@example.org>', ['Ann <ann@example.org>']],
    ['"Smith, Ann" <ann@example.org>', ['Smith, Ann <ann@example.org>']],
    ['ann@example.org (Ann Smith)', ['Ann Smith <ann@example.org>']],
    ['=?utf-8?Q?=C3=84nne?= <ann@example.org>', ['Änne <ann@example.org>']],
    ['=?utf-8?B?w4Q=?= =?utf-8?B?bm5l?= <ann@example.org>', ['Änne <ann@example.org>']],
    ['=?iso-8859-1?Q?=C4nne?= <ann@example.org>', ['Änne <ann@example.org>']],
    ['Ann <ann@example.org>, bob@example.org', ['Ann <ann@example.org>', 'bob@example.org']],
    ['Team: ann@example.org, Bob <bob@example.org>;', ['ann@example.org', 'Bob <bob@example.org>']],
    ['undisclosed-recipients:;', ['undisclosed-recipients']],
    ['Ann\r\n <ann@example.org>', ['Ann <ann@example.org>']],
    ['', []],
  ];
  for (const [written, read] of table) {
    test(`are read from To: ${JSON.stringify(written)}`, async () => {
      expect((await headers(`To: ${written}`)).to).toEqual(read);
    });
  }

  test('From is one string even for several addresses, and Cc and Reply-To are read like To', async () => {
    const mail = await headers(
      'From: Ann <ann@example.org>, Bob <bob@example.org>',
      'Cc: c@example.org',
      'Cc: Dee <d@example.org>',
      'Reply-To: help@example.org',
    );
    expect(mail.from).toBe('Ann <ann@example.org>, Bob <bob@example.org>');
    expect(mail.cc).toEqual(['c@example.org', 'Dee <d@example.org>']);
    expect(mail.reply_to).toBe('help@example.org');
  });

  test('a long list is cut, and truncated is set', async () => {
    const many = Array.from({ length: 1000 }, (_, index) => `a${index}@example.org`).join(',\r\n ');
    const mail = await headers(`To: ${many}`);
    expect(mail.to).toHaveLength(200);
    expect(mail).toMatchObject({ status: 'parsed', truncated: true });
  });
});

describe('a value that a bound cuts', () => {
  const long = 'x'.repeat(2_001);

  test.each([
    ['a subject', `Subject: ${long}`],
    ['a sender', `From: "${long}" <a@example.org>`],
    ['senders', `From: ${Array.from({ length: 150 }, (_, index) => `a${index}@example.org`).join(',\r\n ')}`],
    ['a recipient', `To: "${long}" <a@example.org>`],
    ['an address to answer to', `Reply-To: "${long}" <a@example.org>`],
    ['a Message-ID', `Message-ID: <${long}@example.org>`],
    ['the name of an attachment', `Content-Disposition: attachment; filename="${long}"`],
  ])('sets truncated: %s', async (_, header) => {
    expect(await headers(header)).toMatchObject({ status: 'parsed', truncated: true });
    expect(
      await headers(header.replaceAll(long, long.slice(0, 1_000)).replace(/(,\r\n .*){149}/, '')),
    ).toMatchObject({
      status: 'parsed',
      truncated: false,
    });
  });
});

describe('headers', () => {
  test('a message without headers has empty values', async () => {
    for (const mail of ['', '\r\n', '\r\nbody\r\n', 'no colon here']) {
      expect(await parse(mail)).toMatchObject({
        ...{ from: '', to: [], cc: [], subject: '', reply_to: null, message_id: null, sent_at: null },
        ...{ html: '', has_html: false, attachments: [] },
      });
    }
  });

  test('a subject is decoded, unfolded and made well-formed', async () => {
    const table: [string, string][] = [
      ['plain', 'plain'],
      ['=?utf-8?Q?caf=C3=A9_au_lait?=', 'café au lait'],
      ['=?utf-8?B?8J+YgA==?= ok', '😀 ok'],
      ['folded\r\n\tover lines', 'folded over lines'],
      ['=?utf-8?Q?=F0=9F=98?= =?utf-8?Q?=80?=', '😀'],
      ['=?x-no-such-charset?Q?abc?=', 'abc'],
    ];
    for (const [written, read] of table) expect((await headers(`Subject: ${written}`)).subject).toBe(read);
    const long = await headers(`Subject: ${'😀'.repeat(3000)}`);
    expect(long.subject.isWellFormed()).toBe(true);
    expect(long.subject.length).toBeLessThanOrEqual(2000);
  });

  test('raw UTF-8 in a header is read as UTF-8', async () => {
    expect((await headers('Subject: Grüße', 'From: Änne <ä@example.org>')).subject).toBe('Grüße');
  });

  test('a date is read, and an invalid one is null', async () => {
    const at = async (date: string) => (await headers(`Date: ${date}`)).sent_at;
    expect(await at('Sat, 21 Nov 2026 08:00:00 +0000')).toBe('2026-11-21T08:00:00.000000Z');
    expect(await at('Sat, 21 Nov 2026 10:00:00 +0200 (CEST)')).toBe('2026-11-21T08:00:00.000000Z');
    expect(await at('21 Nov 2026 03:00:00 EST')).toBe('2026-11-21T08:00:00.000000Z');
    for (const bad of ['', 'yesterday', 'Sat, 99 Foo 2026', '-1', 'x 1', '9'.repeat(500)])
      expect(await at(bad)).toBeNull();
  });

  test('a Message-ID keeps its angle brackets', async () => {
    expect((await headers('Message-ID: <x.1@example.org>')).message_id).toBe('<x.1@example.org>');
  });

  test('NULs and other control characters are harmless', async () => {
    const mail = await headers('Subject: a\0b\x07c', 'From: \0 <a@b.c>');
    expect(mail.status).toBe('parsed');
    expect(mail.subject).toContain('a');
  });
});

describe('text and html', () => {
  const typed = (type: string, body: Uint8Array, encoding = '8bit') =>
    parse(
      Buffer.concat([
        Buffer.from(`Content-Type: ${type}\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n`),
        body,
      ]),
    );

  test('charsets are decoded', async () => {
    const table: [string, number[], string][] = [
      ['utf-8', [0xc3, 0xa4], 'ä'],
      ['iso-8859-1', [0xe4], 'ä'],
      ['windows-1252', [0x80], '€'],
      ['koi8-r', [0xc1], 'а'],
      ['shift_jis', [0x82, 0xa0], 'あ'],
      ['iso-2022-jp', [0x1b, 0x24, 0x42, 0x24, 0x22, 0x1b, 0x28, 0x42], 'あ'],
      ['gb18030', [0xc4, 0xe3], '你'],
      ['utf-16le', [0x61, 0x00], 'a'],
    ];
    for (const [charset, bytes, text] of table) {
      const mail = await typed(`text/plain; charset=${charset}`, Buffer.from(bytes));
      expect({ charset, text: mail.text.trim() }).toEqual({ charset, text });
    }
  });

  test('a byte order mark before a text is not part of it', async () => {
    for (const type of ['text/plain', 'text/html']) {
      const { text, html, truncated } = await typed(`${type}; charset=utf-8`, Buffer.from('\ufeffCode'));
      expect([text + html, truncated]).toEqual(['Code', false]);
    }
  });

  test('a text in an unknown charset or with broken bytes is read as well-formed text', async () => {
    for (const charset of ['x-none', 'utf-8', '"', '../../etc']) {
      const mail = await typed(`text/plain; charset=${charset}`, Buffer.from([0xff, 0xfe, 0x61, 0xc3]));
      expect(mail.text.isWellFormed()).toBe(true);
      expect(mail.text).toContain('a');
    }
  });

  test('quoted-printable and base64 are decoded, even if they are broken', async () => {
    expect((await typed('text/plain', Buffer.from('a=3Db=\r\nc =20'), 'quoted-printable')).text.trim()).toBe(
      'a=bc',
    );
    expect((await typed('text/plain', Buffer.from('aGVsbG8='), 'base64')).text.trim()).toBe('hello');
    expect((await typed('text/plain', Buffer.from('=ZZ a='), 'quoted-printable')).text).toContain('a');
    expect((await typed('text/plain', Buffer.from('aGVs!!bG8'), 'base64')).text).toContain('hel');
  });

  test('an alternative has both bodies, and HTML alone has no text', async () => {
    const mail = await parse(
      'Content-Type: multipart/alternative; boundary=b\r\n\r\n--b\r\n\r\nplain words\r\n--b\r\n' +
        'Content-Type: text/html\r\n\r\n<p>rich <script>alert(1)</script></p>\r\n--b--\r\n',
    );
    expect(mail).toMatchObject({ has_html: true, attachment_count: 0, status: 'parsed', truncated: false });
    expect(mail.text.trim()).toBe('plain words');
    // As sent: it must be sanitised before it is shown.
    expect(mail.html.trim()).toBe('<p>rich <script>alert(1)</script></p>');
    expect(await parse('Content-Type: text/html\r\n\r\n<p>x</p>\r\n')).toMatchObject({
      text: '',
      has_html: true,
    });
  });

  test('are as sent if they are not alternatives of each other, as in Python’s MIMEMultipart()', async () => {
    const parts = {
      text: 'Content-Type: text/plain\r\n\r\nplain',
      html: 'Content-Type: text/html\r\n\r\n<p>rich</p>',
    };
    const mixed = (...list: string[]) =>
      `Content-Type: multipart/mixed; boundary=b\r\n\r\n${list.map((part) => `--b\r\n${part}\r\n`).join('')}--b--\r\n`;
    // Because of its attachment, the second one is not read by the fast lane.
    const attachment = 'Content-Type: application/pdf\r\n\r\nx';
    for (const mail of [
      mixed(parts.text, parts.html),
      mixed(parts.html, parts.text, attachment),
      mixed(attachment, parts.text, parts.html),
    ]) {
      expect(await parse(mail)).toMatchObject({ text: 'plain', html: '<p>rich</p>' });
    }
    expect(await parse(mixed(parts.text, parts.html, parts.text, parts.html))).toMatchObject({
      text: 'plain\nplain',
      html: '<p>rich</p><br/>\n<p>rich</p>',
    });
  });

  test('text over its bound is cut, and truncated is set', async () => {
    const mail = await parse(`Subject: long\r\n\r\n${'0123456789\r\n'.repeat(200_000)}`);
    expect(mail).toMatchObject({ status: 'parsed', truncated: true, subject: 'long' });
    expect(mail.text.length).toBe(1024 * 1024);
  });
});

describe('attachments', () => {
  const mixed = [
    'Content-Type: multipart/mixed; boundary=m',
    '',
    '--m',
    'Content-Type: multipart/related; boundary=r',
    '',
    '--r',
    'Content-Type: text/html',
    '',
    '<img src="cid:logo@x">',
    '--r',
    'Content-Type: image/png',
    'Content-ID: <logo@x>',
    'Content-Disposition: inline; filename=logo.png',
    'Content-Transfer-Encoding: base64',
    '',
    'iVBORw0KGgo=',
    '--r--',
    '--m',
    "Content-Type: application/pdf; name*=utf-8''b%C3%A4r.pdf",
    "Content-Disposition: attachment; filename*0*=utf-8''b%C3%A4; filename*1=r.pdf",
    '',
    'pdf bytes',
    '--m',
    'Content-Type: application/octet-stream',
    'Content-Disposition: attachment',
    '',
    '',
    '--m--',
    '',
  ].join('\r\n');

  test('are listed with index, size, content id and whether they are inline', async () => {
    const { attachments, attachment_count, html } = await parse(mixed);
    expect(html).toContain('cid:logo@x');
    expect(attachment_count).toBe(3);
    expect(attachments).toEqual([
      {
        index: 0,
        filename: 'logo.png',
        content_type: 'image/png',
        size: 8,
        content_id: 'logo@x',
        inline: true,
      },
      {
        ...{ index: 1, filename: 'bär.pdf', content_type: 'application/pdf', size: 9 },
        ...{ content_id: null, inline: false },
      },
      {
        ...{ index: 2, filename: null, content_type: 'application/octet-stream', size: 0 },
        ...{ content_id: null, inline: false },
      },
    ]);
  });

  test('are read by their index, and there is none beyond the last', async () => {
    const read = async (index: number) => {
      const bytes = await readAttachment(Buffer.from(mixed), index);
      return bytes && Buffer.from(bytes).toString('latin1');
    };
    expect(await read(0)).toBe('\x89PNG\r\n\x1a\n');
    expect(await read(1)).toBe('pdf bytes');
    expect(await read(2)).toBe('');
    expect(await read(3)).toBeNull();
  });

  test('a message inside a message is one part or read as text, never a failure', async () => {
    const inner = 'From: inner@example.org\r\nSubject: inner\r\n\r\ninner body\r\n';
    const outer = `Subject: outer\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: message/rfc822\r\n`;
    for (const disposition of ['', 'Content-Disposition: attachment; filename=x.eml\r\n']) {
      const mail = await parse(`${outer}${disposition}\r\n${inner}\r\n--b--\r\n`);
      expect(mail).toMatchObject({ subject: 'outer', status: 'parsed', from: '' });
    }
  });
});

describe('structure', () => {
  test('with more than a thousand parts is read up to a bound, and truncated is set', async () => {
    const part = '--b\r\nContent-Disposition: attachment; filename=a\r\n\r\nx\r\n';
    const mail = await parse(
      `Subject: many\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n${part.repeat(1500)}--b--\r\n`,
    );
    expect(mail).toMatchObject({ subject: 'many', status: 'parsed', truncated: true });
    expect(mail.attachment_count).toBeGreaterThan(900);
    expect(mail.attachment_count).toBeLessThanOrEqual(1000);
  });

  test('with more than fifty levels is read up to a bound', async () => {
    let mail = 'Subject: deep\r\n';
    for (let level = 0; level < 200; level++)
      mail += `Content-Type: multipart/mixed; boundary=b${level}\r\n\r\n--b${level}\r\n\r\nlevel ${level}.\r\n--b${level}\r\n`;
    const read = await parse(mail);
    expect(read).toMatchObject({ subject: 'deep', status: 'parsed', truncated: true });
    expect(read.text).toContain('level 0.');
    expect(read.text).not.toContain('level 100.');
  });

  test('a boundary is recognised after any line end, and only there', async () => {
    const mail = await parse(
      'Content-Type: multipart/mixed; boundary=b\r\n\r\n\r\n--b\r\n\r\none --b\r\n--bb\r\n -- b\n--b\n\ntwo\n\r--b\n\nthree\r\n--b--',
    );
    expect(mail.text.replace(/\r/g, '')).toBe('one --b\n--bb\n -- b\ntwo\nthree');
  });

  test('a missing end, a missing boundary and an unused boundary are read as far as possible', async () => {
    const open = await parse('Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nopen end');
    expect(open).toMatchObject({ status: 'parsed' });
    expect(open.text).toContain('open end');
    for (const type of [
      'multipart/mixed',
      'multipart/mixed; boundary=never',
      'multipart/mixed; boundary=""',
    ]) {
      expect((await parse(`Subject: s\r\nContent-Type: ${type}\r\n\r\n--x\r\n\r\ntext\r\n`)).subject).toBe(
        's',
      );
    }
  });
});
