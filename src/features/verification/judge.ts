import { type EnvelopeMailbox, parseMailbox, readDomainPart } from '../../platform/mail/address-syntax.ts';
import { isDisposable, isServedByThrowaway } from './disposable.ts';
import { freeProviders } from './known-domains.ts';
import { disposableList } from './lists/disposable.ts';
import type { MailHost } from './mail-host.ts';
import { normalizeAddress } from './normalized.ts';
import type { OwnEntries } from './own-list.ts';
import type { ProbeFinding } from './probe.ts';
import { isRole } from './role-accounts.ts';
import { suggestDomain } from './suggestion.ts';
import { type AddressVerdict, findRisk, type Reason, type Verification } from './verdict.ts';

/*
 * Turns facts into a verdict (docs/decisions.md, Verification). Each step refines the previous verdict. None asks a
 * server.
 */

/**
 * What is known without asking anyone: the syntax, and what the lists say. Final if there is no mailbox to ask about.
 */
export interface OfflineCheck {
  verdict: Verification;
  /** The mailbox to ask about; null if the address is not one on the Internet. */
  mailbox: EnvelopeMailbox | null;
}

export function checkOffline(email: string, own: OwnEntries): OfflineCheck {
  const mailbox = parseMailbox(email);
  const domain = mailbox?.domain ?? readDomainPart(email);
  const name = domain?.startsWith('[') ? null : domain;
  const mayAsk = mailbox !== null && name !== null;
  const meant = mayAsk ? suggestDomain(name) : null;
  const verdict: Verification = {
    email,
    ...(mayAsk ? makeVerdict('unknown', 'dns_error') : makeVerdict('undeliverable', 'no_mail_server')),
    ...(mailbox ? {} : makeVerdict('undeliverable', 'invalid_syntax')),
    syntax_valid: mailbox !== null,
    domain,
    has_mx: false,
    is_disposable: name !== null && isDisposable(name, own),
    is_role: mailbox !== null && isRole(mailbox.local),
    checked: 'syntax',
    is_free: name !== null && freeProviders.has(name),
    suggestion: mailbox && meant && `${mailbox.local}@${meant}`,
    normalized: mailbox && normalizeAddress(mailbox),
    lists_date: disposableList.date,
  };
  return { verdict, mailbox: mayAsk ? mailbox : null };
}

/** Adds what the DNS says about the domain. Returns the verdict of safe mode. */
export function withMailHost({ verdict }: OfflineCheck, host: MailHost, own: OwnEntries): Verification {
  const hasMx = host.kind === 'mx';
  const disposable =
    verdict.is_disposable || (hasMx && isServedByThrowaway(verdict.domain ?? '', host.exchanges, own));
  const facts: Verification = { ...verdict, has_mx: hasMx, is_disposable: disposable, checked: 'dns' };
  if (host.kind === 'unknown') return { ...facts, ...makeVerdict('unknown', 'dns_error') };
  if (host.kind === 'none') return { ...facts, ...makeVerdict('undeliverable', host.reason) };
  return { ...facts, ...judgeByRisk(findRisk({ ...facts, isFallback: !hasMx })) };
}

/**
 * Adds the mail server's answer. Returns the verdict of full mode, which is the safe one if the probe had no result.
 */
export function withProbe(safe: Verification, { meaning, ...smtp }: ProbeFinding): Verification {
  if (meaning === null) return { ...safe, smtp };
  const facts: Verification = { ...safe, checked: 'smtp', smtp };
  if (meaning === 'mailbox_not_found') return { ...facts, ...makeVerdict('undeliverable', meaning) };
  const isFull = meaning === 'mailbox_full';
  const isCatchAll = smtp.catch_all === true;
  return {
    ...facts,
    ...judgeByRisk(findRisk({ ...facts, isFull, is_catch_all: isCatchAll, isFallback: !safe.has_mx })),
  };
}

/** Returns the verdict on an address that ran out of time. What is known to be invalid stays so. */
export function judgeOutOfTime({ verdict, mailbox }: OfflineCheck, reason: Reason): Verification {
  return mailbox ? { ...verdict, ...makeVerdict('unknown', reason) } : verdict;
}

function judgeByRisk(risk: Reason | null) {
  return risk ? makeVerdict('risky', risk) : makeVerdict('deliverable', 'ok');
}

function makeVerdict(deliverable: AddressVerdict, reason: Reason) {
  return { deliverable, reason };
}
