/** The inbox that an address reaches. */
import { describe, expect, test } from 'bun:test';
import { parseAddress, toInboxAddress } from '../../../src/platform/mail/address.ts';

describe('mail to an address', () => {
  const table: [string, string | null][] = [
    ['ann@postern.test', 'ann@postern.test'],
    ['Ann@POSTERN.test', 'ann@postern.test'],
    ['ann+tag@postern.test', 'ann@postern.test'],
    ['ann+@postern.test', 'ann@postern.test'],
    ['+tag@postern.test', '+tag@postern.test'],
    ['a+b+c@postern.test', 'a@postern.test'],
    ['ÄNN@postern.test', 'änn@postern.test'],
    ['ann@bücher.example', 'ann@xn--bcher-kva.example'],
    ['ann@XN--BCHER-KVA.example', 'ann@xn--bcher-kva.example'],
    ['"a@b"@postern.test', '"a@b"@postern.test'],
    ['ann@[192.0.2.1]', 'ann@[192.0.2.1]'],
    ['ann', null],
    ['@postern.test', null],
    ['ann@', null],
    ['', null],
  ];
  for (const [written, kept] of table) {
    test(`${written || 'nothing'} reaches ${kept ?? 'no inbox'}`, () => {
      const parsed = parseAddress(written);
      expect(parsed ? toInboxAddress(parsed) : null).toBe(kept);
    });
  }
});
