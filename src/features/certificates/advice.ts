import { readReason } from '../../platform/core/thrown.ts';

/** What to do about a failed attempt, by the words of its reason. The first match counts. */
const advice: readonly [RegExp, (names: readonly string[]) => string][] = [
  [/ENOSPC|no space|disk/i, () => 'Free disk space. The next attempt is automatic.'],
  [
    /rateLimited/,
    () =>
      'Nothing to do: Postern waits as long as the CA asks. Check that no other program requests certificates for the same names.',
  ],
  [/was deactivated/, () => 'Nothing to do: the next attempt is automatic, with a new account.'],
  [
    /account is not valid|account.*revoked/i,
    () => 'Ask the CA why. To start with a new account, delete acme/account-….key in the data folder.',
  ],
  [
    /clock|CERT_NOT_YET_VALID|CERT_HAS_EXPIRED/,
    () => 'Set the clock of this machine (timedatectl), then run: systemctl reload postern.',
  ],
  [
    /can't be reached/,
    () =>
      'Make sure that this machine can reach the CA by https and that its clock is right. For a private CA, set POSTERN_EXTRA_CA_FILE.',
  ],
  [
    /did not accept|unauthorized|connection|dns/,
    (names) =>
      `Make sure that http://${names.join(' and http://')} reach this machine on port 80 from the Internet (DNS, firewall, port forwarding).`,
  ],
  [
    /rejectedIdentifier|not for/,
    () => 'Set POSTERN_BASE_URL and POSTERN_MX_HOST to public names that you own.',
  ],
  [/external account/, () => "Set POSTERN_ACME_DIRECTORY to another CA, such as Let's Encrypt."],
];

/** Returns what an operator should do about a failed attempt. */
export function adviseOn(fault: unknown, names: readonly string[]): string {
  const reason = readReason(fault);
  const found = advice.find(([pattern]) => pattern.test(reason));
  return found?.[1](names) ?? 'postern doctor shows the state of the certificate.';
}
