import { version } from '../../../package.json';
import { ok } from '../../http/reply.ts';
import type { Route } from '../../http/route.ts';
import { dashboardRoute } from '../route.ts';

export const visitor_routes: readonly Route[] = [
  dashboardRoute({
    name: 'dashboardVisitor',
    method: 'GET',
    path: '/dashboard/api/me',
    run: ({ floor, visitor: { account, user, role, is_operator, capture } }) =>
      ok({
        capture,
        role,
        is_operator,
        user: user && { id: user.id, email: user.email },
        account: { id: account.id, name: account.name, plan: account.plan },
        plan: floor.plans[account.plan],
        mail_domain: floor.settings.mail_domain,
        outbound: floor.settings.outbound.way !== 'off' && account.outbound && !capture,
        version,
      }),
  }),
];
