/** What to do about a failed attempt, by the words of its reason. The first row that fits counts. */
const advice: readonly [RegExp, (names: readonly string[]) => string][] = [
  [/ENOSPC|no space|disk/i, () => 'Free disk space; the next attempt comes by itself.'],
  [
    /rateLimited/,
    () => 'Nothing: Postern waits as long as the CA asks. Does another program ask it for the same names?',
  ],
  [/was deactivated/, () => 'Nothing: the next attempt comes by itself.'],
  [
    /account is not valid|account.*revoked/i,
    () =>
      'Ask the CA why. Without the file acme/account-….key in the data folder, the next attempt makes a new account.',
  ],
  [
    /clock|CERT_NOT_YET_VALID|CERT_HAS_EXPIRED/,
    () => 'Set the clock of this machine (timedatectl), then run: systemctl reload postern.',
  ],
  [
    /can't be reached/,
    () =>
      'See that this machine can reach the CA by https, and that its clock is right. A private CA: POSTERN_EXTRA_CA_FILE.',
  ],
  [
    /did not accept|unauthorized|connection|dns/,
    (names) =>
      `See that http://${names.join(' and http://')} reach this machine on port 80 from the Internet (DNS, firewall, port forwarding).`,
  ],
  [/rejectedIdentifier|not for/, () => 'Set POSTERN_BASE_URL and POSTERN_MX_HOST to public names of yours.'],
  [/external account/, () => "Set POSTERN_ACME_DIRECTORY to another CA, such as Let's Encrypt."],
];

export function adviseOn(fault: unknown, names: readonly string[]): string {
  const reason = readReason(fault);
  const found = advice.find(([pattern]) => pattern.test(reason));
  return found?.[1](names) ?? 'postern doctor shows the state of the certificate.';
}

import { readReason } from '../../platform/core/thrown.ts';
