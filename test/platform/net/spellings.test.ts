/** An address that must not be dialled is refused in every notation. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { judgeAddress, judgeUrl } from '../../../src/platform/net/guard.ts';

const RUNS = 2_000;
const nothing: [] = [];

/** Networks that are not public. A list of its own, so that a gap in the guard's is found. */
const closedV4 = [
  [0x00000000, 8],
  [0x0a000000, 8],
  [0x64400000, 10],
  [0x7f000000, 8],
  [0xa9fe0000, 16],
  [0xac100000, 12],
  [0xc0000000, 24],
  [0xc0000200, 24],
  [0xc0586300, 24],
  [0xc0a80000, 16],
  [0xc6120000, 15],
  [0xc6336400, 24],
  [0xcb007100, 24],
  [0xe0000000, 3],
] as const;

const bits = fc.integer({ min: 0, max: 0xffffffff });
const closedAddress = fc
  .tuple(fc.constantFrom(...closedV4), bits)
  .map(([[base, prefix], rest]) => (base | (rest & (0xffffffff >>> prefix))) >>> 0);

/** In one to four parts, the last of which holds the rest. */
function splitParts(address: number, count: number): number[] {
  const bytes = [24, 16, 8, 0].map((shift) => (address >>> shift) & 255);
  const last = bytes.slice(count - 1).reduce((sum, byte) => sum * 256 + byte, 0);
  return [...bytes.slice(0, count - 1), last];
}

const numberSpellings: ((number: number, zeros: string) => string)[] = [
  (number) => String(number),
  (number, zeros) => `0${zeros}${number.toString(8)}`,
  (number, zeros) => `0x${zeros}${number.toString(16)}`,
  (number, zeros) => `0X${zeros}${number.toString(16).toUpperCase()}`,
];

/** What `new URL` reads as the same character (UTS 46, percent signs). */
const characterSpellings: ((character: string) => string)[] = [
  (character) => character,
  (character) => character,
  (character) => `%${character.charCodeAt(0).toString(16)}`,
  (character) => (character === '.' ? '。' : String.fromCharCode(character.charCodeAt(0) + 0xfee0)),
  (character) => `${character}\u00ad`,
  (character) => `${character}\t`,
];

const spelledV4 = fc
  .record({
    address: closedAddress,
    count: fc.integer({ min: 1, max: 4 }),
    numbers: fc.array(fc.constantFrom(...numberSpellings), { minLength: 4, maxLength: 4 }),
    zeros: fc.constantFrom('', '0', '000'),
    characters: fc.infiniteStream(fc.constantFrom(...characterSpellings)),
    end: fc.constantFrom('', '.', '。', '%2e'),
    front: fc.constantFrom(
      'https://',
      'HTTPS://',
      'https:',
      'https:/\\',
      'https://@',
      ' https:\n//',
      'https://a@',
    ),
    port: fc.constantFrom('', ':443', ':8443', ':'),
    rest: fc.constantFrom('', '/', '/x', '?x', '#x', '\\x', '/@example.com', '#@example.com'),
  })
  .map(({ address, count, numbers, zeros, characters, end, front, port, rest }) => {
    const text = splitParts(address, count)
      .map((part, at) => numbers[at]?.(part, zeros))
      .join('.');
    const spelled = Array.from(text, (character) => (characters.next().value ?? String)(character)).join('');
    return `${front}${spelled}${end}${port}${rest}`;
  });

describe('refused addresses', () => {
  test('the guard refuses any spelling of an IPv4 address that is not public', () => {
    fc.assert(
      fc.property(spelledV4, (url) => {
        const judged = judgeUrl(url, nothing);
        expect(judged.kind).toBe('refused');
        // Refused because it is private, not because it is unreadable; otherwise the fuzz would miss its target.
        expect(judged.kind === 'refused' && judged.reasons.join()).toContain('is not public');
      }),
      { numRuns: RUNS },
    );
  });

  test('the guard refuses any spelling of such an address within IPv6', () => {
    const heads = ['::ffff:', '::', '64:ff9b::', '::ffff:0:', '0:0:0:0:0:ffff:', '0000:0::FFFF:', '2002:'];
    fc.assert(
      fc.property(bits, fc.constantFrom(...heads), fc.boolean(), (address, head, isDotted) => {
        const pair = `${(address >>> 16).toString(16)}:${(address & 0xffff).toString(16)}`;
        const tail = isDotted && head !== '2002:' ? splitParts(address, 4).join('.') : pair;
        expect(judgeUrl(`https://[${head}${tail}${head === '2002:' ? '::' : ''}]/`, nothing).kind).toBe(
          'refused',
        );
      }),
      { numRuns: RUNS },
    );
  });

  test('the guard refuses any host that is neither a name nor a public address', () => {
    const pieces = fc.constantFrom(
      '127',
      '0',
      '1',
      '.',
      '0x7f',
      '017',
      '%',
      '2e',
      '[',
      ']',
      ':',
      '::',
      '@',
      'a',
      '\\',
      '/',
      '?',
      '#',
      ' ',
      'ａ',
      '。',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
        const judged = judgeUrl(`https://${parts.join('')}`, nothing);
        if (judged.kind === 'refused') return;
        const { host } = judged.candidate;
        const isPublic = ipaddr.isValid(host) && judgeAddress(host, nothing) === null;
        // Otherwise it is a name, which no reader can mistake for an address.
        expect(isPublic || (!ipaddr.isValid(host) && /[a-z_-][^.]*$/.test(host))).toBe(true);
      }),
      { numRuns: RUNS },
    );
  });
});

describe('allowed addresses', () => {
  test('the guard allows no address that another list calls special', () => {
    const v6 = fc.tuple(
      fc.constantFrom(0x2000, 0x2001, 0x2002, 0x2620, 0x3fff, 0x64, 0, 0xfe80),
      fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 7, maxLength: 7 }),
    );
    const address = fc.oneof(
      bits.map((number) => splitParts(number, 4).join('.')),
      fc.ipV4(),
      v6.map(([first, rest]) => [first, ...rest].map((group) => group.toString(16)).join(':')),
      fc.ipV6(),
    );
    fc.assert(
      fc.property(address, (text) => {
        if (judgeAddress(text, nothing) === null) expect(ipaddr.parse(text).range()).toBe('unicast');
      }),
      { numRuns: RUNS * 5 },
    );
  });

  test('the guard allows every address of IPv4 that no list calls special', () => {
    fc.assert(
      fc.property(bits, (number) => {
        const text = splitParts(number, 4).join('.');
        const isSpecial = ipaddr.parse(text).range() !== 'unicast';
        expect(judgeAddress(text, nothing) !== null).toBe(isSpecial);
      }),
      { numRuns: RUNS * 5 },
    );
  });
});
