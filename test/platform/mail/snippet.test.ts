/** The beginning of a mail's text, as a list shows it. Strangers write the mail. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { cutSnippet, SNIPPET_CHARS_MAX } from '../../../src/platform/mail/snippet.ts';

const ofHtml = (html: string) => cutSnippet({ text: ' \r\n', html });

test.each([
  ['Hello,\r\n\r\n  your code\tis 1.', 'Hello, your code is 1.'],
  ['\ufeff\u200b\u200c Hello \u00a0\u034f\u200d', 'Hello'],
])('the snippet of the text %j is %j', (text, snippet) =>
  expect(cutSnippet({ text, html: '<p>other</p>' })).toBe(snippet),
);

test.each([
  ['<p>Only <b>HTML</b></p>', 'Only HTML'],
  ['<head><style>p{color:red}</style><title>t</title></head><body><!-- no --><p>Hi</p></body>', 'Hi'],
  [
    `<html><head><style>${'.a{}'.repeat(9_000)}</style></head><body class="x">After a long head</body>`,
    'After a long head',
  ],
  [
    '<div>&zwnj;&nbsp;&#847;&#x200B;&shy;</div><p>Caf&eacute; &amp; Gr&uuml;&szlig;e &mdash; &#8364;5</p>',
    'Café & Grüße — €5',
  ],
  ['&bogus; &#0; &#x110000; x', '&bogus; \ufffd \ufffd x'],
  ['', ''],
])('the snippet of the HTML %j is %j', (html, snippet) => expect(ofHtml(html)).toBe(snippet));

test('padding at the beginning, inside, and where the snippet is cut makes no difference', () => {
  const pieces = fc.array(
    fc.constantFrom('a', 'word', ' ', '\u200b', '\n', ' '.repeat(170), '\ufeff', 'x'.repeat(150)),
    {
      maxLength: 40,
    },
  );
  const padding =
    /(?:\u034f|[\s\u00ad\u061c\u115f\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2064\u2066-\u2069\ufeff])+/g;
  fc.assert(
    fc.property(pieces, (parts) => {
      const text = `a${parts.join('')}`;
      const whole = text.slice(0, 2_000).replace(padding, ' ').trim();
      expect(cutSnippet({ text, html: '' })).toBe(whole.slice(0, SNIPPET_CHARS_MAX));
    }),
  );
});

test('the snippet is one well-formed line of bounded length, whatever the mail is', () => {
  const wild = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 400 }),
    fc
      .array(
        fc.constantFrom(
          '<',
          '>',
          '<!--',
          '-->',
          '<body',
          '&',
          '&#',
          ';',
          '<style>',
          'é',
          '👍',
          '\ud800',
          ' ',
          'word',
        ),
        {
          maxLength: 200,
        },
      )
      .map((pieces) => pieces.join('')),
  );
  fc.assert(
    fc.property(wild, wild, (text, html) => {
      for (const snippet of [cutSnippet({ text, html }), ofHtml(html)]) {
        expect(snippet.length).toBeLessThanOrEqual(SNIPPET_CHARS_MAX);
        expect(snippet.isWellFormed()).toBe(true);
        expect(snippet).not.toMatch(/[\r\n\t]/);
      }
    }),
    { numRuns: 1_000 },
  );
});

test.each(['<', '<!--', '&#', '<body', '<style>', ' ', '\u200c', '<a '])(
  'a megabyte of %j is read in bounded time',
  (piece) => {
    const html = piece.repeat(1_000_000 / piece.length);
    const began = process.cpuUsage();
    ofHtml(html);
    cutSnippet({ text: html, html });
    // A tenth of a second of processor time. Each takes a few milliseconds.
    expect(process.cpuUsage(began).user).toBeLessThan(100_000);
  },
);
