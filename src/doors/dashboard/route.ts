import type { z } from 'zod';
import { fail } from '../../platform/core/failure.ts';
import type { Params, QueryOf } from '../../platform/http/query.ts';
import type { Answer } from '../../platform/http/reply.ts';
import {
  type Admit,
  type Call,
  KEY_LIMITS,
  type Principal,
  type Route,
  type RouteSpec,
  routeOn,
} from '../../platform/http/route.ts';
import { type LimitName, limits } from '../../rules/limits.ts';
import type { DashboardServices } from './services.ts';
import { findVisitor, type Visitor } from './session.ts';

/*
 * A route of the dashboard. It runs through the same pipeline as the API's (platform/http/route.ts), but its caller
 * is identified by a session or by capture mode, never by a key. It is not in the OpenAPI document.
 */

/**
 * Who may call. `anyone`; `person`: signed in, even to a suspended account; `visitor`: may see the account, or is
 * capture mode's visitor; `owner` of the account; `operator`.
 */
export type Who = 'anyone' | 'person' | 'visitor' | 'owner' | 'operator';

/** With a Visitor. It may be null on routes for anyone. */
export type DashboardCall<Body, Query, W extends Who> = Omit<
  Call<Body, Query, null, DashboardServices>,
  'visitor'
> & {
  readonly visitor: W extends 'anyone' ? Visitor | null : Visitor;
};

export interface DashboardSpec<B extends z.ZodType, Q extends Params, W extends Who>
  extends Pick<
    RouteSpec<DashboardServices, B, Q, 'none'>,
    | 'name'
    | 'method'
    | 'path'
    | 'open'
    | 'limits'
    | 'limitedSubject'
    | 'waits'
    | 'body'
    | 'bodyOptional'
    | 'bodyBytesMax'
    | 'query'
  > {
  /** `visitor` unless this says otherwise. */
  who?: W;
  /** Media types of success other than JSON. */
  content?: readonly string[];
  run: (call: DashboardCall<z.output<B>, QueryOf<Q>, W>) => Answer | Promise<Answer>;
}

/** On every response: no other site may embed it, and none learns where a visitor came from. */
const ownHeaders = {
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
} as const;

const route = routeOn<DashboardServices>();

export function dashboardRoute<
  B extends z.ZodType = z.ZodType<undefined>,
  Q extends Params = Record<never, never>,
  W extends Who = 'visitor',
>(spec: DashboardSpec<B, Q, W>): Route<DashboardServices> {
  const { who = 'visitor', run, limits: own = [], ...rest } = spec;
  return route<B, Q, 'none'>({
    ...rest,
    limits: [...listVisitorLimits(who), ...own],
    auth: 'none',
    summary: '',
    tag: 'Dashboard',
    responses: { 200: null },
    admit: makeAdmit(who),
    async run(call) {
      // `admit` has set the visitor and refused everyone that `who` does not allow.
      const answer = await run(call as unknown as DashboardCall<z.output<B>, QueryOf<Q>, W>);
      return { ...answer, headers: { ...ownHeaders, ...answer.headers } };
    },
  });
}

/** The limits of every route that knows the caller's account. */
function listVisitorLimits(who: Who): readonly LimitName[] {
  return who === 'anyone' ? [] : ['dashboard_requests_per_minute'];
}

/**
 * Mirrors a route of the API for the dashboard's visitors: the same operation with the same checks and bounds, under
 * `/dashboard/api/` instead of `/api/v1/`. The limits per key do not apply.
 */
export function mirrorRoute(original: Route<DashboardServices>): Route<DashboardServices> {
  return {
    ...original,
    name: `dashboard.${original.name}`,
    path: original.path.replace(/^\/api\/v1\//, '/dashboard/api/'),
    auth: 'none',
    limits: [
      ...listVisitorLimits('visitor'),
      ...original.limits.filter((name) => !KEY_LIMITS.includes(name)),
    ],
    budgets: original.budgets.filter((name) => limits[name].per !== 'key'),
    admit: makeAdmit('visitor'),
    async run(call) {
      const answer = await original.run(call);
      return { ...answer, headers: { ...ownHeaders, ...answer.headers } };
    },
  };
}

/** Returns a check for the pipeline. Limits per account and entitlements then apply to a session as to a key. */
function makeAdmit(who: Who): Admit<DashboardServices> {
  return (request, services, nowUs, client) => {
    const visitor = admitVisitor(who, findVisitor(services, request, nowUs, client));
    if (!visitor) return null;
    const { account, user, role } = visitor;
    // A visitor of a suspended account may look, but is no caller: nothing is done in its name.
    const isActive = account.status === 'active';
    const caller: Principal = user
      ? { kind: 'session', user_id: user.id, account, role }
      : { kind: 'capture', account, role };
    return { ...visitor, caller: isActive ? caller : null };
  };
}

function admitVisitor(who: Who, visitor: Visitor | null): Visitor | null {
  if (who === 'anyone') return visitor;
  if (!visitor) fail('authentication_required', { text: 'Sign in to continue.' });
  if (who === 'person') return visitor;
  if (visitor.account.status !== 'active') fail('account_forbidden');
  if (who === 'owner' && visitor.role !== 'owner') fail('account_forbidden');
  if (who === 'operator' && !visitor.isOperator) fail('account_forbidden');
  return visitor;
}
