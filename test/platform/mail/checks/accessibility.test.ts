/** Accessibility rules (docs/checks.md), each with HTML that breaks it and HTML that only seems to. */
import { describe, expect, test } from 'bun:test';
import { checkHtml } from '../../../../src/platform/mail/checks/html.ts';

const page = (body: string) => `<html lang="en"><body>\n${body}</body></html>`;
const found = (body: string, html = page(body)) =>
  checkHtml(html).accessibility.map(({ rule, element }) => `${rule} ${element}`);

describe('accessibility', () => {
  test.each([
    ['<img src="a.png">', 'alt line 2: <img src="a.png">'],
    ['<img>\n<img>', 'alt line 2: <img>', 'alt line 3: <img>'],
    ['<a href="https://a.org">Click here</a>', 'link_text line 2: <a href="https://a.org">'],
    ['<a href="https://a.org">hier &raquo;</a>', 'link_text line 2: <a href="https://a.org">'],
    ['<a href="https://a.org"><img alt=""></a>', 'link_text line 2: <a href="https://a.org">'],
    ['<h1>A</h1><h3>B</h3>', 'heading line 2: h1 before <h3>'],
    ['<h2> </h2>', 'heading line 2: empty <h2>'],
    [
      '<p style="color:#999;background:#fff">faint</p>',
      'contrast line 2: #999999 on #ffffff, 2.8:1 <p style="color:#999;background:#fff">',
    ],
    [
      '<table bgcolor="#ffff00"><tr><td><font color="white">x</font></td></tr></table>',
      'contrast line 2: #ffffff on #ffff00, 1:1 <font color="white">',
    ],
    [
      '<p style="font-size:24px;color:rgb(160, 160, 160);background-color:white">large</p>',
      expect.stringContaining('contrast line 2: #a0a0a0 on #ffffff, 2.6:1'),
    ],
    // biome-ignore format: a row each.
  ])('%p is reported', (body, ...wanted) => {
    expect(found(body)).toEqual(wanted);
  });

  test.each([
    ['<img alt=""><img alt="Logo"><img role="presentation"><img aria-hidden="true">'],
    ['<a href="https://a.org">Open the invoice</a>'],
    ['<a href="https://a.org"><img alt="Open the invoice"></a>'],
    ['<a href="https://a.org" aria-label="Open the invoice"></a>'],
    ['<a name="top"></a>'],
    ['<h1>A</h1><h2>B</h2><h1>C</h1>'],
    ['<h1><img alt="Acme"></h1>'],
    ['<p style="color:#767676;background:#fff">just enough</p>'],
    ['<p style="font-size:24px;color:#949494;background-color:#fff">large</p>'],
    // Only one of the colours is known, or neither has a letter on it.
    ['<p style="color:#999">x</p><p style="background:#fff">x</p>'],
    ['<p style="color:#999;background:#fff">&nbsp;·</p>'],
    ['<p style="color:#999;background:#fff url(a.png)">x</p>'],
    ['<p style="color:#999;background:#fff;display:none">preheader</p>'],
    ['<p style="background:#fff;color:#999"><a href="https://a.org">has its own colour</a></p>'],
    ['<style>.x{color:#000}</style><p style="color:#999;background:#fff"><b class="x">by class</b></p>'],
    // biome-ignore format: a row each.
  ])('%p is fine', (body) => {
    expect(found(body)).toEqual([]);
  });

  test('a pair of colours is reported once, and nested elements inherit colours', () => {
    const body =
      '<div style="background:#fff"><p style="color:#aaa">a</p><p style="color:#aaa"><b>b</b></p></div>';
    expect(found(body)).toHaveLength(1);
    expect(
      found('<div style="background:#000;color:#fff"><p style="color:#333">dark</p></div>'),
    ).toHaveLength(1);
  });

  test('a missing language is reported with and without an html element', () => {
    expect(found('', '\n<html><body>x')).toEqual(['lang line 2: <html>']);
    expect(found('', '<p>x</p>')).toEqual(['lang line 1: no <html> element']);
    expect(found('', '<html lang="  "><p>x</p>')).toEqual(['lang line 1: <html lang=" ">']);
    expect(found('', '')).toEqual([]);
  });

  test('at most a hundred findings are listed', () => {
    expect(found('<img>'.repeat(1000))).toHaveLength(100);
  });
});
