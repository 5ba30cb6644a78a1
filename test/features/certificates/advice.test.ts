/** A line of the log or the doctor must point to where the fault really is. */
import { expect, test } from 'bun:test';
import { adviseOn } from '../../../src/features/certificates/advice.ts';

// As they were logged, by real servers with a wrong clock, without a network and with a closed port.
test.each([
  ['ENOSPC: no space left on device, write', 'Free disk space'],
  ["ca.test can't be reached: 192.0.2.1: CERT_NOT_YET_VALID: certificate is not yet valid", 'Set the clock'],
  [
    "ca.test can't be reached: 192.0.2.1: CERT_HAS_EXPIRED: certificate has expired; ::1: connection refused",
    'Set the clock',
  ],
  ["ca.test can't be reached: 192.0.2.1: connection refused", 'can reach the CA by https'],
  ["ca.test can't be reached: ca.test: the DNS server does not answer", 'can reach the CA by https'],
  ['it expired on 2026-11-21 by the clock of this machine, which may be wrong', 'Set the clock'],
  ['the CA did not accept mx.test: connection: Fetching http://mx.test/: timeout', 'on port 80'],
  ['the CA refused: unauthorized: Invalid response from http://mx.test/ (403)', 'on port 80'],
  ['the CA refused: rateLimited: too many certificates (429)', 'waits as long as the CA asks'],
  ['the CA refused: unauthorized: Account is not valid, has status "revoked" (403)', 'Ask the CA why'],
])('the advice on “%s” is what helps', (reason, advice) => {
  expect(adviseOn(reason, ['mx.test'])).toContain(advice);
});
