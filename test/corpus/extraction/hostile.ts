/** Mails made to keep a reader busy: pieces repeated up to a size. */

export const MIB = 1024 * 1024;

const fill = (piece: string, chars: number) => piece.repeat(Math.ceil(chars / piece.length)).slice(0, chars);

/** As deep as HTML is read, or nearly. */
const DEPTH = 390;

/** Paragraphs, each with another style attribute: one that is repeated is read only once. */
const fillStyles = (style: (index: number) => string, chars: number) =>
  Array.from({ length: Math.ceil(chars / 2000) }, (_, index) => `<p style="${style(index)}">1`).join('');

const textPieces: Record<string, string> = {
  digits: '1234567890',
  'codes without end': '123456 ',
  'lines of codes': 'your verification code is 482913\n',
  'one word': 'a',
  'capital words': 'ABCDEF ',
  'groups of letters and digits': '39Z2 B94X ',
  'groups of one digit each': 'USD1 ',
  'groups in pairs': 'AA00 0000 ',
  'sums of money': '1234€ ',
  'groups with dashes': '39Z2-B94X-',
  'labels of values': 'code: 482913; order: ',
  'code words in a row': 'code order ',
  'numbers in Japanese': '受付番号',
  'at signs': 'a@',
  'dots and digits': '1.',
  'dashes and digits': '12-',
  'domain labels': `${'x'.repeat(63)}.`,
  addresses: 'https://a.example/x?token=abc123def456 ',
  'short secrets': 'https://a.example/qX7k/9mZ2/ ',
  'Markdown links': '[https://a.example/a](https://a.example/b) ',
  'open angle brackets': '<https://a.example/b',
  quotes: '>',
  'heads of quotes': 'On x ',
  accents: '\u0301',
  'full-width digits': '１２３４５６，',
  stars: '*',
  'wrappers in wrappers': 'https://t.x.example/?url=https%3A%2F%2Ft.x.example%2F%3Furl%3D',
};

const htmlPieces: Record<string, string> = {
  'nested inline tags': '<b>',
  'nested blocks with codes': '<div>123456',
  'nested tables': '<table><tr><td>',
  'open anchors': '<a ',
  'anchors without end': '<a href="',
  links: '<a href="https://x.example/verify?token=abc123def456">verify',
  'open comments': '<!--',
  'less-than signs': '<',
  entities: '&#49;',
  'cells of a digit': '<td>1</td>',
  'described pictures': '<img alt="482913">',
  'styles of digits': '<p style="font-size:1px">1</p>',
  'closing tags': '<p></b>',
  'ends of nothing': '</b>',
  ampersands: '&',
  'open character references': '&#',
  'names of characters': '&CounterClockwiseContourIntegra',
  'tags without end': '<p a=b',
  'tags with NUL': '<p\0 \0=\0>\0',
  'raw elements that never end': '<title></titl',
  'elements of SVG': '<svg/><desc>',
  'unknown elements': '<unknown>',
  'accents in the wrong order': '\u0301\u0316',
  'half-width accents in the wrong order': '\u0301\uff9e',
};

/** Texts of this many characters, by what they are made of. */
export function hostileTexts(chars: number): Record<string, string> {
  const repeated = Object.entries(textPieces).map(([what, piece]) => [what, fill(piece, chars)]);
  return {
    ...Object.fromEntries(repeated),
    'labels in a long sentence': fill(`${'a'.repeat(3500)}. ${'x: 100037 '.repeat(28)}`, chars),
    'one address': `https://a.example/${fill('a', chars)}`,
    'closing brackets': `https://a.example/${fill(')', chars)}`,
    spaces: `a${fill(' ', chars)}b`,
    'different codes': Array.from({ length: Math.ceil(chars / 7) }, (_, index) => 100_000 + index).join(' '),
  };
}

/** The same as HTML. */
export function hostileHtmls(chars: number): Record<string, string> {
  const repeated = Object.entries(htmlPieces).map(([what, piece]) => [what, fill(piece, chars)]);
  return {
    ...Object.fromEntries(repeated),
    'attributes of one tag': `<p ${Array.from({ length: Math.ceil(chars / 10) }, (_, index) => `a${index}`).join(' ')}>x`,
    'digits of one reference': `&#${fill('1', chars)}`,
    'references in an attribute': `<a href="${fill('&amp', chars)}">x`,
    'one attribute again and again': `<a ${fill('style="color:red" ', chars)}>x`,
    'dashes of a comment': `<!--${fill('- -', chars)}`,
    'ends of other elements, at depth': '<i>'.repeat(DEPTH) + fill('</b></p>', chars),
    'ends of unknown elements, at depth': '<unknown1>'.repeat(DEPTH) + fill('</unknown2>', chars),
    'style attributes of semicolons': fillStyles((index) => `${';'.repeat(1990)}:${index}`, chars),
    'style attributes of colons': fillStyles((index) => `${':'.repeat(1990)}${index}`, chars),
    'style attributes of both': fillStyles((index) => `${';a:'.repeat(660)}${index}`, chars),
    'classes in rules': `<style>${fill('.a,.b,p.a,', 1990)}{font-size:20px}</style>${fill('<p class="a b c d e f g h" id=a>1', chars)}`,
    'open rules of style': `<style>${fill('.a{', chars)}`,
    'media rules': `<style>${fill('@media x{', chars)}`,
    'one line of labels': `<p>${'a'.repeat(3500)}. ${fill('x: 100037 ', chars)}`,
    'one line of groups': `<p>${fill('USD1 ', chars)}`,
    'one line of sums': `<p>${fill('1234€ ', chars)}`,
    'one line of digits': `<p>${fill('1 ', chars)}`,
    'one line of codes': `<p>${fill('your verification code is 482913. ', chars)}`,
    'one line of codes that are none': `<p>${fill('promo code 123456 is your code. ', chars)}`,
    'open arrays of JSON': `<script type="application/ld+json">${fill('[', chars)}`,
  };
}
