/** Every route group, and what serving needs of the features. */
import { authenticate, noteSeen } from './accounts/authenticate.ts';
import { account_routes } from './accounts/routes.ts';
import { Failure } from './core/failure.ts';
import { dashboard_routes } from './dashboard/routes.ts';
import { isCapture } from './dashboard/session.ts';
import { domain_routes } from './domains/routes.ts';
import { pathOf } from './http/route.ts';
import { service_routes } from './http/routes.ts';
import type { Api } from './http/server.ts';
import { inbox_routes } from './inboxes/routes.ts';
import { message_routes } from './messages/routes.ts';
import { clientAddress, countedAddress, isIn } from './net/client-ip.ts';
import { namesThisServer } from './net/own-host.ts';
import { allowlist_routes } from './outbound/allowlist/routes.ts';
import { outbound_routes } from './outbound/routes.ts';
import { registration_routes } from './registration/routes.ts';
import { verification_routes } from './verification/routes.ts';
import { wait_routes } from './waits/routes.ts';
import { webhook_events } from './webhooks/events.ts';
import { webhook_routes } from './webhooks/routes.ts';

export const routes = [
  ...account_routes,
  ...inbox_routes,
  ...domain_routes,
  ...message_routes,
  ...wait_routes,
  ...webhook_routes,
  ...outbound_routes,
  ...allowlist_routes,
  ...verification_routes,
  ...registration_routes,
  ...service_routes,
];

/** What a proxy adds to a request. */
const proxy_marks = ['x-forwarded-for', 'forwarded', 'via', 'x-real-ip'];

/** For http/server.ts. */
export const api: Api = {
  routes,
  events: webhook_events,
  pages: dashboard_routes,
  authenticate,
  seen: (floor, { account }, now_us) => noteSeen(floor, account, now_us),
  client({ settings }, peer, headers) {
    const proxies = settings.trusted_proxies ?? [];
    const address = clientAddress(peer, headers.get('x-forwarded-for'), proxies);
    const is_hidden = !isIn(peer, proxies) && proxy_marks.some((name) => headers.has(name));
    return { address, ip: countedAddress(address), is_hidden };
  },
  // Behind a proxy on this machine all the world has the address of this machine.
  mayWatch: ({ settings }, { address, is_hidden }) => !is_hidden && isIn(address, settings.metrics_networks),
  isProxy: ({ settings }, address) => isIn(address, settings.trusted_proxies ?? []),
  // Both answer without a key, so a page of another site must not read them by a name of its own.
  refuseAtDoor(floor, request) {
    const { url, headers } = request;
    const isWatched = url.includes('/metrics') && pathOf(url) === '/metrics';
    if (!isWatched && !isCapture(floor)) return null;
    const host = headers.get('host') ?? '';
    // The usual one, first for speed.
    if (floor.listening.http?.endsWith(`//${host}`)) return null;
    const { http_listen, base_url } = floor.settings;
    // No browser leaves it out; an old health check does.
    if (host === '' || namesThisServer(host, http_listen, base_url)) return null;
    return new Failure('account_forbidden', { text: FOREIGN_NAME });
  },
};

const FOREIGN_NAME =
  'The Host header does not name this server: use localhost, its address, or the host of POSTERN_BASE_URL.';
