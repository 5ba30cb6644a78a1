/** How the pages colour and fold a source, and find links in text. All of it may be hostile. */
import { describe, expect, test } from 'bun:test';
import { decodeWords, readHeaderFields } from '../../../src/web/mail/header-fields.ts';
import { makeText } from '../../../src/web/mail/html-text.ts';
import { listBlind } from '../../../src/web/mail/recipients.ts';
import { type Coloured, indexFolds, listShown, splitRows } from '../../../src/web/mail/source/code.ts';
import { colourHtml, indentHtml } from '../../../src/web/mail/source/html.ts';
import { colourMail } from '../../../src/web/mail/source/mail.ts';
import { cutLinks } from '../../../src/web/mail/text-links.ts';
import { cpuMs } from '../../peers/cpu-time.ts';

const list = (text: string, { tokens }: Coloured) =>
  tokens.map(({ kind, from, to }) => `${kind} ${text.slice(from, to)}`);

describe('HTML source', () => {
  test('has colours for tags, attributes, values, comments, references and style sheets', () => {
    const html = '<!--a--><a href="x>y" b=1 c>&amp;</a><style>/*s*/p{color:red}</style>';
    expect(list(html, colourHtml(html))).toEqual([
      ...['comment <!--a-->', 'mark <', 'tag a', 'attribute href', 'mark =', 'value "x>y"'],
      ...['attribute b', 'mark =', 'value 1', 'attribute c', 'mark >', 'entity &amp;', 'mark </', 'tag a'],
      ...['mark >', 'mark <', 'tag style', 'mark >', 'comment /*s*/', 'attribute color'],
      ...['mark </', 'tag style', 'mark >'],
    ]);
  });

  test('is folded by element, and by the outer one where two begin on one line', () => {
    const html = '<div><p>\none\n</p>\n<br>\n</div>';
    const folds = indexFolds(colourHtml(html).folds);
    expect([...folds.values()]).toEqual([{ from: 0, to: 4 }]);
    const rows = splitRows(html, []);
    expect(listShown(rows, folds, new Set([0])).map(({ line }) => line)).toEqual([0, 4]);
    expect(listShown(rows, folds, new Set()).map(({ line }) => line)).toEqual([0, 1, 2, 3, 4]);
  });

  test('is indented by block, and preformatted text stays unchanged', () => {
    expect(indentHtml('<table><tr><td>a <b>b</b></td></tr></table><pre> x\n  y</pre>')).toBe(
      '<table>\n  <tr>\n    <td>a <b>b</b></td>\n  </tr>\n</table>\n<pre> x\n  y</pre>',
    );
  });

  test('with a tag of one long line is indented in linear time', () => {
    const began = cpuMs();
    indentHtml(`<${'a'.repeat(40_000)}\n>\nx\ny<p>z</p>\n`);
    expect(cpuMs() - began).toBeLessThan(1_000);
  });

  test('keeps every character in its rows, in its order, however it is cut', () => {
    const html = `<p a="${'v'.repeat(5_000)}">\n\n</p>`;
    const rows = splitRows(html, colourHtml(html).tokens);
    const text = rows.map(({ isRest, pieces }, index) => {
      return (isRest || index === 0 ? '' : '\n') + pieces.map((piece) => piece.text).join('');
    });
    expect(text.join('')).toBe(html);
    expect(rows.filter(({ isRest }) => isRest)).toHaveLength(2);
  });

  // Each is as long as the pages ever show. In quadratic time, one takes minutes.
  test.each([
    '<',
    '<a ',
    '<a b="',
    '<!--',
    '<style>/*',
    '&a',
    '</p>',
    '<p>',
    '<p \n',
    '<b>&',
    `<style>"'`,
    'a',
  ])(
    'of nothing but %p is read quickly',
    (piece) => {
      const html = piece.repeat((256 * 1024) / piece.length);
      const began = cpuMs();
      splitRows(html, colourHtml(html).tokens);
      indentHtml(html);
      makeText(html);
      expect(cpuMs() - began).toBeLessThan(5_000);
    },
    20_000,
  );
});

describe('header fields', () => {
  test('are unfolded, and what is not a field is left out', () => {
    expect(readHeaderFields('Subject: a\r\n b\r\nno field\r\nX-Empty:\r\nTo:\tann@example.org')).toEqual([
      ['Subject', 'a b'],
      ['X-Empty', ''],
      ['To', 'ann@example.org'],
    ]);
  });

  test('have their encoded words decoded, also a character that is divided between two', () => {
    for (const [written, shown] of [
      ['=?utf-8?Q?Gr=C3?= =?UTF-8?Q?=BC=C3=9Fe?=, =?iso-8859-1*de?q?f=FCr_5?=', 'Grüße, für 5'],
      ['=?utf-8?B?w?= x', '=?utf-8?B?w?= x'],
      ['=?x-none?Q?a?= =?utf-8?B?w7w=?=', '=?x-none?Q?a?=ü'],
    ] as const)
      expect(decodeWords(written)).toBe(shown);
  });

  test('full of white space are read in linear time', () => {
    const began = cpuMs();
    readHeaderFields(`X:${' '.repeat(100_000)}\u2028 x\u2028`);
    for (const piece of ['=?a?q?', '=?a?q?x?=', '?= ', '=?a*'])
      decodeWords(piece.repeat(100_000 / piece.length));
    expect(cpuMs() - began).toBeLessThan(1_000);
  });
});

describe('a raw source', () => {
  const base64 = Array.from({ length: 20 }, () => 'QUJD'.repeat(19)).join('\n');
  const mail = [
    'Subject: a',
    ' b',
    'Content-Type: multipart/mixed; boundary="x"',
    '',
    '--x',
    'Content-Type: text/plain',
    '',
    'Not-a-field: in a body',
    '--x',
    'Content-Transfer-Encoding: base64',
    '',
    base64,
    '--x--',
  ].join('\n');

  test('has colours for header fields and boundaries, even within parts, but not in bodies', () => {
    expect(list(mail, colourMail(mail))).toEqual([
      ...['field Subject:', 'field Content-Type:', 'boundary --x', 'field Content-Type:', 'boundary --x'],
      ...['field Content-Transfer-Encoding:', 'boundary --x--'],
    ]);
  });

  test('is folded by part, and base64 is closed at first', () => {
    expect(colourMail(mail).folds).toEqual([
      { from: 0, to: 3 },
      { from: 4, to: 8 },
      { from: 11, to: 31, isClosed: true },
      { from: 8, to: 31 },
    ]);
  });
});

describe('links in text', () => {
  test('end before the punctuation of the sentence, and other schemes are not links', () => {
    const text =
      'See https://a.example/x_(y). Or (http://b.example/?q=1), <mailto:a@b.example>! javascript:alert(1) ftp://c';
    expect(cutLinks(text).flatMap(({ text, isLink }) => (isLink ? [text] : []))).toEqual([
      'https://a.example/x_(y)',
      'http://b.example/?q=1',
      'mailto:a@b.example',
    ]);
    expect(
      cutLinks(text)
        .map((piece) => piece.text)
        .join(''),
    ).toBe(text);
  });

  test('end where the direction of writing is overridden', () => {
    expect(cutLinks('https://a.example/\u202Egpj')[0]).toEqual({ text: 'https://a.example/', isLink: true });
  });

  test('are at most a thousand, and the rest stays text', () => {
    const pieces = cutLinks('https://a.example/x '.repeat(10_000));
    expect(pieces.filter(({ isLink }) => isLink)).toHaveLength(1_000);
    expect(pieces).toHaveLength(2_000);
  });
});

test('the text of HTML has lines, bullets and addresses of links, and nothing that is not seen', () => {
  const html = `<head><title>no</title></head><style>p{}</style><h1>A &amp; B</h1><!-- no --><p>one
    two<br>three <a href="https://a.example/?a&amp;b">here</a>.</p><ul><li>x<li>y</ul><pre>a
  b</pre><script>no</script>`;
  expect(makeText(html)).toBe('A & B\n\none two\nthree here <https://a.example/?a&b>.\n\n• x\n• y\n\na\n  b');
});

describe('a blind recipient', () => {
  const to = ['Dev <DEV@shop.test>'];
  const received = {
    to,
    cc: ['b@shop.test'],
    envelope_recipient: '',
    status: 'parsed',
    truncated: false,
  } as const;
  const recipients = ['dev+x@shop.test', 'B@shop.test', 'eve@shop.test'].map((address) => ({
    id: address,
    address,
  }));

  test('is in the envelope and in no header, with or without its tag', () => {
    expect(listBlind({ ...received, to, cc: [...received.cc], recipients })).toEqual([recipients[2]!]);
  });

  test('is not claimed where the headers were not read in full', () => {
    const cut = { ...received, to: [], cc: [], recipients };
    expect(listBlind({ ...cut, truncated: true })).toEqual([]);
    expect(listBlind({ ...cut, status: 'failed' })).toEqual([]);
  });
});
