import type { Account } from '../accounts/account.ts';
import { accountByNo, type User } from '../accounts/sql.ts';
import type { Floor } from '../floor.ts';
import type { MemberRole } from '../rules/plans.ts';
import { refuseForeignNames, refuseForeignPages } from './origin.ts';

/** Who looks at the dashboard. */
export interface Visitor {
  account: Account;
  /** Null in capture mode: nobody signs in there. */
  user: User | null;
  role: MemberRole;
  is_operator: boolean;
  /** Capture mode: Mail only. */
  capture: boolean;
}

const captured = new WeakMap<Floor, number>();

/** From now on the dashboard shows this account's mail to whoever is on this machine (capture mode). */
export function openToCapture(floor: Floor, account_no: number): void {
  captured.set(floor, account_no);
}

/**
 * Who is there, or null when nobody is signed in. Throws account_forbidden for what another web page asks, and, in
 * capture mode, under a name that is not this machine's.
 */
export function whoIsThere(floor: Floor, request: Request, _now_us: number): Visitor | null {
  refuseForeignPages(request, floor.settings.base_url);
  const account_no = captured.get(floor);
  if (account_no === undefined) return null;
  refuseForeignNames(request);
  const account = accountByNo(floor.store, account_no);
  return account && { account, user: null, role: 'member', is_operator: false, capture: true };
}
