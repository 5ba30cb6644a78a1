import type { Account } from '../accounts/account.ts';
import { sessionOf } from '../accounts/sessions/sign-in.ts';
import type { Session } from '../accounts/sessions/sql.ts';
import { accountByNo, type User } from '../accounts/sql.ts';
import type { Floor } from '../floor.ts';
import type { MemberRole } from '../rules/plans.ts';
import { tokenOf } from './cookie.ts';
import { refuseForeignPages } from './origin.ts';

/** Who looks at the dashboard. */
export interface Visitor {
  account: Account;
  /** Null in capture mode: nobody signs in there. */
  user: User | null;
  role: MemberRole;
  is_operator: boolean;
  /** Capture mode: Mail only. */
  capture: boolean;
  /** Null in capture mode. */
  session: Session | null;
}

const captured = new WeakMap<Floor, number>();

/** From now on the dashboard shows this account's mail to whoever is on this machine (capture mode). */
export function openToCapture(floor: Floor, account_no: number): void {
  captured.set(floor, account_no);
}

export function isCapture(floor: Floor): boolean {
  return captured.has(floor);
}

/**
 * Who is there, or null when nobody is signed in. Throws account_forbidden for what another web page asks.
 */
export function whoIsThere(floor: Floor, request: Request, now_us: number): Visitor | null {
  refuseForeignPages(request, floor.settings.base_url);
  const account_no = captured.get(floor);
  if (account_no === undefined) return signedIn(floor, request, now_us);
  const account = accountByNo(floor.store, account_no);
  return account && { account, user: null, role: 'member', is_operator: false, capture: true, session: null };
}

function signedIn(floor: Floor, request: Request, now_us: number): Visitor | null {
  const token = tokenOf(request, floor.settings);
  const session = token === null ? null : sessionOf(floor, token, now_us);
  if (!session) return null;
  const { account, user } = session;
  const is_operator = account.operator && user.role === 'owner';
  return { account, user, role: user.role, is_operator, capture: false, session };
}
