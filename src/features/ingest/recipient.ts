import { SECOND_US } from '../../platform/core/clock.ts';
import { parseAddress, toInboxAddress, toInboxLocalPart } from '../../platform/mail/address.ts';
import type { PlatformServices } from '../../platform/services.ts';
import type { ReplyName } from '../../rules/replies.ts';
import { operatorLocalParts } from '../../rules/reserved.ts';
import { suspension } from '../../rules/suspension.ts';
import { hasAccounts, readSuspendedSince } from '../accounts/sql.ts';
import type { Trap } from '../accounts/trap.ts';
import { findDomainByName } from '../domains/sql.ts';
import { countInboxes } from '../inboxes/sql.ts';
import { type ReportScope, readBounceAddress } from '../outbound/sending/bounce-address.ts';
import { judgeOnDomain } from './own-domain.ts';
import { findTargetByAddress, findTargetById, findTargetInTrap } from './sql.ts';

/** What happens to mail for an address. */
export type RecipientVerdict =
  | { deliver: Recipient }
  /** Accept and drop it: mail to postmaster@ and abuse@ when no inbox takes it. */
  | { drop: true }
  /** Read it as a delivery report about an email of ours. */
  | { report: ReportScope }
  | { refuse: ReplyName };

/** `creates` is the address for which the mail will create an inbox. */
export type TrapVerdict = RecipientVerdict & { creates?: string };

/** An accepted recipient. */
export interface Recipient {
  /** As in the RCPT command. */
  envelope_recipient: string;
  /** The inbox's address. */
  address: string;
}

/** Decides on a RCPT command (docs/decisions.md, SMTP, and Domains). Mail is never relayed. Deliveries are cached. */
export function judgeRecipient(services: PlatformServices, envelopeRecipient: string): RecipientVerdict {
  return services.store.readCache.find(
    `recipient ${envelopeRecipient}`,
    () => deferWithoutAccounts(services, judgeUncached(services, envelopeRecipient)),
    // A refusal may depend on the time, so it is not cached.
    (verdict) => 'deliver' in verdict,
  );
}

/**
 * Defers mail that a store without any account would refuse, if the operator has chosen that. Such a server is still
 * being set up, or its disk was not mounted when it started: after a 550, senders would return mail that the right
 * store accepts.
 */
function deferWithoutAccounts(
  { store, settings }: PlatformServices,
  verdict: RecipientVerdict,
): RecipientVerdict {
  const defers = 'refuse' in verdict && settings.without_accounts === 'defer' && !hasAccounts(store);
  return defers ? { refuse: 'no_account' } : verdict;
}

/** Costs a few indexed reads. */
function judgeUncached(services: PlatformServices, envelopeRecipient: string): RecipientVerdict {
  const shared = services.settings.mail_domain;
  const given = completeAddress(envelopeRecipient, shared);
  const parsed = parseAddress(given);
  if (!parsed) return { refuse: 'unknown_recipient' };
  const bounce = readBounceAddress(services, given);
  if (bounce) return bounce === 'forged' ? { refuse: 'unknown_recipient' } : { report: bounce };
  const address = toInboxAddress(parsed);
  const inbox = findTargetByAddress(services.store, address);
  const domain = parsed.domain === shared ? null : findDomainByName(services.store, parsed.domain);
  const to = (target: string): RecipientVerdict => ({
    deliver: { envelope_recipient: envelopeRecipient, address: target },
  });
  const toOperator = () => judgeOperatorName(services, parsed.local, to);
  if (domain && (!inbox || inbox.domain_no === domain.no)) {
    const own = inbox && { address, is_enabled: inbox.is_enabled === 1 };
    const found = judgeOnDomain(services, domain, own);
    if ('refuse' in found) return found;
    return found.target === null
      ? toOperator()
      : (refuseSuspended(services, domain.account_no) ?? to(found.target));
  }
  if (inbox) {
    if (!inbox.is_enabled) return { refuse: 'unknown_recipient' };
    return refuseSuspended(services, inbox.account_no) ?? to(address);
  }
  return parsed.domain === shared ? toOperator() : { refuse: 'relay_refused' };
}

/**
 * Decides on a RCPT command in a trap, where each address gets an inbox.
 * @param isNew The addresses for which this mail will already create inboxes: they count against the plan's cap.
 */
export function judgeInTrap(
  services: PlatformServices,
  trap: Trap,
  envelopeRecipient: string,
  isNew: ReadonlySet<string>,
): TrapVerdict {
  const given = completeAddress(envelopeRecipient, services.settings.mail_domain);
  const parsed = parseAddress(given);
  if (!parsed) return { refuse: 'unknown_recipient' };
  // Reports about our own mail go to the server. The trap of an account sends none.
  const bounce = trap.isApart ? null : readBounceAddress(services, given);
  if (bounce && bounce !== 'forged') return { report: bounce };
  const address = toInboxAddress(parsed);
  const deliver = { envelope_recipient: envelopeRecipient, address };
  const inbox = services.store.readCache.find(
    `trap ${trap.account_no} ${trap.isApart} ${address}`,
    () => findTargetInTrap(services.store, trap, address),
    (found) => found !== undefined,
  );
  if (inbox) return inbox.is_enabled ? { deliver } : { refuse: 'unknown_recipient' };
  // Counting takes time in proportion to the inboxes.
  if (trap.cap === Number.POSITIVE_INFINITY) return { deliver };
  const inboxes = countInboxes(services.store, trap.account_no) + isNew.size;
  return isNew.has(address) || inboxes < trap.cap ? { deliver, creates: address } : { refuse: 'trap_full' };
}

/** Adds the domain to a bare `postmaster`, the only recipient allowed without one (RFC 5321 4.5.1). */
function completeAddress(envelopeRecipient: string, shared: string): string {
  return /^postmaster$/i.test(envelopeRecipient) ? `postmaster@${shared}` : envelopeRecipient;
}

/** Decides on an address without an inbox. postmaster@ and abuse@ are accepted, for the operator. */
function judgeOperatorName(
  services: PlatformServices,
  local: string,
  to: (target: string) => RecipientVerdict,
): RecipientVerdict {
  if (!operatorLocalParts.includes(toInboxLocalPart(local))) return { refuse: 'unknown_recipient' };
  const operator = services.settings.postmaster_inbox;
  const target = operator === null ? undefined : findTargetById(services.store, operator);
  const isRead = target?.is_enabled && readSuspendedSince(services.store, target.account_no) === null;
  return isRead ? to(target.address) : { drop: true };
}

/** Defers mail for a suspended account for some days, then refuses it. Returns null for any other account. */
function refuseSuspended({ store, clock }: PlatformServices, accountNo: number): RecipientVerdict | null {
  const sinceUs = readSuspendedSince(store, accountNo);
  if (sinceUs === null) return null;
  const isNew = clock.nowUs() - sinceUs < suspension.mailPutOffS * SECOND_US;
  return { refuse: isNew ? 'account_put_off' : 'account_stopped' };
}
