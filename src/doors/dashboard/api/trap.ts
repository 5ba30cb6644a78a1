import { z } from 'zod';
import { isTrap } from '../../../features/accounts/trap.ts';
import { faultRoutes } from '../../../features/faults/routes.ts';
import { isBeforeAuth, stages } from '../../../features/faults/stages.ts';
import { fail } from '../../../platform/core/failure.ts';
import { isStartTlsOffered, mxHost } from '../../../platform/core/settings.ts';
import { ok } from '../../../platform/http/reply.ts';
import type { Route } from '../../../platform/http/route.ts';
import { frameworks } from '../../../rules/mailer-settings.ts';
import { needsNoKey } from '../capture-access.ts';
import { dashboardRoute, mirrorRoute } from '../route.ts';
import type { DashboardServices } from '../services.ts';
import { sendTestMail } from '../test-mail.ts';
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
    run({ services, request, client, visitor: { account } }) {
      if (!isTrap(services, account)) fail('not_a_trap');
      const { settings, capture } = services;
      const servers = services.listening.smtp.map(({ host, port, tls }) => ({
        host: nameHost(host, capture ? 'localhost' : mxHost(settings)),
        port,
        tls,
      }));
      const user = capture ? null : { name: USER, password: KEY };
      const first = servers.find(({ tls }) => !tls) ?? servers[0];
      return ok<TrapView>({
        servers,
        needs_key: capture === null,
        starttls: isStartTlsOffered(settings, capture !== null),
        mailers: first
          ? frameworks.map(({ name, file, write }) => ({ name, file, settings: write({ ...first, user }) }))
          : [],
        api_needs_key: !needsNoKey(services, request, client),
        stages: stages.filter((stage) => capture !== null || !isBeforeAuth(stage)),
      });
    },
  }),
  dashboardRoute({
    name: 'dashboardTestMail',
    method: 'POST',
    path: '/dashboard/api/test-mail',
    limits: ['dashboard_test_mails_per_hour'],
    body: z.strictObject({ inbox_id: z.string('must be an inbox id or null').nullable() }),
    async run({ services, visitor: { account }, body }) {
      return ok(await sendTestMail(services, account, body.inbox_id));
    },
  }),
  ...faultRoutes.map(mirrorRoute),
];

/** An address of all interfaces, or of this machine, tells a client nothing. */
function nameHost(host: string, name: string): string {
  return ['0.0.0.0', '::', '127.0.0.1', '::1'].includes(host) ? name : host;
}
