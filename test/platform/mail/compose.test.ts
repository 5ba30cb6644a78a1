/** A composed mail parses back to its input, and every server accepts it. */
import { describe, expect, test } from 'bun:test';
import * as fc from 'fast-check';
import { type AddressObject, simpleParser } from 'mailparser';
import { compose, type Draft } from '../../../src/platform/mail/compose.ts';
import { hasControl, type Mailbox, readMailbox } from '../../../src/platform/mail/mailbox.ts';
import { isMessageId } from '../../../src/platform/mail/thread.ts';

const plain: Draft = {
  from: readMailbox('Shop <hello@shop.example>'),
  to: [readMailbox('ann@example.org')],
  cc: [],
  reply_to: null,
  subject: 'Hello',
  text: 'Good morning.',
  html: '',
  message_id: '<1@shop.example>',
  threading: null,
  attachments: [],
  nowUs: Date.UTC(2026, 10, 21, 8) * 1000,
};

const make = async (draft: Partial<Draft> = {}) =>
  Buffer.concat(await Array.fromAsync(compose({ ...plain, ...draft }, 1024)));
const parse = (mime: Buffer) => simpleParser(mime, { skipHtmlToText: true, skipTextToHtml: true });

/** As mailparser returns it: it decodes xn--. */
const addresses = (header: AddressObject | AddressObject[] | undefined) =>
  [header ?? []].flat().flatMap(({ value }) => value.map(({ name, address }) => ({ name, address })));
const asRead = ({ name, email }: Mailbox) => ({
  name,
  address: email.replace(/@(.*)$/, (_, domain: string) => `@${unicode(domain)}`),
});
const unicode = (domain: string) => domain.replace('xn--bcher-kva', 'bücher');

/** RFC 5321 4.5.3.1.6 and 2.3.8: what every server accepts without an extension. */
function expectTransportable(mime: Buffer): void {
  const text = mime.toString('latin1');
  expect(text.replace(/[\x20-\x7e\t\r\n]/g, '')).toBe('');
  expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
  expect(text.split('\r\n').filter((line) => line.length > 998)).toEqual([]);
}

const words = fc.oneof(
  fc.constantFrom(
    'Ann',
    'Änne',
    '山田',
    '🎉',
    'Lee,',
    '"A"',
    "O'Hara",
    '=?utf-8?Q?x?=',
    'a@b.example',
    '\\',
    '(x)',
    ';',
  ),
  fc.string({ unit: 'grapheme', maxLength: 8 }),
);
const line = (max: number) =>
  fc
    .array(words, { maxLength: max })
    .map((list) => list.join(' ').replace(/\s+/g, ' ').trim())
    .filter((text) => !hasControl(text) && text.isWellFormed());
const name = line(6).filter((text) => {
  try {
    return readMailbox(`"${text.replace(/["\\]/g, '\\$&')}" <a@b.example>`).name === text;
  } catch {
    return false;
  }
});
const email = fc.constantFrom(
  'ann@example.org',
  'Bob.Lee+tag@example.net',
  "o'h!#$%&*=?^_`{|}~-@b.example",
  'cy@xn--bcher-kva.example',
);
const mailbox = fc
  .record({ name, email })
  .map((each): Mailbox => ({ ...each, domain: each.email.split('@')[1]! }));
const body = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('.', '..', 'From x', ' \t', '=', '=20', '\n', '\r\n', 'x'.repeat(2000)),
    ),
    {
      maxLength: 12,
    },
  )
  .map((list) => list.join('\n').toWellFormed())
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the API refuses these.
  .filter((text) => !/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/.test(text));

describe('a composed mail', () => {
  test('parses back to the requested addresses and subject, and nothing else', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          from: mailbox,
          to: fc.array(mailbox, { minLength: 1, maxLength: 10 }),
          cc: fc.array(mailbox, { maxLength: 5 }),
          reply_to: fc.option(mailbox),
          subject: line(20),
        }),
        async (input) => {
          const mime = await make(input);
          expectTransportable(mime);
          const mail = await parse(mime);
          expect(addresses(mail.from)).toEqual([asRead(input.from)]);
          expect(addresses(mail.to)).toEqual(input.to.map(asRead));
          expect(addresses(mail.cc)).toEqual(input.cc.map(asRead));
          expect(addresses(mail.replyTo)).toEqual(input.reply_to ? [asRead(input.reply_to)] : []);
          expect(mail.subject ?? '').toBe(input.subject);
          const known = /^(from|to|cc|reply-to|subject|message-id|date|mime-version|content-[a-z-]+)$/;
          expect(mail.headerLines.filter(({ key }) => !known.test(key))).toEqual([]);
        },
      ),
      { numRuns: 300 },
    );
  });

  test('parses back to the requested text', async () => {
    const normal = (text: string) => text.replace(/\r\n|\r|\n/g, '\n').replace(/\n+$/, '');
    await fc.assert(
      fc.asyncProperty(body, body, async (text, html) => {
        if (text === '' && html === '') return;
        const mime = await make({ text, html });
        expectTransportable(mime);
        const mail = await parse(mime);
        expect(normal(mail.text ?? '')).toBe(normal(text));
        expect(normal(mail.html || '')).toBe(normal(html));
      }),
      { numRuns: 300 },
    );
  });

  test('has its text before its HTML, and each only if it was given', async () => {
    const types = async (draft: Partial<Draft>) =>
      [...(await make(draft)).toString().matchAll(/^Content-Type: ([^;\r\n]+)/gm)].map(([, type]) => type);
    expect(await types({ text: 'a', html: '' })).toEqual(['text/plain']);
    expect(await types({ text: '', html: '<p>a</p>' })).toEqual(['text/html']);
    expect(await types({ text: 'a', html: '<p>a</p>' })).toEqual([
      ...['multipart/alternative', 'text/plain', 'text/html'],
    ]);
  });

  test('has a date, an id and its thread', async () => {
    const threading = { in_reply_to: '<2@x.example>', references: ['<1@x.example>', '<2@x.example>'] };
    const text = (await make({ threading })).toString();
    expect(text).toContain('\r\nDate: Sat, 21 Nov 2026 08:00:00 +0000\r\n');
    expect(text).toContain('\r\nMessage-ID: <1@shop.example>\r\n');
    expect(text).toContain('\r\nIn-Reply-To: <2@x.example>\r\n');
    expect(text).toContain('\r\nReferences: <1@x.example> <2@x.example>\r\n');
    const long = Array.from({ length: 30 }, (_, index) => `<${index}-${'x'.repeat(90)}@x.example>`);
    const mime = await make({ threading: { in_reply_to: long[0]!, references: long } });
    expectTransportable(mime);
    expect((await parse(mime)).references).toEqual(long);
  });

  test('reads no file and no URL, whatever the body says', async () => {
    for (const text of [
      'file:///etc/hostname',
      'data:text/plain,hi',
      '/etc/hostname',
      'https://example.org/',
    ]) {
      const mail = await parse(await make({ text, html: text }));
      expect([mail.text?.trim(), String(mail.html).trim()]).toEqual([text, text]);
    }
  });

  test('of the largest request can be transported, whatever it contains', async () => {
    const room = 512 * 1024;
    for (const letter of ['x', ' ', '=', 'é', '漢', '\n', '.\n', 'word ', '\t']) {
      const text = letter.repeat(room / Buffer.byteLength(letter));
      const mime = await make({ text, html: text });
      expectTransportable(mime);
    }
  });
});

test('a Message-ID that could break a line is dropped', () => {
  for (const id of ['<a@b>', '<a.b-c=d+1@[192.0.2.1]>', "<!#$%&'*/?^_`{|}~@b>"])
    expect([id, isMessageId(id)]).toEqual([id, true]);
  for (const id of [
    '',
    'a@b',
    '<a>',
    '<a@b',
    'a@b>',
    '<a@b@c>',
    '<a b@c>',
    '<a@b>\r\nX: 1',
    '<a@b> ',
    '<ü@b>',
    '<a@b><c@d>',
    '<@b>',
    '<a@>',
  ]) {
    expect([id, isMessageId(id)]).toEqual([id, false]);
  }
});
