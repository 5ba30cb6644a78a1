/** The sealed state of a passkey ceremony: it is valid for one purpose, one owner and five minutes. */
import { expect, test } from 'bun:test';
import {
  CEREMONY_S,
  createChallenge,
  openChallenge,
} from '../../../../src/features/accounts/passkeys/challenge.ts';
import { ServerKey } from '../../../../src/platform/core/sealed.ts';
import { FakeClock } from '../../../peers/fake-clock.ts';

const clock = new FakeClock();
const services = { key: new ServerKey(new Uint8Array(32).fill(7)), clock };
const asked = { purpose: 'confirm', owner: 'session 1' } as const;
const { bytes, pending } = createChallenge(services, { ...asked, opens: [3] });
const challenge = Buffer.from(bytes).toString('base64url');

test('a challenge opens for the purpose and owner that it was created for', () => {
  expect(openChallenge(services, pending, asked)).toMatchObject({ ...asked, challenge, opens: [3] });
});

test.each([
  ['another purpose of the same owner', pending, { ...asked, purpose: 'add' as const }],
  ['another owner', pending, { ...asked, owner: 'session 2' }],
  ['a challenge that was changed', [...pending].reverse().join(''), asked],
  ['a challenge that is none', '', asked],
])('%s gets none', (_, given, wanted) => {
  expect(openChallenge(services, given, wanted)).toBeNull();
});

test('a challenge can’t be opened by another server', () => {
  const other = { clock, key: new ServerKey(new Uint8Array(32).fill(8)) };
  expect(openChallenge(other, pending, asked)).toBeNull();
});

test('a challenge expires after five minutes', async () => {
  const late = createChallenge(services, asked).pending;
  await clock.advance(CEREMONY_S * 1000 - 1);
  expect(openChallenge(services, late, asked)).not.toBeNull();
  await clock.advance(1);
  expect(openChallenge(services, late, asked)).toBeNull();
});
