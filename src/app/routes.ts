/** Every route group, and what serving needs of the features. */

import { dashboardRoutes } from '../doors/dashboard/routes.ts';
import { authenticate, noteSeen } from '../features/accounts/authenticate.ts';
import { accountRoutes } from '../features/accounts/routes.ts';
import { domainRoutes } from '../features/domains/routes.ts';
import { faultRoutes } from '../features/faults/routes.ts';
import { inboxRoutes } from '../features/inboxes/routes.ts';
import { messageRoutes } from '../features/messages/routes.ts';
import { allowlistRoutes } from '../features/outbound/allowlist/routes.ts';
import { outboundRoutes } from '../features/outbound/routes.ts';
import { registrationRoutes } from '../features/registration/routes.ts';
import { verificationRoutes } from '../features/verification/routes.ts';
import { waitRoutes } from '../features/waits/routes.ts';
import { webhookEvents } from '../features/webhooks/events.ts';
import { webhookRoutes } from '../features/webhooks/routes.ts';
import { Failure } from '../platform/core/failure.ts';
import { pathOf, type Route } from '../platform/http/route.ts';
import { serviceRoutes } from '../platform/http/routes.ts';
import type { Api } from '../platform/http/server.ts';
import { clientAddress, countedAddress, isIn } from '../platform/net/client-ip.ts';
import { namesThisServer } from '../platform/net/own-host.ts';
import type { Services } from './services.ts';

export const routes: readonly Route<Services>[] = [
  ...accountRoutes,
  ...inboxRoutes,
  ...domainRoutes,
  ...messageRoutes,
  ...waitRoutes,
  ...webhookRoutes,
  ...outboundRoutes,
  ...allowlistRoutes,
  ...verificationRoutes,
  ...registrationRoutes,
  ...faultRoutes,
  ...serviceRoutes,
];

/** What a proxy adds to a request. */
const proxyMarks = ['x-forwarded-for', 'forwarded', 'via', 'x-real-ip'];

/** For platform/http/server.ts. */
export const api: Api<Services> = {
  routes,
  events: webhookEvents,
  pages: dashboardRoutes,
  authenticate,
  seen: (services, { account }, nowUs) => noteSeen(services, account, nowUs),
  client({ settings }, peer, headers) {
    const proxies = settings.trusted_proxies ?? [];
    const address = clientAddress(peer, headers.get('x-forwarded-for'), proxies);
    const isHidden = !isIn(peer, proxies) && proxyMarks.some((name) => headers.has(name));
    return { address, ip: countedAddress(address), isHidden };
  },
  // Behind a proxy on this machine all the world has the address of this machine.
  mayWatch: ({ settings }, { address, isHidden }) => !isHidden && isIn(address, settings.metrics_networks),
  isProxy: ({ settings }, address) => isIn(address, settings.trusted_proxies ?? []),
  // Both answer without a key, so a page of another site must not read them by a name of its own.
  refuseAtDoor(services, request) {
    const { url, headers } = request;
    const isWatched = url.includes('/metrics') && pathOf(url) === '/metrics';
    if (!isWatched && !services.capture) return null;
    const host = headers.get('host') ?? '';
    // The usual one, first for speed.
    if (services.listening.http?.endsWith(`//${host}`)) return null;
    const { http_listen, base_url } = services.settings;
    // No browser leaves it out; an old health check does.
    if (host === '' || namesThisServer(host, http_listen, base_url)) return null;
    return new Failure('account_forbidden', { text: FOREIGN_NAME });
  },
};

const FOREIGN_NAME =
  'The Host header does not name this server: use localhost, its address, or the host of POSTERN_BASE_URL.';
