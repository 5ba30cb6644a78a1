import { usageOf } from '../../accounts/sql.ts';
import { isoTime, monthOf } from '../../core/clock.ts';
import { countDomains } from '../../domains/sql.ts';
import { ok } from '../../http/reply.ts';
import type { Route } from '../../http/route.ts';
import { countInboxes } from '../../inboxes/sql.ts';
import { waitsOf } from '../../waits/waits.ts';
import { ownerRoute } from './owner-route.ts';

export const usageRoutes: readonly Route[] = [
  ownerRoute({
    name: 'dashboardUsage',
    method: 'GET',
    path: '/dashboard/api/usage',
    run({ floor, visitor: { account }, nowUs }) {
      const { store, plans } = floor;
      return ok({
        plan: account.plan,
        caps: plans[account.plan],
        used: {
          inboxes: countInboxes(store, account.no),
          custom_domains: countDomains(store, account.no),
          concurrent_waits: waitsOf(floor).slots.heldBy(account.no),
        },
        month: usageOf(store, account.no, monthOf(nowUs)),
        created_at: isoTime(account.created_at),
      });
    },
  }),
];
