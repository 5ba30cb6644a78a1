/** Recipient addresses: which are accepted, how they are read, and which are refused. */
import { describe, expect, test } from 'bun:test';
import * as fc from 'fast-check';
import { formatMailbox, NoMailbox, readMailbox } from '../../../src/platform/mail/mailbox.ts';
import { cpuMs } from '../../peers/cpu-time.ts';

const read = (text: string) => {
  try {
    return formatMailbox(readMailbox(text));
  } catch (thrown) {
    if (thrown instanceof NoMailbox) return null;
    throw thrown;
  }
};

describe('accepted addresses', () => {
  const table: [string, string][] = [
    ['ann@example.org', 'ann@example.org'],
    [' ann@example.org ', 'ann@example.org'],
    ['<ann@example.org>', 'ann@example.org'],
    ['Ann.Lee+tag@EXAMPLE.org', 'Ann.Lee+tag@example.org'],
    ["o'hara!#$%&*/=?^_`{|}~-@example.org", "o'hara!#$%&*/=?^_`{|}~-@example.org"],
    ['Ann <ann@example.org>', 'Ann <ann@example.org>'],
    ['Ann Lee<ann@example.org>', 'Ann Lee <ann@example.org>'],
    ['"Lee, Ann" <ann@example.org>', 'Lee, Ann <ann@example.org>'],
    ['"Ann \\"A\\" Lee" <ann@example.org>', 'Ann "A" Lee <ann@example.org>'],
    ['"ann@example.com" <ann@example.org>', 'ann@example.com <ann@example.org>'],
    ['Änne 🎉 <ann@example.org>', 'Änne 🎉 <ann@example.org>'],
    ['"" <ann@example.org>', 'ann@example.org'],
    ['a@bücher.example', 'a@xn--bcher-kva.example'],
    ['a@BÜCHER.example', 'a@xn--bcher-kva.example'],
    ['a@xn--bcher-kva.example', 'a@xn--bcher-kva.example'],
    ['a@例え.テスト', 'a@xn--r8jz45g.xn--zckzah'],
    ['a@1.example', 'a@1.example'],
    [`${'a'.repeat(64)}@example.org`, `${'a'.repeat(64)}@example.org`],
    [`a@${'b'.repeat(63)}.example`, `a@${'b'.repeat(63)}.example`],
  ];
  for (const [written, expected] of table) {
    test(JSON.stringify(written), () => expect(read(written)).toBe(expected));
  }
});

describe('refused addresses', () => {
  const table = [
    ...['', ' ', 'ann', '@', 'ann@', '@example.org', 'ann@@example.org', 'ann@localhost', 'a b@example.org'],
    ...['.a@example.org', 'a.@example.org', 'a..b@example.org', '"a b"@example.org', '"a"@example.org'],
    'ä@example.org',
    'a@[192.0.2.1]',
    'a@192.0.2.1',
    'a@0x7f.1',
    'a@1.2',
    'a@example.org.',
    'a@.example.org',
    'a@example..org',
    'a@-example.org',
    'a@example-.org',
    'a@ex_ample.org',
    'a@exa%6dple.org',
    'a@ex#.org',
    ...['a@example.org, b@example.org', 'a@example.org b@example.org', 'a@example.org <b@example.org>'],
    'a@example.org, B <b@example.org>',
    'A, B <b@example.org>',
    'A; B <b@example.org>',
    'team: a@example.org;',
    '<a@example.org> <b@example.org>',
    '<<a@example.org>>',
    'a@example.org>',
    '"A <x@y.example>" <b@example.org>',
    ...['=?utf-8?Q?a?= <a@example.org>', '"x =?utf-8?Q?a?=" <a@example.org>'],
    ...['Ann <ann@example.org> x', '"Ann <ann@example.org>', 'a@example.org(comment)', '(x) a@example.org'],
    'A\u202e <a@example.org>',
    'A\u2066 <a@example.org>',
    'a\u2028@example.org',
    'a@exam\u00adple\u0000.org',
    `${'a'.repeat(65)}@example.org`,
    `a@${'b'.repeat(64)}.example`,
    `a@${'b'.repeat(60)}.${'b'.repeat(60)}.${'b'.repeat(60)}.${'b'.repeat(60)}.${'b'.repeat(20)}.example`,
    `${'a'.repeat(64)}@${'b'.repeat(60)}.${'b'.repeat(60)}.${'b'.repeat(60)}.example`,
    `${'n'.repeat(201)} <a@example.org>`,
    ' '.repeat(2000),
  ];
  for (const written of table) {
    test(JSON.stringify(written.slice(0, 60)), () => expect(read(written)).toBeNull());
  }
});

/** What addresses consist of, and what breaks them. */
const parts = fc.constantFrom(
  ...`a B . @ < > " \\ , ; : \r \n \0 \t ü 。 \u2028 \u202e - _ [ ] ( ) example.org a@b.example % # =?utf-8?Q?=0a?= 1 🎉`.split(
    ' ',
  ),
  ' ',
);

test('any input reads as one plain address without control characters that reads the same again', () => {
  const text = fc.oneof(
    fc.array(parts, { maxLength: 14 }).map((list) => list.join('')),
    fc.string(),
  );
  fc.assert(
    fc.property(text, (written) => {
      const shown = read(written);
      if (shown === null) return;
      const mailbox = readMailbox(written);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not occur.
      expect(shown).not.toMatch(/[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e]/);
      expect(mailbox.email).toMatch(/^[!-~]+@[a-z0-9.-]+\.[a-z0-9-]+$/);
      expect(mailbox.email).not.toMatch(/[<>,;:"\\()[\]]/);
      expect(mailbox.email.split('@')).toHaveLength(2);
      expect(mailbox.name).not.toMatch(/[<>]/);
      const quoted = mailbox.name.replace(/["\\]/g, '\\$&');
      expect(readMailbox(`"${quoted}" <${mailbox.email}>`)).toEqual(mailbox);
    }),
    { numRuns: 3000 },
  );
});

test('an endless text is refused quickly', () => {
  const began = cpuMs();
  for (const part of ['a.', '"\\', '<', 'ü', ' ', 'a@', '-', '。'])
    read(`${part.repeat(500_000)}@example.org`);
  for (const part of ['a.', '"\\', '<', 'ü', ' ', 'a@', '-', '。', '\\"']) {
    read(part.repeat(499));
    read(`"${part.repeat(480)}" <a@example.org>`);
    read(`${part.repeat(480)} <a@example.org>`);
  }
  expect(cpuMs() - began).toBeLessThan(2000);
});
