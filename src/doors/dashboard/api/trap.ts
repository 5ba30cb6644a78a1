import { isTrap } from '../../../features/accounts/trap.ts';
import { faultRoutes } from '../../../features/faults/routes.ts';
import { isBeforeAuth, stages } from '../../../features/faults/stages.ts';
import { fail } from '../../../platform/core/failure.ts';
import { isStartTlsOffered, mxHost } from '../../../platform/core/settings.ts';
import { ok } from '../../../platform/http/reply.ts';
import type { Route } from '../../../platform/http/route.ts';
import { mailers } from '../../../rules/mailers.ts';
import { dashboardRoute, lendRoute } from '../route.ts';
import type { DashboardServices } from '../services.ts';
import type { TrapView } from '../wire.ts';

/** A trap's SMTP settings and its faults. */

/** To be replaced by the reader. */
const KEY = 'YOUR_API_KEY';
const USER = 'my-app';

export const trapRoutes: readonly Route<DashboardServices>[] = [
  dashboardRoute({
    name: 'dashboardTrap',
    method: 'GET',
    path: '/dashboard/api/trap',
    run({ services, visitor: { account } }) {
      if (!isTrap(services, account)) fail('not_a_trap');
      const { settings, capture } = services;
      const servers = services.listening.smtp.map(({ host, port, tls }) => ({
        host: nameHost(host, capture ? 'localhost' : mxHost(settings)),
        port,
        tls,
      }));
      const user = capture ? null : { name: USER, password: KEY };
      const [first] = servers;
      return ok<TrapView>({
        servers,
        needs_key: capture === null,
        starttls: isStartTlsOffered(settings, capture !== null),
        mailers: first
          ? mailers.map(({ name, write }) => ({ name, settings: write({ ...first, user }) }))
          : [],
        stages: stages.filter((stage) => capture !== null || !isBeforeAuth(stage)),
      });
    },
  }),
  ...faultRoutes.map((lent) => lendRoute(lent)),
];

/** An address of all interfaces, or of this machine, tells a client nothing. */
function nameHost(host: string, name: string): string {
  return ['0.0.0.0', '::', '127.0.0.1', '::1'].includes(host) ? name : host;
}
