/**
 * A mail's HTML after the sanitiser: what stays, what is counted, and its dark mode. Tests in a browser see the rest.
 */
import { describe, expect, test } from 'bun:test';
import { resolveCss } from '../../../../src/platform/mail/html/frame-css.ts';
import { makeSafeHtml } from '../../../../src/platform/mail/html/safe-html.ts';

const light = { remoteImages: false, dark: false };
const dark = { remoteImages: false, dark: true };

describe('a mail that is made safe', () => {
  test('keeps its direction, language, root colours and styles', () => {
    const html =
      '<html dir="rtl" lang="ar"><head><style>p{color:red}</style></head><body bgcolor="#223344" text="white" link="gold" style="margin:0"><p>x</p></body></html>';
    expect(makeSafeHtml(html, light)).toEqual({ doctype: '', html, removed: {}, hasDark: false });
  });

  test.each([
    ['<!doctype html><p>x', '<!DOCTYPE html>'],
    ['<!-- first --><?xml version="1.0"?>\n<!DOCTYPE html><p>x', '<!DOCTYPE html>'],
    [
      '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd"><p>',
      '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">',
    ],
    ['<p>x</p><!doctype html>', ''],
    ['<!doctype html PUBLIC "<script>">', ''],
    ['<p>x', ''],
  ])('of %p has the document type %p, which decides its layout', (html, doctype) => {
    expect(makeSafeHtml(html, light).doctype).toBe(doctype);
  });

  test('counts each kind that was removed', () => {
    const html =
      '<form><input><button onclick="x()">Go</button></form><script>1</script><iframe src="x"></iframe><video></video><svg><script>2</script></svg><link rel="stylesheet" href="https://x.example"><style>@import "y";</style><meta http-equiv="Refresh" content="1"><a href="java\tscript:x()">a</a>';
    expect(makeSafeHtml(html, light).removed).toEqual({
      form: 1,
      field: 2,
      script: 4,
      frame: 1,
      video: 1,
      drawing: 1,
      sheet: 2,
      redirect: 1,
    });
  });

  test('shows a picture that is not loaded as a broken one, so that its space is kept', () => {
    for (const src of ['https://x.example/a.png', '//x.example/a.png', 'a.png'])
      expect(makeSafeHtml(`<img src="${src}" width="600">`, light).html).toContain('src="data:,"');
    const loaded = makeSafeHtml('<img src=" https://x.example/a.png">', { remoteImages: true, dark: false });
    expect(loaded.html).toContain('src="https://x.example/a.png"');
  });

  test('has a dark mode if its styles or its head declare one, and can be shown in either mode', () => {
    const media = '<style>@media (prefers-color-scheme: dark){p{color:red}}</style>';
    expect(makeSafeHtml(media, light)).toMatchObject({ hasDark: true });
    expect(makeSafeHtml(media, light).html).toContain('(min-width:999999px)');
    expect(makeSafeHtml(media, dark).html).toContain('(min-width:0)');
    const head = '<meta name="color-scheme" content="light dark">';
    expect(makeSafeHtml(head, dark)).toMatchObject({
      hasDark: true,
      html: '<style>:root{color-scheme:dark}</style>',
    });
    expect(makeSafeHtml('<p style="color-scheme:light">x</p>', dark).hasDark).toBe(false);
  });
});

test.each([
  ['@media (prefers-color-scheme:light)', '@media (min-width:999999px)'],
  ['@media screen and ( prefers-color-scheme )', '@media screen and (min-width:0)'],
  [':root{color-scheme: light dark !important}', ':root{color-scheme:dark!important}'],
  ['a{height:100vh;min-height:calc(50.5vh - 2px)}', 'a{height:900px;min-height:calc(454.5px - 2px)}'],
  ['a{background:url(data:10vh);--vh:vh}', 'a{background:url(data:90px);--vh:vh}'],
])('%p becomes %p for a reader in dark mode', (css, settled) => {
  expect(resolveCss(css, true)).toBe(settled);
});

test.each([
  ['open brackets', '('],
  ['open conditions', '(prefers-color-scheme '],
  ['properties', 'color-scheme:'],
  ['digits', '1'],
  ['spaces', ' '],
])('a million characters of %s are rewritten within a second', (_, piece) => {
  const css = piece.repeat(Math.ceil(1_000_000 / piece.length));
  const startedAt = performance.now();
  resolveCss(css, true);
  expect(performance.now() - startedAt).toBeLessThan(1_000);
});
