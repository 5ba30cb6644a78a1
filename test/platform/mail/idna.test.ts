/** Domains in other scripts, and texts that only look like one. */
import { describe, expect, test } from 'bun:test';
import { parseAddress, toInboxForm } from '../../../src/platform/mail/address.ts';
import { parseMailbox, readDomainPart } from '../../../src/platform/mail/address-syntax.ts';
import { readDomainName } from '../../../src/platform/mail/domain-name.ts';
import { mapToAscii } from '../../../src/platform/mail/idna.ts';
import { cpuMs } from '../../peers/cpu-time.ts';

test('a name in another script has an ASCII form, however its accents are written', () => {
  expect(mapToAscii('bücher.example')).toBe('xn--bcher-kva.example');
  expect(mapToAscii('bu\u0308cher.example')).toBe('xn--bcher-kva.example');
});

describe('a long run of accents in place of a domain is refused in bounded time', () => {
  const name = `a${'\u0301\u0316'.repeat(16_000)}.example`;
  for (const [what, read, none] of [
    ['the domain of an address', () => parseAddress(`ann@${name}`), null],
    ['an address in a path', () => toInboxForm(`ann@${name}`), `ann@${name}`],
    ['a mailbox', () => parseMailbox(`ann@${name}`), null],
    ['the domain of no mailbox', () => readDomainPart(`@${name}`), null],
    ['a domain to own', () => readDomainName(name), { fault: 'has more than 253 characters' }],
  ] as const)
    test(what, () => {
      const began = cpuMs();
      expect(read()).toEqual(none);
      expect(cpuMs() - began).toBeLessThan(300);
    });
});
