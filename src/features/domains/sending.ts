/** The domains from which an account may send, and the keys that sign its mail. */
import type { KeyObject } from 'node:crypto';
import { parseAddress } from '../../platform/mail/address.ts';
import type { PlatformServices } from '../../platform/services.ts';
import type { Reading } from '../../platform/store/operation.ts';
import { openCachedKey } from './dkim-key.ts';
import { type Domain, findDomainByName, findSigningKey } from './sql.ts';

/** What a DKIM signature needs (RFC 6376). */
export interface Signer {
  /** The `d=` tag. */
  domain: string;
  /** The `s=` tag. */
  selector: string;
  privateKey: KeyObject;
}

/** Returns the account's verified domain that an address belongs to; null if there is none. */
export function findVerifiedDomain(reading: Reading, accountNo: number, address: string): Domain | null {
  const parsed = parseAddress(address);
  const domain = parsed && findDomainByName(reading, parsed.domain);
  return domain?.account_no === accountNo && domain.status === 'verified' ? domain : null;
}

/** Returns that domain if its DKIM key was found in the DNS too, so that the account may send from the address. */
export function findSendingDomain(reading: Reading, accountNo: number, address: string): Domain | null {
  const domain = findVerifiedDomain(reading, accountNo, address);
  return domain && findSigningKey(reading, domain.no) ? domain : null;
}

/**
 * Returns what signs mail from an address now; null if the account may not send from it. Call it for each email: keys
 * rotate, and a domain may stop being verified.
 */
export function findSigner(services: PlatformServices, accountNo: number, address: string): Signer | null {
  const domain = findVerifiedDomain(services.store, accountNo, address);
  const key = domain && findSigningKey(services.store, domain.no);
  if (!domain || !key) return null;
  const privateKey = openCachedKey(services.key, domain.id, key);
  return { domain: domain.name, selector: key.selector, privateKey };
}
