import { version } from '../../../../package.json';
import { fail } from '../../../platform/core/failure.ts';
import { ok } from '../../../platform/http/reply.ts';
import type { Route } from '../../../platform/http/route.ts';
import { dashboardRoute } from '../route.ts';
import type { DashboardServices } from '../services.ts';

export const visitorRoutes: readonly Route<DashboardServices>[] = [
  dashboardRoute({
    name: 'dashboardVisitor',
    method: 'GET',
    path: '/dashboard/api/me',
    who: 'anyone',
    run({ services, visitor }) {
      // Not 401: that nobody is signed in is what the page asks, and no fault.
      if (!visitor) return ok(null);
      const { account, user, role, is_operator, capture } = visitor;
      if (account.status !== 'active') fail('account_forbidden');
      return ok({
        capture,
        role,
        is_operator,
        user: user && { id: user.id, email: user.email },
        account: { id: account.id, name: account.name, plan: account.plan },
        plan: services.plans[account.plan],
        mail_domain: services.settings.mail_domain,
        outbound: services.settings.outbound.way !== 'off' && account.outbound && !capture,
        version,
      });
    },
  }),
];
