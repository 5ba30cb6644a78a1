/** No field of a request can end a header line: field by field, character by character, over HTTP. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { parseMail } from '../../../src/platform/mail/parse.ts';
import { DOMAIN, Sender, verdict } from './sender.ts';

let sender: Sender;
let message: string;
beforeAll(async () => {
  sender = await Sender.start();
  message = await sender.appliance.deliver(sender.inbox.address, {
    content: { answer_to: ['ann@example.org'] },
  });
});
afterAll(() => sender[Symbol.asyncDispose]());

const codes = [...Array(0x20).keys(), 0x7f, ...Array.from({ length: 0x20 }, (_, index) => 0x80 + index)];
const controls = [...codes.map((code) => String.fromCharCode(code)), '\u2028', '\u2029', '\r\n', '\n\r'];
const turning = ['\u202a', '\u202b', '\u202c', '\u202d', '\u202e', '\u2066', '\u2067', '\u2068', '\u2069'];
const evil = (text: string) => `a${text}Bcc: evil@example.com`;

/** The places where text from a request reaches a header: the path, the field, and the body around it. */
const names = ['to', 'cc', 'bcc'];
const fields: [where: string, field: string, body: (text: string) => unknown, turns: boolean][] = [
  ['/outbound_emails', 'subject', (text) => full({ subject: evil(text) }), false],
  ['/outbound_emails', 'from_address', (text) => full({ from_address: `${evil(text)} <a@${DOMAIN}>` }), true],
  ['/outbound_emails', 'from_address', (text) => full({ from_address: `a${text}b@${DOMAIN}` }), true],
  ['/outbound_emails', 'from_address', (text) => full({ from_address: `a@${DOMAIN}${text}x` }), true],
  ['/outbound_emails', 'reply_to', (text) => full({ reply_to: `"${evil(text)}" <a@example.org>` }), true],
  ['/outbound_emails', 'reply_to', (text) => full({ reply_to: `a${text}b@example.org` }), true],
  ...names.flatMap((field): typeof fields => [
    ['/outbound_emails', field, (text) => full({ [field]: [`${evil(text)} <a@example.org>`] }), true],
    ['/outbound_emails', field, (text) => full({ [field]: [`"${evil(text)}" <a@example.org>`] }), true],
    ['/outbound_emails', field, (text) => full({ [field]: [`a${text}b@example.org`] }), true],
    ['/outbound_emails', field, (text) => full({ [field]: [`a@exam${text}ple.org`] }), true],
    ['/outbound_emails', field, (text) => full({ [field]: [`a@example.org>${text}<b@example.org`] }), true],
  ]),
  ['/compose', 'subject', (text) => ({ to: ['a@b.example'], subject: evil(text), body_text: 'x' }), false],
  ['/compose', 'to', (text) => ({ to: [`${evil(text)} <a@b.example>`], subject: 'x', body_text: 'x' }), true],
  [
    '/compose',
    'cc',
    (text) => ({ to: ['a@b.example'], cc: [`a${text}@b.example`], subject: 'x', body_text: 'x' }),
    true,
  ],
  ['/reply', 'cc', (text) => ({ cc: [`${evil(text)} <a@b.example>`], body_text: 'x' }), true],
  ['/forward', 'to', (text) => ({ to: [`${evil(text)} <a@b.example>`], body_text: 'x' }), true],
  ['/outbound_allowlist', 'email', (text) => ({ email: `a${text}b@example.org` }), true],
];

function full(fields: Record<string, unknown>) {
  return { from_address: `a@${DOMAIN}`, to: ['ann@example.org'], subject: 'x', body_text: 'x', ...fields };
}

function makePath(where: string): string {
  const inbox = `/inboxes/${sender.inbox.id}`;
  if (where === '/compose') return `${inbox}/compose`;
  return where.startsWith('/outbound') ? where : `${inbox}/messages/${message}${where}`;
}

describe('a control character', () => {
  for (const [index, [where, field, body, turns]] of fields.entries()) {
    test(`in ${field} of ${where} is refused by name (${index})`, async () => {
      const bad = turns ? [...controls, ...turning] : controls;
      const answers = await Promise.all(bad.map((text) => sender.post(makePath(where), body(text))));
      for (const [at, reply] of answers.entries()) {
        expect([shown(bad[at]!), verdict(reply)]).toEqual([shown(bad[at]!), `422 validation_error ${field}`]);
      }
      // The same request without it is valid.
      if (field === 'subject') expect(verdict(await sender.post(makePath(where), body(' ')))).toBe('201');
    });
  }

  test('in a body is refused, except line ends and tabs', async () => {
    for (const field of ['body_text', 'body_html']) {
      for (const text of controls.filter((each) => each.codePointAt(0)! < 0x80)) {
        const isLayout = /^[\t\n\f\r]+$/.test(text);
        const expected = isLayout ? '201' : `422 validation_error ${field}`;
        expect([field, shown(text), verdict(await sender.send({ [field]: `a${text}b` }))]).toEqual([
          field,
          shown(text),
          expected,
        ]);
      }
    }
  });
});

const shown = (text: string) => JSON.stringify(text);

test('text written by a stranger can’t end a header line in a reply or a forward either', async () => {
  const hex = (text: string) =>
    [...Buffer.from(text)].map((byte) => `=${byte.toString(16).padStart(2, '0')}`).join('');
  const word = (text: string) => `=?utf-8?Q?${hex(text)}?=`;
  const raw = [
    `From: ${word('Ann\r\nBcc: evil@example.com')} <ann@example.org>`,
    `To: ${word('Desk\r\nX-Evil: 1')} <${sender.inbox.address}>, ${word('Bob\u2028\u202e')} <bob@example.org>`,
    `Cc: ${word('<evil@example.com>, Cy')} <cy@example.org>`,
    `Subject: ${word('Hello\r\nBcc: evil@example.com\r\n\r\nevil body')}`,
    `Message-ID: ${word('<1@x>\r\nX-Evil: 1')}`,
    `References: <2@x> ${word('\r\nX-Evil: 1')} <3@x>`,
    '',
    'body',
    '',
  ].join('\r\n');
  const { summary, content } = await parseMail(Buffer.from(raw));
  const id = await sender.appliance.deliver(sender.inbox.address, { ...summary, content, raw });
  const path = `/inboxes/${sender.inbox.id}/messages/${id}`;
  const answers = [
    await sender.post(`${path}/reply`, { body_text: 'x', reply_all: true }),
    await sender.post(`${path}/forward`, { body_text: 'x', to: ['ann@example.org'] }),
  ];
  for (const reply of answers) {
    expect(verdict(reply)).toBe('201');
    const mime = sender.mime(reply).toString();
    const head = mime.slice(0, mime.indexOf('\r\n\r\n'));
    for (const line of head.split('\r\n')) {
      expect(line).toMatch(
        /^(From|To|Cc|Subject|Message-ID|Date|MIME-Version|Content-[\w-]+|References|In-Reply-To): |^[ \t]/,
      );
    }
    expect(head).not.toMatch(/^(bcc|x-evil)/im);
    expect(reply.json.data.recipients.map(({ email }: { email: string }) => email)).not.toContain(
      'evil@example.com',
    );
  }
  expect(answers[0]!.json.data).toMatchObject({
    subject: 'Re: Hello Bcc: evil@example.com evil body',
    // The name stays one, in quotes, with the address that it mentions.
    to: ['Ann Bcc: evil@example.com <ann@example.org>'],
    cc: ['bob@example.org', 'cy@example.org'],
  });
  const [, to] = /^To: (.*)\r$/m.exec(sender.mime(answers[0]!).toString())!;
  expect(to).toBe('"Ann Bcc: evil@example.com" <ann@example.org>');
});
