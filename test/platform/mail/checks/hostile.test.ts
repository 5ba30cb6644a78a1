/** Whatever a stranger sends, a check takes bounded time and its result has bounded size. */
import { describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { Findings } from '../../../../src/features/checks/wire.ts';
import { checkMail } from '../../../../src/platform/mail/checks/check.ts';
import { parseMail } from '../../../../src/platform/mail/parse.ts';
import { cutHeaderSection } from '../../../../src/platform/mail/structure.ts';
import { hostileHtmls, MIB } from '../../../corpus/extraction/hostile.ts';
import { cpuMs } from '../../../peers/cpu-time.ts';

const check = (html: string, head = '', text = '') =>
  checkMail({ head, text, html, bytes: html.length, magic_link: null });

const styles = {
  'open braces': '{'.repeat(MIB),
  'open parentheses': 'a{b:'.concat('('.repeat(MIB)),
  'nested rules': '.a{'.repeat(MIB / 3),
  commas: 'a,'.repeat(MIB / 2),
  'comments that do not end': 'a/*'.repeat(MIB / 3),
  escapes: '\\'.repeat(MIB),
  'one long selector': '.a'.repeat(MIB / 2),
  'at-rules': '@media(hover){'.repeat(MIB / 14),
};

const htmls: Record<string, string> = {
  ...hostileHtmls(MIB),
  'end tags of nothing': `${'<b>'.repeat(10_000)}${'</i>'.repeat(200_000)}`,
  'open links': '<a href=x>'.repeat(MIB / 10),
  'different style attributes': Array.from({ length: 30_000 }, (_, at) => `<p style="top:${at}px">`).join(''),
  'lines, each with a picture': '<img>\n'.repeat(MIB / 6),
  ...Object.fromEntries(Object.entries(styles).map(([name, css]) => [`${name} in CSS`, `<style>${css}`])),
};

/** Linear work takes up to a second of processor time on a slow core; quadratic work takes minutes. */
const WITHIN_MS = 6_000;

describe('a mebibyte of HTML is checked in bounded time', () => {
  for (const [what, html] of Object.entries(htmls)) {
    test(what, () => {
      const began = cpuMs();
      const found = Findings.parse(check(html));
      expect(cpuMs() - began).toBeLessThan(WITHIN_MS);
      expect(found.links.length).toBeLessThanOrEqual(200);
      expect(found.accessibility.length).toBeLessThanOrEqual(100);
    }, 30_000);
  }
});

describe('any mail', () => {
  const pieces = fc.constantFrom(
    '<a href="',
    '">',
    "'",
    '<p style="',
    '<style>',
    '</style>',
    '<img src=',
    '>',
    '<h1>',
    '</h3>',
    '</a>',
    'display:flex',
    ';',
    '{',
    '}',
    'url(',
    '@media',
    ' ',
    '\n',
    '&#x110000;',
    '&amp',
    '<!--',
    '-->',
    '\0',
    '\ud800',
    '#fff',
    'color:',
    'background:',
    'https://a.org/',
    '\\',
    '"',
    'calc(',
    '!important',
    '<',
    '</',
    '/*',
    '<![CDATA[',
  );
  const html = fc.oneof(
    fc.array(pieces, { maxLength: 60 }).map((list) => list.join('')),
    fc.string({ unit: 'binary' }),
  );
  const head = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc
      .array(fc.constantFrom('List-Unsubscribe: <', 'Date: ', 'To: :;', '\r\n', ' ', '>', 'a@b', ':'), {
        maxLength: 30,
      })
      .map((list) => list.join('')),
  );

  test('has findings that the server accepts, and the same ones each time', () => {
    fc.assert(
      fc.property(html, head, fc.string({ unit: 'binary' }), (page, lines, text) => {
        const found = check(page, lines, text);
        expect(check(page, lines, text)).toEqual(found);
        const sent = JSON.parse(JSON.stringify(found));
        expect(Findings.parse(sent)).toEqual(found);
      }),
      { numRuns: 500 },
    );
  });
});

const corpus = join(import.meta.dir, '../../../../../shared/corpus/robust');

test.skipIf(!existsSync(corpus))(
  'every mail of the robust corpus has findings',
  async () => {
    for (const name of readdirSync(corpus)) {
      const bytes = readFileSync(join(corpus, name));
      const { content, summary } = await parseMail(bytes);
      const head = Buffer.from(cutHeaderSection(bytes, 65_536)).toString();
      const { text, html } = content;
      const found = checkMail({ head, text, html, bytes: bytes.length, magic_link: summary.magic_link });
      expect([name, Findings.safeParse(found).success]).toEqual([name, true]);
    }
  },
  120_000,
);
