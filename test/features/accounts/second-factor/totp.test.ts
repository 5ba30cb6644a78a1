/** Codes of an authenticator app: when each is valid, and that a secret belongs to one email. */
import { expect, test } from 'bun:test';
import {
  findStep,
  openTotpSecret,
  sealTotpSecret,
} from '../../../../src/features/accounts/second-factor/totp.ts';
import { ServerKey } from '../../../../src/platform/core/sealed.ts';

/** From the test vectors in RFC 6238, appendix B. */
const secret = Buffer.from('12345678901234567890');
const SECOND_US = 1_000_000;

test.each([
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
])('at %d s the code is %s', (atS, code) => {
  expect(findStep(secret, code, atS * SECOND_US)).toBe(Math.floor(atS / 30));
});

test.each([
  [-60, null],
  [-30, 37_037_036],
  [30, 37_037_036],
  [60, null],
])('a phone whose clock differs by %d s gets step %p', (offS, step) => {
  expect(findStep(secret, '081804', (1_111_111_109 + offS) * SECOND_US)).toBe(step);
});

test('a code may be typed with spaces, and must have six digits', () => {
  const at = 59 * SECOND_US;
  expect(findStep(secret, ' 287 082 ', at)).toBe(1);
  for (const code of ['', '87082', '94287082', '28708a']) expect(findStep(secret, code, at)).toBeNull();
});

test('a stored secret can’t be used for another email', () => {
  const key = new ServerKey(new Uint8Array(32).fill(7));
  const sealed = sealTotpSecret(key, 'ann@example.com', secret);
  expect(Buffer.from(openTotpSecret(key, 'ann@example.com', sealed))).toEqual(secret);
  expect(() => openTotpSecret(key, 'eve@example.com', sealed)).toThrow();
});
