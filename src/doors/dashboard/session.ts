import type { Account } from '../../features/accounts/account.ts';
import { sessionOf } from '../../features/accounts/sessions/sign-in.ts';
import type { Session } from '../../features/accounts/sessions/sql.ts';
import { accountByNo, type User } from '../../features/accounts/sql.ts';
import type { Floor } from '../../platform/floor.ts';
import type { MemberRole } from '../../rules/plans.ts';
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
export function openToCapture(floor: Floor, accountNo: number): void {
  captured.set(floor, accountNo);
}

export function isCapture(floor: Floor): boolean {
  return captured.has(floor);
}

/**
 * Who is there, or null when nobody is signed in. Throws account_forbidden for what another web page asks.
 */
export function whoIsThere(floor: Floor, request: Request, nowUs: number): Visitor | null {
  refuseForeignPages(request, floor.settings.base_url);
  const accountNo = captured.get(floor);
  if (accountNo === undefined) return signedIn(floor, request, nowUs);
  const account = accountByNo(floor.store, accountNo);
  return account && { account, user: null, role: 'member', is_operator: false, capture: true, session: null };
}

function signedIn(floor: Floor, request: Request, nowUs: number): Visitor | null {
  const token = tokenOf(request, floor.settings);
  const session = token === null ? null : sessionOf(floor, token, nowUs);
  if (!session) return null;
  const { account, user } = session;
  const isOperator = account.operator && user.role === 'owner';
  return { account, user, role: user.role, is_operator: isOperator, capture: false, session };
}
