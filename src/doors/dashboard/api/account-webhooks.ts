import { webhookRoutes } from '../../../features/webhooks/routes.ts';
import type { Route } from '../../../platform/http/route.ts';
import type { DashboardServices } from '../services.ts';
import { lendToOwner } from './owner-route.ts';

const OF_API = '/api/v1/webhooks';

/** The API's own routes for webhooks of the whole account. `webhooks` of the dashboard are those of inboxes. */
export const accountWebhookRoutes: readonly Route<DashboardServices>[] = webhookRoutes
  .filter(({ path }) => path.startsWith(OF_API))
  .map((lent) => ({
    ...lendToOwner(lent),
    path: lent.path.replace(OF_API, '/dashboard/api/account-webhooks'),
  }));
