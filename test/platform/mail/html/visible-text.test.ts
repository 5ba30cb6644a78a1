/** What the name of an element says about the text in it. */
import { describe, expect, test } from 'bun:test';
import { readHtml } from '../../../../src/platform/mail/html/visible-text.ts';

const lookIn = (element: string) => readHtml(`<p><${element}>a</${element}></p>`).lines[0]?.runs[0]?.look;

describe('the look of text', () => {
  for (const [element, size] of [
    ['h1', 32],
    ['h2', 24],
    ['h3', 19],
    ['h4', 16],
    ['p', 14],
  ] as const)
    test(`in ${element}: ${size} pixels`, () => expect(lookIn(element)?.size).toBe(size));
  for (const element of ['b', 'strong', 'h1', 'h2', 'h3', 'h4', 'th'])
    test(`in ${element}: bold`, () => expect(lookIn(element)?.bold).toBe(true));
  for (const element of ['code', 'pre', 'kbd', 'samp', 'tt'])
    test(`in ${element}: monospaced`, () => expect(lookIn(element)?.mono).toBe(true));
  test('in span: like the text around it', () =>
    expect(lookIn('span')).toMatchObject({ size: 14, bold: false, mono: false, heading: false }));
});

describe('the text is not visible', () => {
  for (const element of [
    ...['head', 'title', 'script', 'style', 'template', 'noscript', 'object', 'iframe'],
    ...['svg', 'math', 'audio', 'video', 'canvas', 'datalist', 'xml'],
  ])
    test(`in ${element}`, () => expect(readHtml(`<${element}>a</${element}><p>b</p>`).lines).toHaveLength(1));
});
