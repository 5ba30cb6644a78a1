/** A forward: the note, then a quoted, sanitised, shortened copy of the original without its attachments. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { simpleParser } from 'mailparser';
import { QUOTED_HTML_CHARS_MAX, QUOTED_TEXT_CHARS_MAX } from '../../../src/platform/mail/bounds.ts';
import { parseMail } from '../../../src/platform/mail/parse.ts';
import { DOMAIN, Sender, verdict } from './sender.ts';

let sender: Sender;
beforeAll(async () => {
  sender = await Sender.start();
});
afterAll(() => sender[Symbol.asyncDispose]());

const DESK = `desk@${DOMAIN}`;
const head = [
  'From: Ann <ann@example.org>',
  `To: ${DESK}`,
  'Cc: Bob <bob@example.org>',
  'Subject: Your order',
];

async function forward(raw: string, note: Record<string, unknown> = {}) {
  const { summary, content } = await parseMail(Buffer.from(raw));
  const id = await sender.appliance.deliver(DESK, { ...summary, content, raw });
  const path = `/inboxes/${sender.inbox.id}/messages/${id}/forward`;
  const answer = await sender.post(path, { to: ['cy@example.org'], ...note });
  expect(verdict(answer)).toBe('201');
  const mime = sender.mime(answer);
  const mail = await simpleParser(mime, { skipHtmlToText: true, skipTextToHtml: true });
  return { answer, mime: mime.toString(), mail, text: mail.text ?? '', html: mail.html || '' };
}

const textMail = (body: string) => [...head, '', body].join('\r\n');
const htmlMail = (body: string) => [...head, 'Content-Type: text/html; charset=utf-8', '', body].join('\r\n');
const both = [
  ...head,
  'Content-Type: multipart/mixed; boundary=m',
  '',
  '--m',
  'Content-Type: multipart/alternative; boundary=a',
  '',
  '--a',
  'Content-Type: text/plain',
  '',
  'Plain words.',
  '--a',
  'Content-Type: text/html',
  '',
  '<p onclick="x()">Html <b>words</b>.</p>',
  '--a--',
  '--m',
  'Content-Type: application/pdf; name=order.pdf',
  'Content-Disposition: attachment; filename=order.pdf',
  '',
  'PDF-BYTES',
  '--m--',
  '',
].join('\r\n');

describe('what is forwarded', () => {
  test('is below the note, with every line quoted, under its author and date', async () => {
    const { answer, text, html, mail } = await forward(textMail('First.\r\n\r\n> older\r\nSecond.\r\n'), {
      body_text: 'Have a look:\n',
    });
    expect(structuredClone(answer.json.data)).toMatchObject({
      kind: 'forward',
      inbox_id: sender.inbox.id,
      from_address: DESK,
      subject: 'Fwd: Your order',
      to: ['cy@example.org'],
      cc: [],
      bcc: [],
    });
    expect(text.replace(/Date: .*/, 'Date: then').trimEnd()).toBe(
      [
        ...['Have a look:', '', '---------- Forwarded message ----------'],
        ...['From: Ann <ann@example.org>', 'Date: then', 'Subject: Your order'],
        ...[`To: ${DESK}`, 'Cc: Bob <bob@example.org>', '', '> First.', '>', '>> older', '> Second.'],
      ].join('\n'),
    );
    expect(html).toBe('');
    // It starts a new conversation.
    expect([mail.inReplyTo, mail.references]).toEqual([undefined, undefined]);
  });

  test('has text and html when the original has, and no attachment', async () => {
    const { text, html, mail, mime } = await forward(both, { body_text: 'a < b\nc' });
    expect(text).toStartWith('a < b\nc\n\n---------- Forwarded message');
    expect(text).toContain('> Plain words.');
    expect(html).toStartWith('<div>a &lt; b<br>\nc</div>\n<br>\n<div>---------- Forwarded message');
    expect(html).toContain('From: Ann &lt;ann@example.org&gt;<br>');
    expect(html).toContain('<blockquote>\n<p>Html <b>words</b>.</p>\n</blockquote>');
    expect(mail.attachments).toEqual([]);
    expect(mime).not.toContain('PDF-BYTES');
    expect(mime).not.toContain('order.pdf');
  });

  test('needs no note', async () => {
    const { text, html } = await forward(both);
    expect(text).toStartWith('---------- Forwarded message');
    expect(html).toStartWith('<div>---------- Forwarded message');
  });

  test('is HTML alone, inside the note’s body, when the note is', async () => {
    const { text, html } = await forward(textMail('a < b\r\n'), {
      body_html: '<html><BODY>Note</BODY></html>',
    });
    expect(text).toBe('');
    expect(html).toMatch(
      /^<html><BODY>Note<br>\n<div>-----[\s\S]*a &lt; b[\s\S]*<\/blockquote>\n<\/BODY><\/html>\s*$/,
    );
  });

  test('of an HTML-only message has its words as text too', async () => {
    const { text } = await forward(htmlMail('<p>One &amp; two</p><p>Three</p>'), { body_text: 'x' });
    expect(text).toContain('> One & two\n> Three');
  });

  test('of an empty message is its header lines', async () => {
    const { text } = await forward(textMail(''), { body_text: 'x' });
    expect(text).toContain('Subject: Your order');
  });

  const subjects = [
    ['Fwd: x', 'Fwd: x'],
    ['FW: x', 'FW: x'],
    ['Re: x', 'Fwd: Re: x'],
    ['Forward: x', 'Fwd: Forward: x'],
  ];
  for (const [original, expected] of subjects) {
    test(`has the subject ${expected} for ${original}`, async () => {
      const { mail } = await forward(`From: a@x.example\r\nSubject: ${original}\r\n\r\nx\r\n`);
      expect(mail.subject).toBe(expected!);
    });
  }
});

describe('of a stranger’s html', () => {
  const kept: [string, string, string][] = [
    ['a script goes', '<p>a</p><script>alert(1)</script>', '<p>a</p>'],
    ['a handler goes', '<p onmouseover="x()">a</p>', '<p>a</p>'],
    ['style goes', '<style>p{}</style><p style="background:url(https://t.example/x)">a</p>', '<p>a</p>'],
    ['a frame goes', '<iframe src="https://t.example/"></iframe><p>a</p>', '<p>a</p>'],
    ['a form goes', '<form action="https://t.example/"><p>a</p><input value="b"></form>', '<p>a</p>'],
    [
      'a picture is what it says',
      '<p><img src="https://t.example/x.gif" alt="Logo">a</p>',
      '<p><span>[Logo]</span>a</p>',
    ],
    [
      'a link stays',
      '<a href="https://x.example/?a=1&amp;b=2">a</a>',
      '<a href="https://x.example/?a=1&amp;b=2">a</a>',
    ],
    ['a script is no link', '<a href="jav&#x09;ascript:alert(1)">a</a>', '<a>a</a>'],
    ['data is no link', '<a href="data:text/html;base64,PHNjcmlwdD4=">a</a>', '<a>a</a>'],
    ['what is open is closed', '<div><b>a', '<div><b>a</b></div>'],
    ['an end of the quote is none', '</blockquote></body></html><p>a</p>', '<p>a</p>'],
    ['a svg goes', '<svg onload="x()"><script>1</script></svg><p>a</p>', '<p>a</p>'],
  ];
  for (const [what, body, clean] of kept) {
    test(what, async () => {
      const { html } = await forward(htmlMail(body));
      expect(html).toContain(`<blockquote>\n${clean}\n</blockquote>`);
      expect(html).not.toMatch(/script|t\.example|onload|onmouseover/i);
    });
  }

  test('the part beyond the bound of a quote is cut, with a note', async () => {
    const long = 'x'.repeat(QUOTED_HTML_CHARS_MAX);
    const { html, text } = await forward(htmlMail(`<p>${long.match(/.{1,900}/g)!.join('\r\n')}</p>`));
    expect(html.length).toBeLessThan(QUOTED_HTML_CHARS_MAX + 2000);
    expect(html).toContain('<p>[…]</p>');
    expect(text.length).toBeLessThan(QUOTED_TEXT_CHARS_MAX + 2000);
    const lines = 'word '
      .repeat(10)
      .concat('\r\n')
      .repeat(QUOTED_TEXT_CHARS_MAX / 50);
    expect((await forward(textMail(lines))).text).toContain('> […]');
  });

  test('a hostile piece delays nobody else', async () => {
    const hostile = [
      '<div>'.repeat(50_000),
      '<table><tr><td>'.repeat(16_000),
      '&'.repeat(250_000).replace(/.{900}/g, '$&\r\n'),
    ];
    for (const body of hostile) {
      const waits: number[] = [];
      let last = performance.now();
      const beat = setInterval(() => {
        waits.push(performance.now() - last);
        last = performance.now();
      }, 5);
      const { text } = await forward(htmlMail(body));
      clearInterval(beat);
      expect(text).toContain('Forwarded message');
      // The sanitiser needs some hundred milliseconds for it, in its own process.
      expect(waits.length).toBeGreaterThan(0);
    }
  });
});
