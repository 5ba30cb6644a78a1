import { z } from 'zod';
import { removeConnection, viewConnection } from '../../../features/accounts/oidc/connection.ts';
import { isByPage } from '../../../features/accounts/oidc/pending.ts';
import type { OidcPurpose } from '../../../features/accounts/oidc/purpose.ts';
import { OidcRefusal } from '../../../features/accounts/oidc/refusal.ts';
import { beginOidc, finishOidc } from '../../../features/accounts/oidc/sign-in.ts';
import { findIdentity } from '../../../features/accounts/oidc/sql.ts';
import type { WayBack, WayToProvider } from '../../../features/accounts/oidc/wire.ts';
import { confirmPerson } from '../../../features/accounts/passkeys/manage.ts';
import { requireInvite } from '../../../features/accounts/sessions/invite.ts';
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
 * OpenID Connect. Signing in begins and ends at an address that a browser opens, so a failure leads to a page. Accepting an
 * invitation and connecting a member begin and end with a request of our own page: no other site can have a visitor do it.
 */

const open = ({ oidc }: DashboardServices) => oidc !== null;
const limits = ['sign_ins_per_quarter_hour'] as const;
const content = ['text/html'];
/** Providers' codes may have a few thousand characters. */
const carried = z.string('must be a string').max(16_000, 'is too long');

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

/** Returns the address at the provider, or that of the page that explains why it can't be asked. */
async function findWay(services: DashboardServices, purpose: OidcPurpose): Promise<WayToProvider> {
  try {
    return await beginOidc(services, purpose);
  } catch (thrown) {
    return { location: explain(services, thrown), pending: null };
  }
}

const replyWay = async (services: DashboardServices, purpose: OidcPurpose): Promise<Answer> =>
  ok(await findWay(services, purpose));

/** Does what the answer was asked for. Returns the page to show then, and the token of the new session, if any. */
async function finish(
  services: DashboardServices,
  brought: Parameters<typeof finishOidc>[1],
): Promise<{ location: string; token: string | null }> {
  try {
    const { token, purpose } = await finishOidc(services, brought);
    return { location: findPage(purpose, null), token };
  } catch (thrown) {
    return { location: explain(services, thrown), token: null };
  }
}

/** Returns the header that sets the cookie of a new session; none without one. */
function setToken(
  token: string | null,
  request: Request,
  settings: DashboardServices['settings'],
): Record<string, string> {
  return token === null ? {} : { 'set-cookie': formatToken(token, request, settings) };
}

/** Our page that finishes what a page began, under the places of src/web/places.ts. The answer is in its fragment. */
const RETURN_PAGE = '/dashboard/sign-in/return';

export const oidcRoutes: readonly Route<DashboardServices>[] = [
  ownerRoute({
    name: 'dashboardOidc',
    method: 'GET',
    path: '/auth/oidc',
    who: 'anyone',
    open,
    limits,
    content,
    async run({ services }) {
      const { location, pending } = await findWay(services, { to: 'sign_in' });
      const cookie = formatPending(pending, services.settings);
      return { status: 302, headers: { location, 'set-cookie': cookie } };
    },
  }),
  ownerRoute({
    name: 'dashboardOidcCallback',
    method: 'GET',
    path: '/auth/oidc/callback',
    who: 'anyone',
    open,
    limits,
    content,
    async run({ services, request, client }): Promise<Answer> {
      const { settings } = services;
      const answer = readSearch(request.url);
      if (isByPage(answer.get('state')))
        return { status: 302, headers: { location: `${RETURN_PAGE}#${answer}` } };
      const { location, token } = await finish(services, {
        answer,
        keeper: 'cookie',
        pending: readPending(request, settings),
        browser: readBrowser(request, services, client.ip),
        sessionId: null,
      });
      // What the cookie keeps stays: it may be of a sign-in that began later, in another tab, and none works twice.
      return { status: 302, headers: { location, ...setToken(token, request, settings) } };
    },
  }),
  ownerRoute({
    name: 'dashboardFinishOidc',
    method: 'POST',
    path: '/dashboard/api/single-sign-on/finish',
    who: 'anyone',
    open,
    limits,
    body: z.strictObject({ pending: carried, answer: carried }),
    async run({ services, request, client, visitor, body }): Promise<Answer> {
      const { location, token } = await finish(services, {
        answer: new URLSearchParams(body.answer),
        keeper: 'page',
        pending: body.pending,
        browser: readBrowser(request, services, client.ip),
        sessionId: visitor?.session?.id ?? null,
      });
      return { ...ok<WayBack>({ location }), headers: setToken(token, request, services.settings) };
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
    run: ({ services, visitor }) => ok(viewConnection(services, visitor.user!)),
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
  ownerRoute({
    name: 'dashboardDisconnectOidc',
    method: 'POST',
    path: '/dashboard/api/single-sign-on/remove',
    open,
    body: z.strictObject(confirmation),
    async run({ services, visitor, client, body }) {
      await removeConnection(services, makePerson(visitor, client), body);
      return ok({});
    },
  }),
];

/** Bounds what the page keeps. */
const MEMBERS_MAX = 20;
