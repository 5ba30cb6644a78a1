import { describe, expect, test } from 'bun:test';
import { isIP } from 'node:net';
import fc from 'fast-check';
import { findRegisteredDomain, readDomainName } from '../../../src/platform/mail/domain-name.ts';

const readName = (written: string) => {
  const read = readDomainName(written);
  return 'name' in read ? read.name : null;
};

describe('a domain', () => {
  test.each([
    ['one.example', 'one.example'],
    ['One.EXAMPLE.', 'one.example'],
    ['a-b.c1.example', 'a-b.c1.example'],
    ['münchen.example', 'xn--mnchen-3ya.example'],
    ['MÜNCHEN.example', 'xn--mnchen-3ya.example'],
    ['xn--mnchen-3ya.example', 'xn--mnchen-3ya.example'],
    ['faß.example', 'xn--fa-hia.example'],
    ['例え。テスト', 'xn--r8jz45g.xn--zckzah'],
    ['ｏｎｅ．ｅｘａｍｐｌｅ', 'one.example'],
    ['1.one.example', '1.one.example'],
    ['ab--cd.example', 'ab--cd.example'],
    ['example.co.uk', 'example.co.uk'],
    ['me.github.io', 'me.github.io'],
    [`${'a'.repeat(63)}.example`, `${'a'.repeat(63)}.example`],
  ])('%p is %p', (written, name) => expect(readName(written)).toBe(name));

  test.each([
    '',
    '.',
    '..',
    'localhost',
    'one..example',
    '.one.example',
    'one.example..',
    ' one.example',
    'one.example\n',
    'one example',
    'one.example/x',
    'one.example:25',
    'https://one.example',
    'ann@one.example',
    'one_two.example',
    '*.one.example',
    '-one.example',
    'one-.example',
    'ex%61mple.example',
    'one.example\0',
    'xn--a.example',
    'a\u200db.example',
    '\u00ad.example',
    'one.example\uff0fx',
    '192.0.2.1',
    '127.1',
    '0x7f.1',
    'one.123',
    '１２７.0.0.1',
    '[192.0.2.1]',
    '::1',
    '2001:db8::1',
    'com',
    'co.uk',
    'GitHub.io',
    'kawasaki.jp',
    `${'a'.repeat(64)}.example`,
    `${'a.'.repeat(126)}aa`,
    'x'.repeat(100_000),
    'ü'.repeat(100_000),
  ])('%p is not an address', (written) => expect(readName(written)).toBeNull());

  test('normalises to itself, and to letters, digits, hyphens and dots only, whatever was written', () => {
    const written = fc.oneof(
      fc.domain(),
      fc.string({ unit: 'grapheme', maxLength: 80 }),
      fc
        .array(fc.string({ unit: 'grapheme', maxLength: 12 }), { maxLength: 6 })
        .map((labels) => labels.join('.')),
      fc.ipV4(),
      fc.ipV6(),
    );
    const check = fc.property(written, (text) => {
      const name = readName(text);
      if (name === null) return;
      expect(name).toMatch(/^[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})+$/);
      expect(name.length).toBeLessThanOrEqual(253);
      expect(isIP(name)).toBe(0);
      expect(readName(name)).toBe(name);
      expect(readName(name.toUpperCase())).toBe(name);
      expect(readName(`${name}.`)).toBe(name);
    });
    fc.assert(check, { numRuns: 2_000 });
  });
});

test('the registrable domain of a name is found', () => {
  expect(findRegisteredDomain('a.b.example.co.uk')).toBe('example.co.uk');
  expect(findRegisteredDomain('mail.me.github.io')).toBe('me.github.io');
  expect(findRegisteredDomain('one.example')).toBe('one.example');
});
