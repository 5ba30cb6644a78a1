/** Every route group, and what serving needs of the features. */
import { authenticate, noteSeen } from './accounts/authenticate.ts';
import { account_routes } from './accounts/routes.ts';
import { dashboard_routes } from './dashboard/routes.ts';
import type { Floor } from './floor.ts';
import { service_routes } from './http/routes.ts';
import type { Api } from './http/server.ts';
import { inbox_routes } from './inboxes/routes.ts';
import { message_routes } from './messages/routes.ts';
import { clientAddress, countedAddress } from './net/client-ip.ts';
import { registration_routes } from './registration/routes.ts';
import { wait_routes } from './waits/routes.ts';
import { webhook_routes } from './webhooks/routes.ts';

export const routes = [
  ...account_routes,
  ...inbox_routes,
  ...message_routes,
  ...wait_routes,
  ...webhook_routes,
  ...registration_routes,
  ...service_routes,
];

/** For http/server.ts. */
export const api: Api = {
  routes,
  pages: dashboard_routes,
  authenticate,
  seen: (floor, { account }, now_us) => noteSeen(floor, account, now_us),
  clientIp: ({ settings }: Floor, peer, forwarded_for) =>
    countedAddress(clientAddress(peer, forwarded_for, settings.trusted_proxies ?? [])),
};
