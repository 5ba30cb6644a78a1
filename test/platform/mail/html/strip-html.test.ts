/** The text of HTML, as snippets, searches and agents get it. */
import { expect, test } from 'bun:test';
import { stripHtml } from '../../../../src/platform/mail/html/strip-html.ts';

const squeeze = (text: string) => text.replace(/\s+/g, ' ').trim();

test.each([
  ['<p>Only <b>HTML</b></p>', 'Only HTML'],
  // A style inside of the head, which most HTML mail has.
  ['<html><head><title>Title</title><style>p{color:red}</style></head><body><p>Hi</p></body></html>', 'Hi'],
  ['<head><meta charset="utf-8"><script>let a = "<b>";</script><title>T</title></head>Hi', 'Hi'],
  ['<style>p{}</style><p>Hi</p><style>b{}</style><p>there</p>', 'Hi there'],
  ['<p>Hi</p><style>never closed', 'Hi never closed'],
  ['<!--[if mso]><table><tr><td>Outlook</td></tr></table><![endif]--><p>Hi</p><!-- <p>no</p> -->', 'Hi'],
  ['<p>Hi</p><!-- never closed', 'Hi'],
  ['Gr&uuml;&szlig;e &amp; &#8364;5 &#x41;&nbsp;&lt;b&gt;', 'Grüße & €5 A <b>'],
  ['&amp;lt; &bogus; &#0; &#x110000; x', '&lt; &bogus; \ufffd \ufffd x'],
  ['Ver&shy;ify&zwnj;&nbsp;&#847;now &laquo;&times;&raquo;', 'Verify now «×»'],
  ['<header>Top</header>', 'Top'],
])('the text of %j is %j', (html, text) => expect(squeeze(stripHtml(html))).toBe(text));

test('hostile HTML takes linear time', () => {
  const started = performance.now();
  for (const piece of ['<style', '<!--', '<head><style>', '<title>', '&#', '<'])
    stripHtml(piece.repeat(200_000));
  expect(performance.now() - started).toBeLessThan(5_000);
});
