import { beginOidc, finishOidc, OidcRefusal } from '../../../features/accounts/oidc/sign-in.ts';
import { readSearch } from '../../../platform/http/query.ts';
import type { Answer } from '../../../platform/http/reply.ts';
import type { Route } from '../../../platform/http/route.ts';
import { formatPending, formatToken, readPending } from '../cookie.ts';
import type { DashboardServices } from '../services.ts';
import { ownerRoute } from './owner-route.ts';
import { readBrowser } from './sign-in.ts';

/** Sign-in with OpenID Connect. Both are addresses that a browser opens, so a failure leads to the sign-in page. */

const open = ({ oidc }: DashboardServices) => oidc !== null;
const limits = ['sign_ins_per_quarter_hour'] as const;
const content = ['text/html'];

function leadBack(services: DashboardServices, thrown: unknown): Answer {
  if (!(thrown instanceof OidcRefusal)) throw thrown;
  services.log.rarely('warn', 'a sign-in with OpenID Connect failed', {
    problem: thrown.problem,
    detail: thrown.detail,
  });
  const location = `/dashboard?sign_in=${thrown.problem}`;
  return { status: 302, headers: { location, 'set-cookie': formatPending(null, services.settings) } };
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
    async run({ services }) {
      try {
        const { location, pending } = await beginOidc(services);
        const cookie = formatPending(pending, services.settings);
        return { status: 302, headers: { location, 'set-cookie': cookie } };
      } catch (thrown) {
        return leadBack(services, thrown);
      }
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
    async run({ services, request, client }) {
      try {
        const browser = readBrowser(request, services, client.ip);
        const pending = readPending(request, services.settings);
        const token = await finishOidc(services, readSearch(request.url), pending, browser);
        const cookie = formatToken(token, request, services.settings);
        return { status: 302, headers: { location: '/dashboard', 'set-cookie': cookie } };
      } catch (thrown) {
        return leadBack(services, thrown);
      }
    },
  }),
];
