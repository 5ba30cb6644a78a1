/** HTML is read as htmlparser2 reads it. */
import { describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { Parser } from 'htmlparser2';
import { attributeFields, NO_ATTRIBUTES } from '../../../../src/platform/mail/extract/html-names.ts';
import { scanTags } from '../../../../src/platform/mail/extract/tag-reader.ts';
import { parseMail } from '../../../../src/platform/mail/parse.ts';
import { hostileHtmls } from '../../../corpus/extraction/hostile.ts';
import { ownMails } from '../../../corpus/extraction/mails.ts';

/** More of them, once: HTML_VARIANTS=200000 scripts/test test/platform/mail/extract/tag-reader.test.ts */
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
          const field = attributeFields.get(key);
          if (field) kept[field] = value;
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

/** Ends whatever is open: at the end of a text htmlparser2 gives parts of an unfinished tag as text. */
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

  test('of our own mails with a piece of another in them, or without one of theirs', () => {
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
  test('of a style sheet is its text, and what is open is closed', () =>
    expect(readOurs('<div><style>a{').map(([what, value]) => `${what} ${value}`)).toEqual([
      'open div',
      'open style',
      'text a{',
      'close style',
      'close div',
    ]));
});

describe('the time of a mebibyte of hostile HTML', () => {
  test('is proportional to its length', () => {
    for (const [what, html] of Object.entries(hostileHtmls(2 ** 18))) {
      let events = 0;
      const began = process.cpuUsage();
      scanTags(html, {
        openTag: () => events++,
        text: () => events++,
        closeTag: () => events++,
        isFull: false,
      });
      expect([what, process.cpuUsage(began).user < 400_000]).toEqual([what, true]);
    }
  });
});
