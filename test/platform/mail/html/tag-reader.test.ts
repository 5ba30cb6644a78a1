/** Our reader reads HTML as htmlparser2 does. */
import { describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { Parser } from 'htmlparser2';
import { NO_ATTRIBUTES } from '../../../../src/platform/mail/html/elements.ts';
import { scanTags } from '../../../../src/platform/mail/html/tag-reader.ts';
import { parseMail } from '../../../../src/platform/mail/parse.ts';
import { hostileHtmls } from '../../../corpus/extraction/hostile.ts';
import { ownMails } from '../../../corpus/extraction/mails.ts';
import { cpuMs } from '../../../peers/cpu-time.ts';

/** To try more of them: HTML_VARIANTS=200000 scripts/test test/platform/mail/html/tag-reader.test.ts */
const VARIANTS = Number(process.env.HTML_VARIANTS ?? 3_000);

/** Exists next to the repository on the developers' machines only. */
const shared = join(import.meta.dir, '../../../../../shared/corpus');
const folders = ['transactional/eml', 'transactional-2/eml', 'robust'].filter((name) =>
  existsSync(join(shared, name)),
);

type Event = [what: string, ...values: unknown[]];

function readOurs(html: string): Event[] {
  const events: Event[] = [];
  scanTags(html, {
    openTag: ({ name }, attributes) => events.push(['open', name, { ...attributes }]),
    text: (text) => events.push(['text', text]),
    closeTag: ({ name }) => events.push(['close', name]),
    isFull: false,
  });
  return events;
}

function readJudge(html: string): Event[] {
  const events: Event[] = [];
  const parser = new Parser(
    {
      onopentag: (name, attributes) => {
        const kept: Record<string, string | undefined> = { ...NO_ATTRIBUTES };
        for (const [key, value] of Object.entries(attributes)) {
          const field = key === 'aria-hidden' ? 'ariaHidden' : key;
          if (Object.hasOwn(NO_ATTRIBUTES, field)) kept[field] = value;
        }
        events.push(['open', name, kept]);
      },
      ontext: (text) => events.push(['text', text]),
      onclosetag: (name) => events.push(['close', name]),
    },
    { decodeEntities: true, lowerCaseTags: true },
  );
  parser.end(html);
  return events;
}

/** Ends whatever is open: htmlparser2 passes on parts of an unfinished tag at the end as text. */
const CLOSED = ` "'>"'>--></a>]]></style></script></title></textarea></xmp>`;

/** Without the text of titles, in which htmlparser2 decodes most references. It is never displayed. */
function withoutTitles(events: Event[]): Event[] {
  let inTitle = false;
  return events.filter(([what, name]) => {
    if (what !== 'text') inTitle = what === 'open' && name === 'title';
    return what !== 'text' || !inTitle;
  });
}

function expectSame(html: string): void {
  const whole = html + CLOSED;
  const [ours, judge] = [withoutTitles(readOurs(whole)), withoutTitles(readJudge(whole))];
  if (JSON.stringify(ours) !== JSON.stringify(judge)) expect({ whole, ours }).toEqual({ whole, ours: judge });
}

const own = (['fit', 'held', 'more', 'software'] as const).flatMap((set) => ownMails(set));

describe('the same tags, attributes and texts as htmlparser2', () => {
  test('of our own mails', () => {
    const htmls = own.map(({ html }) => html).filter((html) => html !== '');
    expect(htmls.length).toBeGreaterThan(100);
    for (const html of htmls) expectSame(html);
  });

  test.skipIf(folders.length === 0)('of the shared corpora', async () => {
    let read = 0;
    for (const folder of folders) {
      for (const file of readdirSync(join(shared, folder))) {
        const { html } = (await parseMail(readFileSync(join(shared, folder, file)))).content;
        if (html === '') continue;
        expectSame(html);
        read++;
      }
    }
    expect(read).toBeGreaterThan(1_000);
  });

  test('of each element within each other one', () => {
    const names =
      `a abbr address annotation-xml applet area article aside audio b base basefont bdi bdo bgsound big
      blink blockquote body br button canvas caption center cite code col colgroup command data datalist dd del desc
      details dfn dialog dir div dl dt em embed fieldset figcaption figure font footer foreignobject form frame frameset
      h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe image img input ins isindex kbd keygen label legend li link
      listing main map mark marquee math menu menuitem meta meter mi mn mo ms mtext multicol nav nobr noembed noframes
      noscript object ol optgroup option output p param path picture plaintext pre progress q rb rp rt rtc ruby s samp
      script search section select slot small source span spacer strike strong style sub summary sup svg table tbody td
      template textarea tfoot th thead time title tr track tt u ul unknown var video wbr xml xmp o:p`.split(
        /\s+/,
      );
    const bodies = names.map((name) => `<${name}>1</${name}>2<${name}/>3`).join('');
    for (const name of names) {
      expectSame(`<${name}>${bodies}`);
      for (const other of names)
        expectSame(`<${name}><${other}>1</${other}>2</${name}>3<${name}/><${other}/>4</${other}>5`);
    }
  });

  test.each([
    ['an attribute whose name begins with an equals sign', '<a =href=x ==id class=b>'],
    ['blanks around an equals sign', '<a href =\n"b" id\t= c class\f=\r\'d\' alt = >'],
    ['a slash in a value', '<a href=b/c/ id=d/>e'],
    ['a slash in and between names', '<a/href=b/id=c d/class=e><b/>f'],
    ['an attribute twice', '<a href=b HREF=c href>'],
    ['names in capitals', '<A HREF=b STYLE=c Aria-Hidden=true>d</A>'],
    ['names with control characters that differ by one bit', '<h\u0011>a</h\u0011><a i\u0004=b aria\u000dhidden=c>'],
    ['names with letters whose lower case is an ASCII letter', '<lin\u212a>a</link></p><\u0130>b<i\u0130>c'],
    ['a name that every object inherits', '<constructor>a<__proto__>b</__proto__><p constructor=c __proto__=d>'],
    ['white space that HTML does not know', '<a\u000bhref=b>c<a href\u00a0=d>e<a href=f\u2028g>h</a\u000b>i'],
    ['the end of raw text in capitals', '<style>a</STYLE>b<SCRIPT>c</ScRiPt\n>d'],
    ['the end of raw text with a slash', '<style>a</style/>b</style>c'],
    ['the end of raw text with a longer name', '<style>a</styles>b</style\u0000>c</style >d'],
    ['references in attributes', '<a href="?a&copy=1&amp;b&lt" id=&#49; class=&notit;x alt="&copy">'],
    ['references in text', 'a&ampb&#49c&#x31;d&notit;&NotEqualTilde;&#0;&#xd800;&#x110000;&#99999999999;&;&#;&#x;&&amp;'],
    ['references in raw text', '<style>&amp;</style><textarea>&amp;</textarea><xmp>&amp;</xmp>'],
    ['an empty CDATA section', '<![CDATA[]]>a<![CDATA[>b]]>c<![CDATA[]]]]>d'],
    ['short comments', '<!-->a<!--->b<!---->c<!-- --!>d-->e<!->f-->g<!>h'],
    ['what is no markup', '<>a<1>b< p>c</>d</ >e</ p>f</1>g<é>h<<p>i</\np>j'],
    ['ends of what is not open', '</p>a</br>b</div>c</svg>d</desc><svg/>e<g/>f'],
    ['HTML in SVG in HTML', '<svg><g/><desc><g/>a</desc><g/></svg><g/>b</svg><desc><g/><math/>c'],
  ])('of %s', (_, html) => expectSame(html)); // biome-ignore format: row by row

  const pieces = [
    ...['<', '>', '</', '/>', '/', '"', "'", '=', ' ', '\n', '\t', '\f', '&', ';', '#', '!', '?', '-', '--', '[', ']'],
    ...['<!--', '-->', '--!>', '<!', '<!-', '<![CDATA[', ']]>', '<?xml', '<!DOCTYPE html>', '<![if !mso]>', '<![endif]-->'],
    ...['<p>', '</p>', '<P', '<br>', '</br>', '<br/>', '<hr', '<td>', '</td>', '<tr>', '<th>', '<table>', '</table>', '<tbody>'],
    ...['<tfoot>', '<thead>', '<li>', '<ul>', '<div>', '</div>', '<option>', '<select>', '<input', '<button>', '<optgroup>'],
    ...['<dd>', '<dt>', '<rt>', '<rp>', '<body>', '<head>', '<link>', '<a ', '</a>', '<span>', '<o:p>', '<unknown>', '</unknown>'],
    ...['<style>', '</style>', '</style', '<SCRIPT>', '</script >', '<title>', '</title>', '<title/>', '<textarea>', '<xmp>', '</xmp>'],
    ...['<svg>', '<svg/>', '</svg>', '<path d="a"/>', '<g/>', '<math>', '<mi>', '</math>', '<desc>', '<div/>'],
    ...['href', 'HREF=', 'href=a&amp;b', 'style="', 'class=x', 'aria-hidden', 'id', 'hidden', 'value=', 'data-x="', 'alt=\'', '__proto__=1'],
    ...['&amp;', '&nbsp', '&copy', '&copy=1', '&#49;', '&#x31', '&#', '&#x', '&unknown;', '&notit;', '&NotEqualTilde;', '&ampx', '&a=b'],
    ...['a', 'Ä', 'ſ', 'K', '\u0000', '\u00a0', '482913', 'x=1', '\ud83d', '<1', '<é', '</1>', '</ p>', '< p>'],
  ]; // biome-ignore format: row by row
  test('of any mixture of markup', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 24 }), (parts) =>
        expectSame(parts.join('')),
      ),
      { numRuns: VARIANTS },
    );
  });

  test('of our own mails with a piece of another inserted, or a piece removed', () => {
    const htmls = own.map(({ html }) => html).filter((html) => html !== '');
    const any = fc.record({
      html: fc.constantFrom(...htmls),
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      without: fc.nat(9),
      piece: fc.constantFrom('', ...pieces),
    });
    fc.assert(
      fc.property(any, ({ html, at, without, piece }) => {
        const place = Math.floor(at * html.length);
        expectSame(html.slice(0, place) + piece + html.slice(place + without));
      }),
      { numRuns: VARIANTS },
    );
  });
});

describe('an unfinished end', () => {
  for (const html of ['<p>a<', 'a </', 'a </  '])
    test(`${JSON.stringify(html)} is text`, () =>
      expect(
        readOurs(html)
          .filter(([what]) => what === 'text')
          .at(-1)?.[1],
      ).toStartWith('<'));
  for (const html of ['a<p', 'a<p class', 'a<p class="b>c', 'a<!-- b', 'a<!doctype', 'a<?xml', 'a</p'])
    test(`${JSON.stringify(html)} is dropped`, () =>
      expect(readOurs(html).filter(([what]) => what !== 'close')).toEqual([['text', 'a']]));
  for (const [html, text] of [
    ['a&lt', '<'],
    ['a&ampx&notit', 'it'],
    ['a&#49', '1'],
    ['a&#x32', '2'],
    ['a&#', '&#'],
    ['a&unknown', '&unknown'],
  ] as const)
    test(`${JSON.stringify(html)} ends with ${text}`, () =>
      expect(
        readOurs(html)
          .map(([, value]) => value)
          .join(''),
      ).toEndWith(text));
  test('of a style sheet is its text, and what is open is closed', () =>
    expect(readOurs('<div><style>a{').map(([what, value]) => `${what} ${value}`)).toEqual([
      'open div',
      'open style',
      'text a{',
      'close style',
      'close div',
    ]));
});

describe('a visitor that is full', () => {
  test('gets little more, and then the closing tags of what is open', () => {
    const names: string[] = [];
    let texts = 0;
    scanTags(`<div>${'<b>1</b>'.repeat(100_000)}`, {
      openTag: ({ name }) => names.push(name),
      text: () => texts++,
      closeTag: ({ name }) => names.push(`/${name}`),
      get isFull() {
        return texts >= 1000;
      },
    });
    expect(texts).toBeGreaterThanOrEqual(1000);
    expect(texts).toBeLessThan(3000);
    expect(names.slice(0, 3)).toEqual(['div', 'b', '/b']);
    expect(names.slice(-2)).toEqual(['/b', '/div']);
  });

  test('gets none of the text that is left', () => {
    const texts: string[] = [];
    scanTags(`<p>${'a'.repeat(20_000)}</p>b`, {
      openTag: () => {},
      text: (text) => texts.push(text),
      closeTag: () => {},
      get isFull() {
        return texts.length > 0;
      },
    });
    expect(texts).toEqual(['a'.repeat(20_000)]);
  });
});

describe('the time of 256 KiB of hostile HTML', () => {
  for (const [what, html] of Object.entries(hostileHtmls(2 ** 18)))
    test(`of ${what} is short`, () => {
      let events = 0;
      const began = cpuMs();
      scanTags(html, {
        openTag: () => events++,
        text: () => events++,
        closeTag: () => events++,
        isFull: false,
      });
      expect(cpuMs() - began).toBeLessThan(400);
    });
});
