/** Which features of caniemail.com a mail's HTML and CSS use, where, and how the score counts them. */
import { describe, expect, test } from 'bun:test';
import { features, supportDate } from '../../../../src/platform/mail/checks/caniemail.ts';
import { findable } from '../../../../src/platform/mail/checks/feature-names.ts';
import { checkHtml } from '../../../../src/platform/mail/checks/html.ts';

const listWarnings = (html: string) => checkHtml(html).support.warnings;
const findPlace = (html: string, feature: string) =>
  listWarnings(html).find((warning) => warning.feature === feature)?.where;

describe('the data', () => {
  test('has only features that can be found', () => {
    expect([...features.keys()].filter((slug) => !findable.has(slug))).toEqual([]);
    expect(features.size).toBeGreaterThan(300);
    expect(supportDate).toMatch(/^20\d\d-\d\d-\d\d$/);
  });

  test('counts each tested client once', () => {
    for (const { slug, support, clients, partly } of features.values()) {
      const sum = support.full + support.partial + support.none;
      expect([slug, Math.abs(sum - 100) < 0.2]).toEqual([slug, true]);
      expect([slug, support.none === 0]).toEqual([slug, clients.length === 0]);
      expect([slug, support.partial === 0]).toEqual([slug, partly.length === 0]);
    }
  });
});

describe('a feature is found', () => {
  test.each([
    ['<p>\n<video controls></p>', '<video> element', 'line 2: <video controls>'],
    ['<VIDEO>', '<video> element', 'line 1: <VIDEO>'],
    ['<input type="CHECKBOX">', '<input type="checkbox"> element', 'line 1: <input type="CHECKBOX">'],
    ['<button>Go</button>', '<button type="submit"> element', 'line 1: <button>'],
    ['<td background="a.webp">', 'background attribute', 'line 1: <td background="a.webp">'],
    ['<td background="a.webp">', 'webP image format', 'line 1: <td background="a.webp">'],
    ['<img src="a.svg?v=2">', 'SVG image format', 'line 1: <img src="a.svg?v=2">'],
    ['<img src="data:image/png;base64,AA==">', 'Base 64 image format', expect.stringContaining('data:image')],
    ['<a href="#top">x</a>', 'Local anchors', 'line 1: <a href="#top">'],
    ['<p style="display: flex">', 'display:flex', 'line 1: display: flex'],
    ['<p style="DISPLAY:INLINE-FLEX">', 'display:flex', 'line 1: DISPLAY:INLINE-FLEX'],
    ['<p style="color:red;gap:1px">', 'gap, column-gap, row-gap', 'line 1: gap:1px'],
    ['<p style="width:calc(100% - 2px)">', 'CSS calc() function', 'line 1: width:calc(100% - 2px)'],
    ['<p style="width:5vw">', 'vw unit', 'line 1: width:5vw'],
    ['<p style="color: red !important">', '!important keyword', 'line 1: color: red !important'],
    ['<p style="--x: 1">', 'CSS Variables (Custom Properties)', 'line 1: --x: 1'],
    ['<p style="margin-inline-start:1px">', 'margin-inline-start & margin-inline-end', expect.any(String)],
    ['<p style="background:url(a.avif)">', 'AVIF image format', expect.any(String)],
    [`<p style='background:url("a.avif")'>`, 'AVIF image format', expect.any(String)],
    [
      '<p style="font-family:system-ui">',
      'system-ui, ui-serif, ui-sans-serif, ui-rounded, ui-monospace',
      expect.any(String),
    ],
    [
      '<style>\n\n@media (hover) { a { color: red } }</style>',
      '@media (hover), @media (any-hover)',
      'line 3: @media (hover)',
    ],
    ['<style>@import "a.css";</style>', '@import', 'line 1: @import "a.css"'],
    ['<style>@font-face { font-family: x }</style>', '@font-face', 'line 1: @font-face'],
    ['<style>@-webkit-keyframes x { from { top: 0 } }</style>', '@keyframes', 'line 1: @-webkit-keyframes x'],
    ['<style>a:hover{}</style>', ':hover', 'line 1: a:hover'],
    ['<style>a:not(.b){}</style>', ':not', 'line 1: a:not(.b)'],
    ['<style>p:before{}</style>', '::before', 'line 1: p:before'],
    ['<style>p > a{}</style>', 'Child combinator', 'line 1: p > a'],
    ['<style>p a{}</style>', 'Descendant combinator', 'line 1: p a'],
    ['<style>.a.b{}</style>', 'Chaining selectors', 'line 1: .a.b'],
    ['<style>[x="a b"]{}</style>', 'Attribute selector', 'line 1: [x="a b"]'],
    ['<style>.a { .b { color: red } }</style>', 'CSS Nesting', 'line 1: .b'],
    ['<style>@media print { .a { position: fixed } }</style>', 'position', 'line 1: position: fixed'],
    ['<style>a { position: fixed', 'position', 'line 1: position: fixed'],
    ['<script>1</script>', '<script> element', 'line 1: <script>'],
    // biome-ignore format: a row each.
  ])('%p: %s', (html, feature, where) => {
    expect(findPlace(html, feature)).toEqual(where);
  });

  test.each([
    ['in what is no picture', '<video src="a.mp4"></video>', 'Video as Image Assets'],
    ['in the text of a mail', '<p>display:flex <!-- <video> --></p>', 'display:flex'],
    ['in a comment', '<!-- <video> -->', '<video> element'],
    ['in data for mail programs', '<script type="application/ld+json">{}</script>', '<script> element'],
    ['in a selector as a property', '<style>position{}</style>', 'position'],
    [
      'in the argument of a pseudo-class',
      '<style>a:nth-child(2n + 1){}</style>',
      'Adjacent sibling combinator',
    ],
    ['in an attribute selector', '<style>[x=".a > .b"]{}</style>', 'Child combinator'],
    ['in a keyframe', '<style>@keyframes x { from { } }</style>', 'Type selector'],
  ])('but not where something only looks like it: %s', (_, html, feature) => {
    expect(findPlace(html, feature)).toBeUndefined();
  });

  test('once, at its first place, with a snippet that is cut', () => {
    const html = `<p>\n<p style="display:grid">\n<p style="display:grid">\n<p style="position:${'x'.repeat(300)}">`;
    expect(listWarnings(html).filter(({ feature }) => feature === 'display:grid')).toHaveLength(1);
    expect(findPlace(html, 'display:grid')).toBe('line 2: display:grid');
    expect(findPlace(html, 'position')).toHaveLength('line 4: '.length + 80);
  });
});

describe('the score', () => {
  test('is the mean support of the features in use, where partial support counts half, rounded down', () => {
    const { score, warnings } = checkHtml('<p>Hi</p><div style="display:flex">x</div>').support;
    const counted = warnings.map(({ support }) => support.full + support.partial / 2);
    // <p> and <div>, which every client supports, and display with its value flex.
    expect(counted).toHaveLength(2);
    expect(score).toBe(Math.floor((200 + counted[0]! + counted[1]!) / 4));
  });

  test('does not depend on how often a feature is used', () => {
    const [one, many] = [1, 50].map((times) => checkHtml('<p style="position:fixed">x</p>'.repeat(times)));
    expect(many!.support).toEqual(one!.support);
  });

  test('is 100 without HTML, and if every client supports everything', () => {
    expect(checkHtml('').support).toMatchObject({ score: 100, warnings: [] });
    expect(checkHtml('<p>Hi <strong>Ann</strong></p>').support).toMatchObject({ score: 100, warnings: [] });
  });

  test('is not lowered by a doctype, a body or a language', () => {
    const html = '<!doctype html><html lang="en"><body aria-label="x"><p role="note">Hi</p></body></html>';
    expect(checkHtml(html).support).toMatchObject({ score: 100, warnings: [] });
  });

  test('is much higher for a mail of plain tables than for one that needs a browser', () => {
    const plain =
      '<!doctype html><html lang="en"><body><table width="100%" cellpadding="0"><tr><td style="padding:16px;font-size:16px;color:#333333"><h1>Hi</h1><p>Hello</p></td></tr></table></body></html>';
    const modern =
      '<div style="display:grid;gap:8px;position:sticky"><video src="a.mp4"></video><form><input type="text"></form></div>';
    expect(checkHtml(plain).support.score).toBeGreaterThanOrEqual(90);
    expect(checkHtml(modern).support.score).toBeLessThan(75);
  });

  test('comes with warnings, worst first, with the clients and the page of the feature', () => {
    const warnings = listWarnings('<video></video><p style="display:flex">x</p>');
    expect(warnings[0]).toMatchObject({
      feature: '<video> element',
      url: 'https://www.caniemail.com/features/html-video/',
      clients: expect.arrayContaining(['Outlook (Windows)', 'Gmail (Android)']),
    });
    const support = warnings.map((warning) => warning.support.full);
    expect(support).toEqual([...support].sort((one, other) => one - other));
  });
});
