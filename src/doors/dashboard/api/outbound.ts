import { mayEverSend } from '../../../features/domains/entitle.ts';
import { allowlistRoutes } from '../../../features/outbound/allowlist/routes.ts';
import { isOutboundOn } from '../../../features/outbound/entitle.ts';
import { holdRoutes } from '../../../features/outbound/hold/routes.ts';
import { listEmails, readSending } from '../../../features/outbound/sql.ts';
import { removeSuppression, viewSuppression } from '../../../features/outbound/suppression/list.ts';
import { listSuppressions } from '../../../features/outbound/suppression/sql.ts';
import { readEmailView } from '../../../features/outbound/view.ts';
import { readWindows } from '../../../features/outbound/writes.ts';
import { byNo, page, readPageRange, readTextRange } from '../../../platform/http/page.ts';
import { cursorParam, defineChoiceParam, defineLimitParam } from '../../../platform/http/query.ts';
import { ok } from '../../../platform/http/reply.ts';
import type { Route } from '../../../platform/http/route.ts';
import { outboundStatuses } from '../../../rules/outbound.ts';
import type { DashboardServices } from '../services.ts';
import type { SendingState } from '../wire.ts';
import { mirrorOwnerRoute, ownerRoute } from './owner-route.ts';

/** Sent mail, the allowlist and the suppressions. All of it is absent where the operator has sending off. */

export const dashboardOutboundRoutes: readonly Route<DashboardServices>[] = [
  ...allowlistRoutes.map(mirrorOwnerRoute),
  ...holdRoutes.map(mirrorOwnerRoute),
  ownerRoute({
    name: 'dashboardSending',
    method: 'GET',
    path: '/dashboard/api/sending',
    run({ services, visitor: { account }, nowUs }) {
      const caps = services.plans[account.plan];
      const sending = readSending(services.store, account.no);
      const { hour, day } = readWindows(sending, nowUs);
      return ok<SendingState>({
        is_on: isOutboundOn(services),
        is_in_plan: mayEverSend(account, services.plans),
        is_allowed: account.outbound,
        allowlist_on: sending.allowlist_on === 1,
        hold_on: sending.hold_on === 1,
        recipients: {
          hour: hour.used,
          hour_max: caps.outbound_recipients_per_hour,
          day: day.used,
          day_max: caps.outbound_recipients_per_day,
        },
      });
    },
  }),
  ownerRoute({
    name: 'dashboardEmails',
    method: 'GET',
    path: '/dashboard/api/emails',
    open: isOutboundOn,
    query: {
      limit: defineLimitParam(100, 25),
      cursor: cursorParam,
      status: defineChoiceParam(outboundStatuses, 'Only emails of this status.'),
    },
    run({ services, visitor, query }) {
      const { store } = services;
      const scope = ['dashboard emails', visitor.account.id, query.status];
      const range = readPageRange(services, scope, query);
      const rows = listEmails(store, visitor.account.no, query.status, range.before, range.rowsWanted);
      return page(services, range, rows, byNo, (email) => readEmailView(store, email));
    },
  }),
  ownerRoute({
    name: 'dashboardSuppressions',
    method: 'GET',
    path: '/dashboard/api/suppressions',
    open: isOutboundOn,
    query: { limit: defineLimitParam(100, 50), cursor: cursorParam },
    run({ services, visitor: { account }, query, nowUs }) {
      const range = readTextRange(services, ['dashboard suppressions', account.id], query);
      const rows = listSuppressions(services.store, account.no, nowUs, range.after, range.rowsWanted);
      return page(services, range, rows, ({ email }) => email, viewSuppression);
    },
  }),
  ownerRoute({
    name: 'dashboardRemoveSuppression',
    method: 'DELETE',
    path: '/dashboard/api/suppressions/:email',
    who: 'owner',
    open: isOutboundOn,
    async run({ services, visitor, params }) {
      await removeSuppression(services, visitor.account, params.email ?? '');
      return ok({});
    },
  }),
];
