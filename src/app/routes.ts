/** Every route, and the hooks through which the HTTP server asks the features. */

import { openCaller, refuseAtCapture } from '../doors/dashboard/capture-access.ts';
import { dashboardRoutes } from '../doors/dashboard/routes.ts';
import { mcpRoutes } from '../doors/mcp/routes.ts';
import { authenticate, recordActivity } from '../features/accounts/authenticate.ts';
import { accountRoutes } from '../features/accounts/routes.ts';
import { findTrap } from '../features/accounts/trap.ts';
import { auditRoutes } from '../features/audit/routes.ts';
import { checkRoutes } from '../features/checks/routes.ts';
import { domainRoutes } from '../features/domains/routes.ts';
import { eventRoutes } from '../features/events/routes.ts';
import { faultRoutes } from '../features/faults/routes.ts';
import { inboxRoutes } from '../features/inboxes/routes.ts';
import { senderRoutes } from '../features/inboxes/senders/routes.ts';
import { acceptRoutes } from '../features/ingest/accept/routes.ts';
import { ensureInbox } from '../features/ingest/trap-inbox.ts';
import { mailRuleRoutes } from '../features/mail-rules/routes.ts';
import { messageRoutes } from '../features/messages/routes.ts';
import { withheldRoutes } from '../features/messages/withheld/routes.ts';
import { allowlistRoutes } from '../features/outbound/allowlist/routes.ts';
import { holdRoutes } from '../features/outbound/hold/routes.ts';
import { outboundRoutes } from '../features/outbound/routes.ts';
import { registrationRoutes } from '../features/registration/routes.ts';
import { threadRoutes } from '../features/threads/routes.ts';
import { verificationRoutes } from '../features/verification/routes.ts';
import { waitRoutes } from '../features/waits/routes.ts';
import { webhookEvents } from '../features/webhooks/event-specs.ts';
import { webhookRoutes } from '../features/webhooks/routes.ts';
import { Failure } from '../platform/core/failure.ts';
import type { Route } from '../platform/http/route.ts';
import { serviceRoutes } from '../platform/http/routes.ts';
import type { Api } from '../platform/http/server.ts';
import { findClientAddress, formatCountedAddress, isIn, isProxied } from '../platform/net/client-ip.ts';
import { namesThisServer } from '../platform/net/own-host.ts';
import type { Services } from './services.ts';

export const routes: readonly Route<Services>[] = [
  ...accountRoutes,
  ...auditRoutes,
  ...inboxRoutes,
  ...senderRoutes,
  ...domainRoutes,
  ...messageRoutes,
  ...withheldRoutes,
  ...acceptRoutes,
  ...checkRoutes,
  ...waitRoutes,
  ...webhookRoutes,
  ...eventRoutes,
  ...outboundRoutes,
  ...holdRoutes,
  ...allowlistRoutes,
  ...threadRoutes,
  ...mailRuleRoutes,
  ...verificationRoutes,
  ...registrationRoutes,
  ...faultRoutes,
  ...serviceRoutes,
];

/** What the HTTP server serves (platform/http/server.ts). */
export const api: Api<Services> = {
  routes,
  events: webhookEvents,
  pages: [...dashboardRoutes, ...mcpRoutes],
  authenticate,
  seen: (services, { account }, nowUs) => recordActivity(services, account, nowUs),
  client({ settings }, peer, headers) {
    const proxies = settings.trusted_proxies ?? [];
    const forwardedFor = headers.get('x-forwarded-for');
    const address = findClientAddress(peer, forwardedFor, proxies);
    const isShown = isIn(peer, proxies) && forwardedFor !== null;
    const isHidden = !isShown && isProxied(headers);
    return { address, ip: formatCountedAddress(address), isHidden };
  },
  // Behind a proxy on this machine, every client appears to have this machine's address.
  mayWatch: ({ settings }, { address, isHidden }) => !isHidden && isIn(address, settings.metrics_networks),
  isProxy: ({ settings }, address) => isIn(address, settings.trusted_proxies ?? []),
  openCaller,
  prepare(services, { account }, { path }, { id = '' }) {
    if (!path.startsWith('/api/v1/inboxes/:id') || !id.includes('@')) return null;
    const trap = findTrap(services, account);
    return trap && ensureInbox(services, trap, id);
  },
  refuseAtDoor(services, request, { client, path }) {
    if (services.capture) {
      const isKey = (apiKey: string) => authenticate(services, apiKey) !== null;
      return refuseAtCapture(services, request, client(), isKey);
    }
    // Metrics need no key, so a foreign website must not read them under its own host name (DNS rebinding).
    const { url, headers } = request;
    if (!url.includes('/metrics') || path() !== '/metrics') return null;
    const { http_listen, base_url } = services.settings;
    const host = headers.get('host') ?? '';
    if (host === '' || namesThisServer(host, http_listen, base_url)) return null;
    return new Failure('account_forbidden', { text: FOREIGN_NAME });
  },
};

const FOREIGN_NAME =
  'The Host header does not name this server. Use localhost, its address, or the host of POSTERN_BASE_URL.';
