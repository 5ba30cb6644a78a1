import { readUsage } from '../../../features/accounts/sql.ts';
import { countDomains } from '../../../features/domains/sql.ts';
import { countInboxes } from '../../../features/inboxes/sql.ts';
import { formatMonth, isoTime } from '../../../platform/core/clock.ts';
import { ok } from '../../../platform/http/reply.ts';
import type { Route } from '../../../platform/http/route.ts';
import type { DashboardServices } from '../services.ts';
import type { UsageView } from '../wire.ts';
import { ownerRoute } from './owner-route.ts';

export const usageRoutes: readonly Route<DashboardServices>[] = [
  ownerRoute({
    name: 'dashboardUsage',
    method: 'GET',
    path: '/dashboard/api/usage',
    run({ services, visitor: { account }, nowUs }) {
      const { store, plans } = services;
      return ok<UsageView>({
        plan: account.plan,
        caps: plans[account.plan],
        used: {
          inboxes: countInboxes(store, account.no),
          custom_domains: countDomains(store, account.no),
          concurrent_waits: services.waits.slots.heldBy(account.no),
        },
        month: readUsage(store, account.no, formatMonth(nowUs)),
        created_at: isoTime(account.created_at),
      });
    },
  }),
];
