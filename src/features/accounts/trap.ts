import type { PlatformServices } from '../../platform/services.ts';
import type { AccountStatus, Plan } from '../../rules/plans.ts';
import { authenticate, type KeyServices } from './authenticate.ts';
import type { CaptureOwner } from './capture-account.ts';
import { findAccountByNo, findKeyById } from './sql.ts';

/*
 * A trap accepts mail for every address and never relays it. All of capture mode is one; on a server it belongs to an
 * account, and SMTP AUTH opens it with one of its keys (docs/testing.md, A trap for a team).
 */

export interface TrapServices extends Pick<PlatformServices, 'plans'> {
  /** The one account of capture mode; null on a server. */
  readonly capture: CaptureOwner | null;
}

/** Where the mail of a session goes, whatever its recipients are. */
export interface Trap {
  account_no: number;
  /** Live inboxes that the account may have. */
  cap: number;
  /** On a server: its inboxes are apart from the server's own addresses. */
  isApart: boolean;
}

interface TrapAccount {
  no: number;
  plan: Plan;
  trap: boolean;
}

export function isTrap(
  { capture }: Pick<TrapServices, 'capture'>,
  account: Omit<TrapAccount, 'plan'>,
): boolean {
  return capture ? capture.account_no === account.no : account.trap;
}

/** Capture mode's trap, which has no cap. */
export function captureTrap({ account_no }: Pick<CaptureOwner, 'account_no'>): Trap {
  return { account_no, cap: Number.POSITIVE_INFINITY, isApart: false };
}

/** The trap of an account; null when the account is not a trap. */
export function findTrap(services: TrapServices, account: TrapAccount): Trap | null {
  if (!isTrap(services, account)) return null;
  if (services.capture) return captureTrap(services.capture);
  return { account_no: account.no, cap: services.plans[account.plan].inboxes, isApart: true };
}

/** What SMTP AUTH opened on a server. */
export interface OpenTrap extends Trap {
  key_id: string;
}

export type TrapRefusal = 'wrong_key' | 'not_a_trap' | 'account_suspended';

/** Opens the trap of a key's account. */
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

/** The same trap, read again; null when its key was revoked or the account is no longer a trap. */
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
