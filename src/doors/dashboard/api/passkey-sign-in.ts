import { z } from 'zod';
import {
  acceptInviteByPasskey,
  beginInvite,
  beginSetUp,
  setUpByPasskey,
} from '../../../features/accounts/passkeys/sign-in/by-link.ts';
import { beginSignIn, signInByPasskey } from '../../../features/accounts/passkeys/sign-in/sign-in.ts';
import { Assertion, type Ceremony, Creation } from '../../../features/accounts/passkeys/wire.ts';
import { findOperatorsOwner } from '../../../features/accounts/sessions/sql.ts';
import { fail } from '../../../platform/core/failure.ts';
import { ok } from '../../../platform/http/reply.ts';
import type { Route } from '../../../platform/http/route.ts';
import { formatBrowserMark, newBrowserMark, readBrowserMark } from '../cookie.ts';
import type { DashboardServices } from '../services.ts';
import { ownerRoute, text } from './owner-route.ts';
import { readBrowser, replySignedIn, USED } from './sign-in.ts';

/** Signing in with a passkey, and using a link to choose one instead of a password. */

const limits = ['sign_ins_per_quarter_hour'] as const;
const answered = { pending: text, answer: Creation, name: text };
const newOwner = { token: text, email: text.optional(), name: text.default('') };

/** The address of the operator's owner, or as the person enters it. Throws when the link is void. */
function readSetUp(
  services: DashboardServices,
  { token, email }: { token: string; email?: string | undefined },
) {
  if (!services.setUp.isToken(token)) fail('not_found', { text: USED });
  return findOperatorsOwner(services.store)?.email ?? email ?? '';
}

export const passkeySignInRoutes: readonly Route<DashboardServices>[] = [
  ownerRoute({
    // It keeps nothing on the server, so it needs no limit; the answer has one.
    name: 'dashboardBeginPasskeySignIn',
    method: 'POST',
    path: '/dashboard/api/passkeys/sign-in/begin',
    who: 'anyone',
    async run({ services, request }) {
      const mark = readBrowserMark(request, services.settings) ?? newBrowserMark();
      const cookie = formatBrowserMark(mark, services.settings);
      return { ...ok<Ceremony>(await beginSignIn(services, mark)), headers: { 'set-cookie': cookie } };
    },
  }),
  ownerRoute({
    name: 'dashboardPasskeySignIn',
    method: 'POST',
    path: '/dashboard/api/passkeys/sign-in',
    who: 'anyone',
    limits,
    body: z.strictObject({ pending: text, answer: Assertion }),
    async run({ services, request, client, body }) {
      const owner = readBrowserMark(request, services.settings) ?? '';
      const browser = readBrowser(request, services, client.ip);
      return replySignedIn(await signInByPasskey(services, { ...body, owner }, browser), request, services);
    },
  }),
  ownerRoute({
    name: 'dashboardBeginInvitePasskey',
    method: 'POST',
    path: '/dashboard/api/invite/passkey/begin',
    who: 'anyone',
    limits,
    body: z.strictObject({ token: text }),
    run: async ({ services, body }) => ok<Ceremony>(await beginInvite(services, body.token)),
  }),
  ownerRoute({
    name: 'dashboardInvitePasskey',
    method: 'POST',
    path: '/dashboard/api/invite/passkey',
    who: 'anyone',
    limits,
    body: z.strictObject({ token: text, ...answered }),
    async run({ services, request, client, body }) {
      const browser = readBrowser(request, services, client.ip);
      return replySignedIn(await acceptInviteByPasskey(services, body, browser), request, services);
    },
  }),
  ownerRoute({
    name: 'dashboardBeginSetUpPasskey',
    method: 'POST',
    path: '/dashboard/api/setup/passkey/begin',
    who: 'anyone',
    limits,
    body: z.strictObject({ token: newOwner.token, email: newOwner.email }),
    run: async ({ services, body }) =>
      ok<Ceremony>(await beginSetUp(services, body.token, readSetUp(services, body))),
  }),
  ownerRoute({
    name: 'dashboardSetUpPasskey',
    method: 'POST',
    path: '/dashboard/api/setup/passkey',
    who: 'anyone',
    limits,
    body: z.strictObject({ ...newOwner, pending: text, answer: Creation, passkey_name: text }),
    async run({ services, request, client, body }) {
      const { token, name, pending, answer, passkey_name } = body;
      const account = { email: readSetUp(services, body), name };
      const input = { token, account, pending, answer, name: passkey_name };
      const browser = readBrowser(request, services, client.ip);
      return replySignedIn(await setUpByPasskey(services, input, browser), request, services);
    },
  }),
];
