/** Mailboxes by RFC 5321 and 6531, and where we deliberately differ from other validators. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import validator from 'validator';
import { parseMailbox, readDomainPart } from '../../../src/platform/mail/address-syntax.ts';

const label63 = 'a'.repeat(63);
/** 253 characters: the maximum for a domain. */
const longDomain = `${label63}.${label63}.${label63}.${'a'.repeat(61)}`;

const valid: Record<string, [local: string, domain: string]> = {
  'ann@example.org': ['ann', 'example.org'],
  'Ann.Smith+tag@Example.ORG': ['Ann.Smith+tag', 'example.org'],
  "!#$%&'*+-/=?^_`{|}~@example.org": ["!#$%&'*+-/=?^_`{|}~", 'example.org'],
  '"ann smith"@example.org': ['"ann smith"', 'example.org'],
  '"a@b"@example.org': ['"a@b"', 'example.org'],
  '"a\\"b\\\\c"@example.org': ['"a\\"b\\\\c"', 'example.org'],
  '"@"@a.b': ['"@"', 'a.b'],
  '""@example.org': ['""', 'example.org'],
  '".."@example.org': ['".."', 'example.org'],
  'a@b': ['a', 'b'],
  'a@localhost': ['a', 'localhost'],
  'a@1.example': ['a', '1.example'],
  'a@1a': ['a', '1a'],
  'a@a-b.c--d.example': ['a', 'a-b.c--d.example'],
  'a@[192.0.2.1]': ['a', '[192.0.2.1]'],
  'a@[IPv6:2001:DB8::1]': ['a', '[IPv6:2001:db8::1]'],
  'a@[ipv6:::ffff:192.0.2.1]': ['a', '[IPv6:::ffff:192.0.2.1]'],
  [`${'a'.repeat(64)}@example.org`]: ['a'.repeat(64), 'example.org'],
  [`a@${label63}.example`]: ['a', `${label63}.example`],
  'jörg@example.org': ['jörg', 'example.org'],
  '用户@例え.jp': ['用户', 'xn--r8jz45g.jp'],
  'a@München.DE': ['a', 'xn--mnchen-3ya.de'],
  // With its accent as a separate character: the same name (NFC).
  'a@mu\u0308nchen.de': ['a', 'xn--mnchen-3ya.de'],
  'a@xn--mnchen-3ya.de': ['a', 'xn--mnchen-3ya.de'],
  'a@faß.de': ['a', 'xn--fa-hia.de'],
  '"jörg müller"@example.org': ['"jörg müller"', 'example.org'],
  'نامه\u200cای@example.org': ['نامه\u200cای', 'example.org'],
  '👋@example.org': ['👋', 'example.org'],
};

const invalid = [
  '',
  '@',
  'a',
  'a@',
  '@a',
  'a@@b',
  'a@b@c',
  'example.org',
  ' a@b.c',
  'a@b.c ',
  'a @b.c',
  'a@ b.c',
  'a@b .c',
  ...['.a@b.c', 'a.@b.c', 'a..b@c.d', 'a,b@c.d', 'a;b@c.d', 'a:b@c.d', 'a(b)@c.d', 'a@b.c(d)', 'a<b@c.d'],
  ...['a>b@c.d', 'a[b@c.d', 'a]b@c.d', 'a\\b@c.d', 'a"b@c.d', '"a"b@c.d', '"a@c.d', 'a"@c.d', '"a"b"@c.d'],
  '"a\\"@c.d',
  '"a\nb"@c.d',
  '"a\tb"@c.d',
  '"a\u0000"@c.d',
  'a\u0000@c.d',
  'a\r\nb@c.d',
  'a@c.d\r\n',
  'a@c.d\n',
  'a@.b',
  'a@b.',
  'a@b..c',
  'a@-b.c',
  'a@b-.c',
  'a@b.-c',
  'a@b_c.d',
  'a@b+c.d',
  'a@b/c.d',
  'a@b:25',
  'a@b?c',
  'a@192.0.2.1',
  'a@1.2',
  'a@1',
  'a@example.123',
  'a@[192.0.2]',
  'a@[192.0.2.256]',
  'a@[192.0.2.1',
  'a@192.0.2.1]',
  'a@[]',
  'a@[IPv6:]',
  'a@[IPv6:1]',
  'a@[2001:db8::1]',
  'a@[IPv6:fe80::1%eth0]',
  'a@[x:y]',
  'a@[192.0.2.1]x',
  ...['a@[ 192.0.2.1 ]', 'a@[192.0.2.01]', 'a@xn--a.example', 'a@xn--.example', 'a@xn--mnchen-3ya-.de'],
  'a@g\u00admail.com',
  'a@ｇmail.com',
  'a@例え。jp',
  'a@ex%61mple.org',
  'a@exämple.org:25',
  'a@exämple/x',
  'a@ä..de',
  'a@-ä.de',
  'a@ä-.de',
  'a@ä\u200db.de',
  'a\u00a0b@c.d',
  'a\u2028b@c.d',
  'a\u0085b@c.d',
  'a\ufeffb@c.d',
  'a\u202eb@c.d',
  ...['a\ud800@c.d', 'a\ue000@c.d', 'a\ufdd0@c.d', '<a@b.c>', 'Ann <a@b.c>', 'mailto:a@b.c', '@x,@y:a@b.c'],
  `${'a'.repeat(65)}@example.org`,
  // Octets, not characters.
  `${'ü'.repeat(33)}@example.org`,
  `a@${label63}a.example`,
  `a@${longDomain}`,
  `a@${'a.'.repeat(127)}a`,
  `a@${'ü'.repeat(60)}.example`,
];

describe('a mailbox', () => {
  for (const [text, [local, domain]] of Object.entries(valid)) {
    test(`is ${JSON.stringify(text)}`, () => expect(parseMailbox(text)).toMatchObject({ local, domain }));
  }

  test('does not have one of these forms', () => {
    expect(invalid.filter((text) => parseMailbox(text) !== null)).toEqual([]);
  });

  test('has at most 254 octets, 64 of them before the at sign', () => {
    const of = (octets: number) => `a@${'b.'.repeat(124)}${'c'.repeat(octets - 250)}`;
    expect([parseMailbox(of(254)) !== null, parseMailbox(of(255))]).toEqual([true, null]);
    expect(parseMailbox(`${'ü'.repeat(32)}@example.org`)).not.toBeNull();
  });

  test('needs SMTPUTF8 only for its local part', () => {
    expect(parseMailbox('jörg@example.org')?.isInternational).toBe(true);
    expect(parseMailbox('jorg@münchen.de')?.isInternational).toBe(false);
  });

  test('has a domain even when its local part is malformed', () => {
    expect(
      ['a..b@Example.org', 'a b@[192.0.2.1]', 'a@b@münchen.de', 'x@', 'a@b..c', 'x@[y]', 'example.org'].map(
        readDomainPart,
      ),
    ).toEqual([...['example.org', '[192.0.2.1]', 'xn--mnchen-3ya.de', null, null, null, null]]);
  });
});

/**
 * The options for validator's isEmail, and where it still differs from us. Each difference has its reason; one
 * without a reason fails the test.
 */
const options = {
  allow_utf8_local_part: true,
  require_tld: false,
  allow_ip_domain: true,
  allow_underscores: false,
  ignore_max_length: false,
};

const differences: { why: string; fits: (text: string) => boolean }[] = [
  {
    why: 'a blank or escaped character may stand in quotes (quoted-pair, qtextSMTP); validator takes only some',
    fits: (text) => /^".*"@/s.test(text),
  },
  {
    why: 'letters beyond Latin-1 and its neighbours may stand in a local part (RFC 6531 3.3); validator ends at U+FFEF',
    fits: (text) => /[\u{fff0}-\u{10ffff}]/u.test(text.slice(0, text.lastIndexOf('@'))),
  },
  {
    why: 'controls, blanks and what is no character are no letters; validator takes all from U+00A1',
    fits: (text) => /[\p{C}\p{Z}]/u.test(text),
  },
  {
    why: 'a label beyond ASCII has to have an IDNA form; validator takes the letters and does not look',
    fits: (text) => /\P{ASCII}/u.test(text.slice(text.lastIndexOf('@'))),
  },
  {
    why: 'xn-- begins an encoded label (RFC 5890); validator does not decode',
    fits: (text) => /[@.]xn--/i.test(text),
  },
  {
    why: 'an address literal has brackets (RFC 5321 4.1.3); validator takes bare ones, and IPv6 without its tag',
    fits: (text) => /@\[?(ipv6:)?[\da-f.:]+\]?$/i.test(text),
  },
];

/** validator throws on half of a surrogate pair. */
const theirVerdict = (text: string) => text.isWellFormed() && validator.isEmail(text, options);

describe('compared with validator', () => {
  const atoms = fc.constantFrom(
    'a',
    'B',
    '0',
    'ann',
    '.',
    '..',
    '-',
    '_',
    '+',
    "'",
    '`',
    '"',
    '\\',
    ' ',
    '\\"',
    '@',
    'ü',
    '例',
    '👋',
    '\u0000',
    'xn--',
    '[',
    ']',
    '127.0.0.1',
    '::1',
    'IPv6:',
    'com',
    '~',
    '/',
    '=',
    ',',
    '(',
    ')',
    '\u200d',
    'ｇ',
    'ß',
  );
  const readText = (max: number) =>
    fc.array(atoms, { minLength: 1, maxLength: max }).map((parts) => parts.join(''));
  const likely = fc.tuple(readText(4), readText(4)).map(([local, domain]) => `${local}@${domain}`);
  const quoted = fc.tuple(readText(3), readText(3)).map(([local, domain]) => `"${local}"@${domain}.com`);

  test('the verdicts are the same, except for the listed reasons', () => {
    const unexplained = new Set<string>();
    const used = new Set<string>();
    const look = (text: string) => {
      const [ours, theirs] = [parseMailbox(text) !== null, theirVerdict(text)];
      if (ours === theirs) return;
      const reason = differences.find(({ fits }) => fits(text));
      if (reason) used.add(reason.why);
      else unexplained.add(`${JSON.stringify(text)}: ${ours}, validator ${theirs}`);
    };
    fc.assert(
      fc.property(fc.oneof(likely, quoted, fc.string({ maxLength: 40 })), (text) => look(text)),
      {
        numRuns: 6_000,
        seed: 1,
      },
    );
    for (const text of [...Object.keys(valid), ...invalid]) look(text);
    expect([...unexplained]).toEqual([]);
    expect(differences.map(({ why }) => why).filter((why) => !used.has(why))).toEqual([]);
  });

  test('the local part and the domain are found exactly as written', () => {
    fc.assert(
      fc.property(fc.oneof(likely, quoted), (text) => {
        const found = parseMailbox(text);
        if (!found) return true;
        const again = parseMailbox(`${found.local}@${found.domain}`);
        return text.startsWith(`${found.local}@`) && again?.domain === found.domain;
      }),
      { numRuns: 3_000 },
    );
  });
});
