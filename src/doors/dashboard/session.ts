import type { Account } from '../../features/accounts/account.ts';
import type { Person } from '../../features/accounts/second-factor/manage.ts';
import { findSession } from '../../features/accounts/sessions/sign-in.ts';
import type { Session } from '../../features/accounts/sessions/sql.ts';
import { findAccountByNo, type User } from '../../features/accounts/sql.ts';
import type { Client } from '../../platform/http/route.ts';
import type { PlatformServices } from '../../platform/services.ts';
import type { MemberRole } from '../../rules/plans.ts';
import { hasCaptureCookie, needsNoKey } from './capture-access.ts';
import { readToken } from './cookie.ts';
import { refuseForeignPages } from './origin.ts';
import type { DashboardServices } from './services.ts';

/** The person who uses the dashboard. */
export interface Visitor {
  account: Account;
  /** Null in capture mode, which has no sign-in. */
  user: User | null;
  role: MemberRole;
  isOperator: boolean;
  /** Capture mode shows Mail only. */
  capture: boolean;
  /** Null in capture mode. */
  session: Session | null;
}

/** Identifies the visitor; null when nobody is signed in. Throws account_forbidden for another site's page. */
export function findVisitor(
  services: DashboardServices,
  request: Request,
  nowUs: number,
  client: Client,
): Visitor | null {
  refuseForeignPages(request, services.settings.base_url);
  if (!services.capture) return findSignedIn(services, request, nowUs);
  if (!needsNoKey(services, request, client) && !hasCaptureCookie(services, request)) return null;
  const account = findAccountByNo(services.store, services.capture.accountNo);
  return account && { account, user: null, role: 'member', isOperator: false, capture: true, session: null };
}

function findSignedIn(services: PlatformServices, request: Request, nowUs: number): Visitor | null {
  const token = readToken(request, services.settings);
  const session = token === null ? null : findSession(services, token, nowUs);
  if (!session) return null;
  const { account, user } = session;
  const isOperator = account.operator && user.role === 'owner';
  return { account, user, role: user.role, isOperator, capture: false, session };
}

/** Returns the signed-in visitor as someone who confirms a change. */
export function makePerson({ session }: Visitor, { ip }: Client): Person {
  return { session: session!, address: ip };
}
