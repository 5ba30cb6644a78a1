import type { PlatformServices } from '../../platform/services.ts';
import type { AccountStatus, Plan } from '../../rules/plans.ts';
import { authenticate, type KeyServices } from './authenticate.ts';
import type { CaptureOwner } from './capture-account.ts';
import { findAccountByNo, findKeyById } from './sql.ts';

/*
 * A trap accepts mail for every address and never relays it. In capture mode the whole server is one. On a server a
 * trap belongs to an account, and SMTP AUTH with one of the account's keys opens it (docs/testing.md, A trap for a
 * team).
 */

export interface TrapServices extends Pick<PlatformServices, 'plans'> {
  /** The one account of capture mode; null on a server. */
  readonly capture: CaptureOwner | null;
}

/** The trap that gets all mail of a session, whoever the recipients are. */
export interface Trap {
  account_no: number;
  /** How many live inboxes the account may have. */
  cap: number;
  /** Whether its inboxes are separate from the server's own addresses. True on a server. */
  isApart: boolean;
}

export interface TrapAccount {
  no: number;
  plan: Plan;
  trap: boolean;
}

export function isTrap(
  { capture }: Pick<TrapServices, 'capture'>,
  account: Omit<TrapAccount, 'plan'>,
): boolean {
  return capture ? capture.accountNo === account.no : account.trap;
}

/** The trap of capture mode, which has no cap. */
export function makeCaptureTrap({ accountNo }: Pick<CaptureOwner, 'accountNo'>): Trap {
  return { account_no: accountNo, cap: Number.POSITIVE_INFINITY, isApart: false };
}

/** The trap of an account; null when the account is not a trap. */
export function findTrap(services: TrapServices, account: TrapAccount): Trap | null {
  if (!isTrap(services, account)) return null;
  if (services.capture) return makeCaptureTrap(services.capture);
  return { account_no: account.no, cap: services.plans[account.plan].inboxes, isApart: true };
}

/** A trap that SMTP AUTH opened on a server. */
export interface OpenTrap extends Trap {
  key_id: string;
}

export type TrapRefusal = 'wrong_key' | 'not_a_trap' | 'account_suspended';

/** Opens the trap of a key's account, or returns why it can't. */
export function openTrap(
  services: TrapServices & Pick<KeyServices, 'store' | 'knownCallers'>,
  apiKey: string,
): OpenTrap | TrapRefusal {
  const holder = authenticate(services, apiKey);
  if (!holder) return 'wrong_key';
  const trap = findTrap(services, holder.account);
  if (!trap) return 'not_a_trap';
  return isServed(holder.account) ? { ...trap, key_id: holder.key_id } : 'account_suspended';
}

/** Reads an open trap again. Null if its key was revoked, or if the account is no longer an active trap. */
export function reopenTrap(
  services: TrapServices & Pick<PlatformServices, 'store'>,
  open: OpenTrap,
): OpenTrap | null {
  if (findKeyById(services.store, open.key_id)?.revoked_at !== null) return null;
  const account = findAccountByNo(services.store, open.account_no);
  const trap = account && isServed(account) ? findTrap(services, account) : null;
  return trap && { ...trap, key_id: open.key_id };
}

function isServed({ status }: { status: AccountStatus }): boolean {
  return status === 'active';
}
