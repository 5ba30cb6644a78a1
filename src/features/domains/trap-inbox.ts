import { fail } from '../../platform/core/failure.ts';
import { parseAddress, toInboxAddress } from '../../platform/mail/address.ts';
import { isQuotedString } from '../../platform/mail/address-syntax.ts';
import type { Tx } from '../../platform/store/operation.ts';
import { findAccountByNo } from '../accounts/sql.ts';
import type { Trap } from '../accounts/trap.ts';
import { countInboxes } from '../inboxes/sql.ts';
import { insertInbox } from '../inboxes/writes.ts';
import { findDomainByName } from './sql.ts';

/** RFC 5321 4.5.3.1: 64 for the local part, 255 for the domain. */
const ADDRESS_CHARS_MAX = 320;

/** An inbox of a trap, which may not exist yet. */
export interface TrapInbox {
  trap: Trap;
  address: string;
}

/**
 * Returns the inbox of a trap that a request names by its address; null for any other text. In a trap every address
 * exists: the first request that names it creates its inbox, as the first mail to it does.
 */
export function readTrapInbox(trap: Trap, named: string): TrapInbox | null {
  const parsed = parseAddress(named);
  if (!parsed || named.length > ADDRESS_CHARS_MAX) return null;
  // Mail for such an address is accepted, but in a request it is more likely a mistake, unless the local part is
  // quoted.
  const isQuoted = isQuotedString(parsed.local);
  if (/[\s<>,;\p{Cc}]/u.test(isQuoted ? parsed.domain : named)) return null;
  // SMTP refuses it, so the inbox could never get mail.
  if (!isQuoted && parsed.local.includes('@')) return null;
  return { trap, address: toInboxAddress(parsed) };
}

/** Creates a missing inbox of a trap, or throws plan_limit_reached. Does nothing if the account has been deleted since. */
export function createTrapInbox(tx: Tx, { trap, address }: TrapInbox): void {
  if (!findAccountByNo(tx, trap.account_no)) return;
  // Counting takes time in proportion to the inboxes.
  if (Number.isFinite(trap.cap) && countInboxes(tx, trap.account_no) >= trap.cap) fail('plan_limit_reached');
  const at = address.lastIndexOf('@');
  const name = address.slice(at + 1);
  const domain = trap.isApart ? null : findDomainByName(tx, name);
  const isOwn = domain?.account_no === trap.account_no && domain.status === 'verified';
  insertInbox(
    tx,
    {
      account_no: trap.account_no,
      is_trap: trap.isApart,
      domain: name,
      ...(isOwn ? { domain_no: domain.no } : {}),
      routing_key: null,
      label: '',
      is_public: false,
      metadata: '{}',
    },
    address.slice(0, at),
  );
}
