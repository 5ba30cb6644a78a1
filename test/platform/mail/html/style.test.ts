/** The declarations that decide whether text is visible, and how large it is. */
import { describe, expect, test } from 'bun:test';
import { readSheet, readStyle, type Style } from '../../../../src/platform/mail/html/style.ts';

const px = (value: number) => ({ size: { value, relative: false } });

describe('a style', () => {
  test.each<[css: string, style: Style]>([
    ['display:none', { hidden: true }],
    ['color:red;display : none ', { hidden: true }],
    ['DISPLAY:NONE', { hidden: true }],
    ['display:none!important', { hidden: true }],
    ['display:none !IMPORTANT ;', { hidden: true }],
    ['\n\tdisplay\r\f:\nnone\n', { hidden: true }],
    [';;:;display:none', { hidden: true }],
    ['a;b;c:d;e;display:none', { hidden: true }],
    ['display:block;display:none', { hidden: true }],
    ['display:none;display:block', {}],
    ['display;none', {}],
    ['display', {}],
    ['', {}],
    [':', {}],
    [':display:none', {}],
    ['x-display:none;displays:none;displa:none', {}],
    ['display:none:block', {}],
    ['text-indent:-999px', { hidden: true }],
    ['text-indent:-99px', {}],
    ['font-size:20px', px(20)],
    ['Font-Size:1.5EM;', { size: { value: 1.5, relative: true } }],
    ['font-size:constructor', {}],
    ['__proto__:none;constructor:none', {}],
    [
      'font-weight:bold;font-family:Courier;white-space:pre-wrap',
      { bold: true, mono: true, preserved: true },
    ],
    ['letter-spacing:4px;padding:0', { spaced: true, button: true }],
    ['background:url(a:b)', { button: true }],
  ])('%j', (css, style) => expect(readStyle(css)).toEqual(style));

  test('has only names that browsers know, so a no-break space or a control character is part of the name', () => {
    for (const name of [
      'display\u00a0',
      '\u00a0display',
      '\ufeffdisplay',
      'display\0',
      '\0display',
      '\u000bdisplay',
    ])
      expect(readStyle(`${name}:none`)).toEqual({});
    expect(readStyle('bac\u212aground:red')).toEqual({});
  });

  test('is read in part when it is very long', () => {
    expect(readStyle(`${'a:b;'.repeat(400)}display:none`)).toEqual({ hidden: true });
    expect(readStyle(`${'a:b;'.repeat(600)}display:none`)).toEqual({});
  });
});

test('a style sheet has the rules of simple selectors', () => {
  const rules = new Map<string, Style>();
  readSheet(
    `/* p{display:none} */ .A, td , #c{font-size:9px/**/} @media x { .a{display:none} } p.b{display:none}
     .a{font-weight:700} div p{display:none} a:hover{display:none} i{colour:red} b{display:none`,
    rules,
  );
  expect(Object.fromEntries(rules)).toEqual({
    '.a': { ...px(9), bold: true },
    td: px(9),
    '#c': px(9),
    'p.b': { hidden: true },
  });
});
