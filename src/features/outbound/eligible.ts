import { fail } from '../../platform/core/failure.ts';
import type { Reading } from '../../platform/store/operation.ts';
import { sendingDomainOf } from '../domains/sending.ts';

/**
 * Throws sending_domain_not_eligible, one refusal for all causes: the domain is not the account's, not verified, or
 * has no DKIM key that was seen in the DNS. It is asked again at sending time.
 */
export function requireSendingDomain(reading: Reading, accountNo: number, email: string): void {
  if (!sendingDomainOf(reading, accountNo, email)) fail('sending_domain_not_eligible');
}
