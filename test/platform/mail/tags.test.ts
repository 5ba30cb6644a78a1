import { describe, expect, test } from 'bun:test';
import { parseHeaders, parseMail } from '../../../src/platform/mail/parse.ts';
import { readTags } from '../../../src/platform/mail/tags.ts';

const many = (count: number) => Array.from({ length: count }, (_, at) => `tag-${at}`);
const mail = (headers: string) => Buffer.from(`Subject: s\r\n${headers}\r\n\r\nbody\r\n`);

describe('X-Tags', () => {
  test.each([
    ['nightly', ['nightly']],
    ['b, a ,c', ['b', 'a', 'c']],
    ['a,a, a', ['a']],
    ['', []],
    [',, ,', []],
    ['ok,Not,not ok,ü,a.b,a+b,-_0', ['ok', '-_0']],
    [`${'x'.repeat(40)},${'y'.repeat(41)}`, ['x'.repeat(40)]],
    ['a,\r\n\tb', ['a', 'b']],
    ['a\r\n b', []],
    ['a\0,b', ['b']],
    ['=?utf-8?q?a=2Cb=5F?=\r\n =?utf-8?Q?c=2Cd?=', ['a', 'b_c', 'd']],
    ['=?utf-8?b?YSxi?=', ['a', 'b']],
    ['=?utf-8?q?=', []],
  ])('%j is read as %j', (written, tags) => {
    expect(readTags([written])).toEqual(tags);
  });

  test('of several headers are one list', () => {
    expect(readTags(['a, b', 'b, c'])).toEqual(['a', 'b', 'c']);
  });

  test('are kept up to 20, not counting words that are not tags', () => {
    expect(readTags([`No Tag,${many(25).join(',')}`])).toEqual(many(20));
  });

  test('are read from a whole mail, and from headers alone', async () => {
    const bytes = mail('x-tags: one\r\nX-TAGS:two,three');
    for (const { summary } of [await parseMail(bytes), await parseHeaders(bytes)])
      expect(summary.tags).toEqual(['one', 'two', 'three']);
    expect((await parseMail(mail('X-Other: a'))).summary.tags).toEqual([]);
  });

  test('of a mail within a mail do not count for the outer one', async () => {
    const inner = 'Content-Type: message/rfc822\r\n\r\nX-Tags: inner\r\nSubject: i\r\n\r\nbody\r\n';
    const { summary } = await parseMail(Buffer.from(`Subject: s\r\nX-Tags: outer\r\n${inner}`));
    expect(summary.tags).toEqual(['outer']);
  });

  test.each([
    ['commas', ','.repeat(100_000)],
    ['tags', 'abc,'.repeat(25_000)],
    ['beginnings of encoded words', '=?a?q?'.repeat(16_000)],
    ['blanks behind an encoded word', `=?a?q?x?=${' '.repeat(100_000)}`],
    ['headers', 'a\r\nX-Tags: '.repeat(9_000)],
  ])('with many %s are read quickly', async (_, text) => {
    const beganMs = performance.now();
    await parseMail(mail(`X-Tags: ${text}`));
    expect(performance.now() - beganMs).toBeLessThan(1_000);
  });
});
