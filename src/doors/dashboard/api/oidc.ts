import { z } from 'zod';
import type { OidcPurpose } from '../../../features/accounts/oidc/purpose.ts';
import { OidcRefusal } from '../../../features/accounts/oidc/refusal.ts';
import { beginOidc, finishOidc } from '../../../features/accounts/oidc/sign-in.ts';
import { findIdentity } from '../../../features/accounts/oidc/sql.ts';
import type { SingleSignOnState, WayToProvider } from '../../../features/accounts/oidc/wire.ts';
import { confirmPerson } from '../../../features/accounts/passkeys/manage.ts';
import { requireInvite } from '../../../features/accounts/sessions/invite.ts';
import { isoTimeOrNull } from '../../../platform/core/clock.ts';
import { fail } from '../../../platform/core/failure.ts';
import { hashSecret } from '../../../platform/core/id.ts';
import { readSearch } from '../../../platform/http/query.ts';
import { type Answer, ok } from '../../../platform/http/reply.ts';
import type { Route } from '../../../platform/http/route.ts';
import { formatPending, formatToken, readPending } from '../cookie.ts';
import type { DashboardServices } from '../services.ts';
import { makePerson } from '../session.ts';
import { ownerRoute, text } from './owner-route.ts';
import { confirmation } from './passkeys.ts';
import { readBrowser } from './sign-in.ts';

/**
 * OpenID Connect. Signing in begins and ends at an address that a browser opens, so a failure leads to a page. What a page
 * begins needs a request of that page: no other site can have its visitor accept an invitation or connect an account.
 */

const open = ({ oidc }: DashboardServices) => oidc !== null;
const limits = ['sign_ins_per_quarter_hour'] as const;
const content = ['text/html'];

/** The page that explains a refusal, or shows what was done. */
function findPage(purpose: OidcPurpose, problem: string | null): string {
  if (purpose.to === 'connect') return `/dashboard/sign-in?sign_in=${problem ?? 'connected'}`;
  const search = problem === null ? '' : `?sign_in=${problem}`;
  if (purpose.to === 'sign_in' || problem === null) return `/dashboard${search}`;
  return `/invite/${encodeURIComponent(purpose.token)}${search}`;
}

/** Returns the page that explains why it failed. */
function explain(services: DashboardServices, thrown: unknown): string {
  if (!(thrown instanceof OidcRefusal)) throw thrown;
  const { problem, detail, purpose } = thrown;
  services.log.rarely('warn', 'a sign-in with OpenID Connect failed', { problem, detail });
  return findPage(purpose, problem);
}

/** Redirects to the provider, or to the page that explains why that is not possible. */
async function lead(services: DashboardServices, purpose: OidcPurpose): Promise<Record<string, string>> {
  try {
    const { location, pending } = await beginOidc(services, purpose);
    return { location, 'set-cookie': formatPending(pending, services.settings) };
  } catch (thrown) {
    return { location: explain(services, thrown), 'set-cookie': formatPending(null, services.settings) };
  }
}

/** Has the page open the address itself. */
async function replyWay(services: DashboardServices, purpose: OidcPurpose): Promise<Answer> {
  const { location = '', ...headers } = await lead(services, purpose);
  return { ...ok<WayToProvider>({ location }), headers };
}

export const oidcRoutes: readonly Route<DashboardServices>[] = [
  ownerRoute({
    name: 'dashboardOidc',
    method: 'GET',
    path: '/auth/oidc',
    who: 'anyone',
    open,
    limits,
    content,
    run: async ({ services }) => ({ status: 302, headers: await lead(services, { to: 'sign_in' }) }),
  }),
  ownerRoute({
    name: 'dashboardOidcCallback',
    method: 'GET',
    path: '/auth/oidc/callback',
    who: 'anyone',
    open,
    limits,
    content,
    async run({ services, request, client }) {
      const { settings } = services;
      try {
        const browser = readBrowser(request, services, client.ip);
        const pending = readPending(request, settings);
        const { token, purpose } = await finishOidc(services, readSearch(request.url), pending, browser);
        const cookie = token === null ? formatPending(null, settings) : formatToken(token, request, settings);
        return { status: 302, headers: { location: findPage(purpose, null), 'set-cookie': cookie } };
      } catch (thrown) {
        const headers = { location: explain(services, thrown), 'set-cookie': formatPending(null, settings) };
        return { status: 302, headers };
      }
    },
  }),
  ownerRoute({
    name: 'dashboardInviteOidc',
    method: 'POST',
    path: '/dashboard/api/invite/single-sign-on',
    who: 'anyone',
    open,
    limits,
    body: z.strictObject({ token: text }),
    run({ services, body: { token }, nowUs }) {
      requireInvite(services.store, hashSecret(token), nowUs);
      return replyWay(services, { to: 'accept_invite', token });
    },
  }),
  ownerRoute({
    name: 'dashboardSingleSignOn',
    method: 'GET',
    path: '/dashboard/api/single-sign-on',
    run({ services: { store, settings, oidc }, visitor }) {
      const identity = findIdentity(store, visitor.user!.no, settings.oidc_issuer ?? '');
      return ok<SingleSignOnState>({
        is_on: oidc !== null,
        connected_at: isoTimeOrNull(identity?.created_at ?? null),
      });
    },
  }),
  ownerRoute({
    name: 'dashboardConnectOidc',
    method: 'POST',
    path: '/dashboard/api/single-sign-on',
    open,
    body: z.strictObject(confirmation),
    async run({ services, visitor, client, body }) {
      const { user, session } = visitor;
      if (findIdentity(services.store, user!.no, services.settings.oidc_issuer ?? ''))
        fail('conflict', { text: 'Single sign-on is connected already.' });
      const userNos = await confirmPerson(services, makePerson(visitor, client), body);
      return replyWay(services, {
        to: 'connect',
        sessionId: session!.id,
        userNos: userNos.slice(0, MEMBERS_MAX),
      });
    },
  }),
];

/** Bounds the cookie. */
const MEMBERS_MAX = 20;
