import { z } from 'zod';
import { isAllowed } from '../../../features/accounts/oidc/sign-in.ts';
import { viewPlace } from '../../../features/accounts/passkeys/place.ts';
import { PASSWORD_CHARS_MIN } from '../../../features/accounts/password-hash.ts';
import { findTotp, hasOwnTotp } from '../../../features/accounts/second-factor/sql.ts';
import { requireInvite } from '../../../features/accounts/sessions/invite.ts';
import { joinByInviteOp } from '../../../features/accounts/sessions/join/writes.ts';
import {
  acceptInvite,
  type Browser,
  setUp,
  signIn,
  signUp,
} from '../../../features/accounts/sessions/sign-in.ts';
import { findOperatorsOwner, isInSession } from '../../../features/accounts/sessions/sql.ts';
import type { InviteState, SetUpState } from '../../../features/accounts/sessions/wire.ts';
import { endSessionOp } from '../../../features/accounts/sessions/writes.ts';
import { fail } from '../../../platform/core/failure.ts';
import { hashSecret } from '../../../platform/core/id.ts';
import { type Answer, ok } from '../../../platform/http/reply.ts';
import type { Route } from '../../../platform/http/route.ts';
import type { PlatformServices } from '../../../platform/services.ts';
import { newPlans } from '../../../rules/plans.ts';
import { formatToken, readToken } from '../cookie.ts';
import type { DashboardServices } from '../services.ts';
import type { DoorState } from '../wire.ts';
import { ownerRoute, text } from './owner-route.ts';

/** Signing in and out. The routes for signing in are rate limited by address and need no session. */

const limits = ['sign_ins_per_quarter_hour'] as const;
const password = z.string('must be a string').max(2_000, 'is too long');

export function readBrowser(request: Request, services: PlatformServices, clientIp: string): Browser {
  const name = request.headers.get('user-agent') ?? '';
  return { name, token: readToken(request, services.settings), address: clientIp };
}

/** 200 with the session's cookie. */
export function replySignedIn(token: string, request: Request, { settings }: PlatformServices): Answer {
  return { ...ok({}), headers: { 'set-cookie': formatToken(token, request, settings) } };
}

export const signInRoutes: readonly Route<DashboardServices>[] = [
  ownerRoute({
    name: 'dashboardDoorState',
    method: 'GET',
    path: '/dashboard/api/door',
    who: 'anyone',
    run: ({ services: { settings, oidc, listening }, visitor }) =>
      ok<DoorState>({
        signed_in: visitor !== null,
        signup: settings.signup === 'open',
        signup_plan: newPlans.signUp,
        passwords: settings.passwords,
        oidc: oidc !== null,
        passkeys: viewPlace({ settings, listening }),
        password_chars_min: PASSWORD_CHARS_MIN,
        mail_domain: settings.mail_domain,
      }),
  }),
  ownerRoute({
    name: 'dashboardSignIn',
    method: 'POST',
    path: '/dashboard/api/sign-in',
    who: 'anyone',
    limits,
    body: z.strictObject({ email: text, password, code: text.optional() }),
    run: async ({ services, request, client, body }) =>
      replySignedIn(
        await signIn(services, body, readBrowser(request, services, client.ip)),
        request,
        services,
      ),
  }),
  ownerRoute({
    name: 'dashboardSignUp',
    method: 'POST',
    path: '/dashboard/api/sign-up',
    who: 'anyone',
    open: ({ settings }) => settings.signup === 'open',
    limits: ['sign_ups_per_hour', 'sign_ups_service_per_hour'],
    body: z.strictObject({ email: text, name: text.default(''), password }),
    run: async ({ services, request, client, body }) =>
      replySignedIn(
        await signUp(services, body, readBrowser(request, services, client.ip)),
        request,
        services,
      ),
  }),
  ownerRoute({
    name: 'dashboardSignOut',
    method: 'POST',
    path: '/dashboard/api/sign-out',
    who: 'anyone',
    async run({ services, request }) {
      const token = readToken(request, services.settings);
      if (token !== null) await services.store.write(endSessionOp, { hash: hashSecret(token) });
      return { ...ok({}), headers: { 'set-cookie': formatToken(null, request, services.settings) } };
    },
  }),
  ownerRoute({
    name: 'dashboardInvite',
    method: 'GET',
    path: '/dashboard/api/invite/:token',
    who: 'anyone',
    limits,
    run({ services, params, nowUs, visitor }) {
      const { user, account, isReturning } = requireInvite(
        services.store,
        hashSecret(params.token ?? ''),
        nowUs,
      );
      // Someone signed in under that email does not need another password.
      const canJoin =
        visitor?.user?.email === user.email &&
        visitor.account.id !== account.id &&
        (isInSession(services.store, visitor.session!.no, user.no) ||
          !hasOwnTotp(services.store, user.no, visitor.user.no));
      return ok<InviteState>({
        email: user.email,
        may_use_single_sign_on: services.oidc !== null && isAllowed(services.settings, user.email),
        may_use_passkey: !services.settings.passwords || !findTotp(services.store, user.no),
        role: user.role,
        account: account.name,
        can_join: canJoin,
        is_returning: isReturning,
      });
    },
  }),
  ownerRoute({
    name: 'dashboardAcceptInvite',
    method: 'POST',
    path: '/dashboard/api/invite',
    who: 'anyone',
    limits,
    body: z.strictObject({ token: text, password: password.default('') }),
    async run({ services, request, client, body }) {
      const token = await acceptInvite(services, body, readBrowser(request, services, client.ip));
      return token === null ? ok({}) : replySignedIn(token, request, services);
    },
  }),
  ownerRoute({
    name: 'dashboardJoinByInvite',
    method: 'POST',
    path: '/dashboard/api/invite/join',
    body: z.strictObject({ token: text }),
    async run({ services, request, body }) {
      const token = readToken(request, services.settings) ?? fail('authentication_required');
      await services.store.write(joinByInviteOp, {
        inviteHash: hashSecret(body.token),
        tokenHash: hashSecret(token),
        isSignUpOpen: services.settings.signup === 'open',
      });
      return ok({});
    },
  }),
  ownerRoute({
    name: 'dashboardSetUpState',
    method: 'GET',
    path: '/dashboard/api/setup/:token',
    who: 'anyone',
    limits,
    run({ services, params }) {
      if (!services.setUp.isToken(params.token ?? '')) fail('not_found', { text: USED });
      return ok<SetUpState>({ email: findOperatorsOwner(services.store)?.email ?? null });
    },
  }),
  ownerRoute({
    name: 'dashboardSetUp',
    method: 'POST',
    path: '/dashboard/api/setup',
    who: 'anyone',
    limits,
    body: z.strictObject({
      token: text,
      email: text.optional(),
      name: text.default(''),
      password: password.default(''),
    }),
    async run({ services, request, client, body }) {
      if (!services.setUp.isToken(body.token)) fail('not_found', { text: USED });
      // `postern account` may have created the account already; then only the password is missing.
      const email = findOperatorsOwner(services.store)?.email ?? body.email ?? '';
      const token = await setUp(services, { ...body, email }, readBrowser(request, services, client.ip));
      services.setUp.close();
      return replySignedIn(token, request, services);
    },
  }),
];

export const USED =
  'This link is no longer valid. Sign in instead. If no operator can, restart Postern to get a new link in its log.';
