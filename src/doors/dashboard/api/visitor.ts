import { version } from '../../../../package.json';
import { isTrap } from '../../../features/accounts/trap.ts';
import { readReleaseAllow } from '../../../features/outbound/release/release.ts';
import { readLastTimeOf } from '../../../features/waits/sql.ts';
import { fail } from '../../../platform/core/failure.ts';
import { ok } from '../../../platform/http/reply.ts';
import type { Route } from '../../../platform/http/route.ts';
import { type Cap, planNames } from '../../../rules/plans.ts';
import { bounds } from '../bounds.ts';
import { dashboardRoute } from '../route.ts';
import type { DashboardServices } from '../services.ts';
import type { Me } from '../wire.ts';

export const visitorRoutes: readonly Route<DashboardServices>[] = [
  dashboardRoute({
    name: 'dashboardVisitor',
    method: 'GET',
    path: '/dashboard/api/me',
    who: 'anyone',
    run({ services, visitor }) {
      // Not 401: "nobody is signed in" is a regular answer to what the page asks.
      if (!visitor) return ok<null>(null);
      const { account, user, role, isOperator, capture } = visitor;
      if (account.status !== 'active') fail('account_forbidden');
      const { plans } = services;
      const listPlansWith = (cap: Cap) => planNames.filter((name) => plans[name][cap] > 0);
      return ok<Me>({
        capture,
        role,
        is_operator: isOperator,
        user: user && { id: user.id, email: user.email },
        account: { id: account.id, name: account.name, plan: account.plan },
        plan: plans[account.plan],
        plans_with: {
          custom_domains: listPlansWith('custom_domains'),
          outbound: listPlansWith('outbound'),
          webhooks: listPlansWith('webhooks'),
        },
        bounds,
        mail_domain: services.settings.mail_domain,
        outbound: services.settings.outbound.way !== 'off' && account.outbound && !capture,
        trap: isTrap(services, account),
        release_allow: readReleaseAllow(services),
        version,
        live_position: String(readLastTimeOf(services.store, account.no)),
      });
    },
  }),
];
