import { findOwnInbox, type Inbox } from '../../../features/inboxes/sql.ts';
import { testWebhook } from '../../../features/webhooks/configure.ts';
import { webhookRoutes } from '../../../features/webhooks/routes.ts';
import {
  type Delivery,
  findWebhook,
  listInboxDeliveries,
  listInboxWebhooks,
} from '../../../features/webhooks/sql.ts';
import { viewDelivery, viewWebhook } from '../../../features/webhooks/view.ts';
import { isoTime } from '../../../platform/core/clock.ts';
import { fail } from '../../../platform/core/failure.ts';
import { page, readPageRange } from '../../../platform/http/page.ts';
import { cursorParam, defineLimitParam } from '../../../platform/http/query.ts';
import { ok } from '../../../platform/http/reply.ts';
import type { Route } from '../../../platform/http/route.ts';
import type { PlatformServices } from '../../../platform/services.ts';
import type { DashboardServices } from '../services.ts';
import type { Visitor } from '../session.ts';
import type { DeliveryDetail, InboxWebhookView, TestOutcome, WebhookDetail } from '../wire.ts';
import { mirrorOwnerRoute, ownerRoute } from './owner-route.ts';

/** `postern webhook deliveries` shows more. */
export const DELIVERIES_SHOWN = 100;

function getInbox(services: PlatformServices, { account }: Visitor, id: string | undefined): Inbox {
  return findOwnInbox(services.store, account.no, id ?? '') ?? fail('not_found');
}

function viewDeliveryDetail(row: Delivery): DeliveryDetail {
  return { ...viewDelivery(row), created_at: isoTime(row.created_at), answer: row.answer };
}

/** The API's routes that the dashboard has versions of, which say more. */
const OWN_VERSIONS = ['getInboxWebhook', 'listInboxWebhookDeliveries', 'testWebhook'];

/** Mirrors a route of the API. In the dashboard, `webhooks` are those of inboxes. */
function mirrorWebhookRoute(original: Route<DashboardServices>): Route<DashboardServices> {
  const path = original.path
    .replace('/api/v1/webhooks', '/dashboard/api/account-webhooks')
    .replace('/api/v1/inboxes/:id/webhook', '/dashboard/api/webhooks/:id');
  return { ...mirrorOwnerRoute(original), path };
}

export const dashboardWebhookRoutes: readonly Route<DashboardServices>[] = [
  ...webhookRoutes.filter(({ name }) => !OWN_VERSIONS.includes(name)).map(mirrorWebhookRoute),
  ownerRoute({
    name: 'dashboardWebhooks',
    method: 'GET',
    path: '/dashboard/api/webhooks',
    query: { limit: defineLimitParam(100, 50), cursor: cursorParam },
    run({ services, visitor: { account }, query, nowUs }) {
      const range = readPageRange(services, ['dashboard webhooks', account.id], query);
      const rows = listInboxWebhooks(services.store, account.no, range.before, range.rowsWanted);
      return page(
        services,
        range,
        rows,
        (hook) => hook.inbox_no,
        (hook): InboxWebhookView => ({
          ...viewWebhook(hook, nowUs),
          inbox_id: hook.inbox_id,
          address: hook.address,
        }),
      );
    },
  }),
  ownerRoute({
    name: 'dashboardWebhook',
    method: 'GET',
    path: '/dashboard/api/webhooks/:id',
    run({ services, visitor, params, nowUs }) {
      const inbox = getInbox(services, visitor, params.id);
      const hook = findWebhook(services.store, inbox.no);
      const deliveries = listInboxDeliveries(services.store, inbox.no, DELIVERIES_SHOWN);
      return ok<WebhookDetail>({
        address: inbox.address,
        webhook: hook && viewWebhook(hook, nowUs),
        deliveries: deliveries.map(viewDeliveryDetail),
      });
    },
  }),
  ownerRoute({
    name: 'dashboardTestWebhook',
    method: 'POST',
    path: '/dashboard/api/webhooks/:id/test',
    // The same buckets as for the API's test delivery.
    limits: ['webhook_test_inbox', 'webhook_test_account'],
    limitedSubject: ({ no }, id, { store }) => findOwnInbox(store, no, id)?.id ?? id,
    async run({ services, visitor, params }) {
      if (services.plans[visitor.account.plan].webhooks === 0) fail('webhook_entitlement_required');
      const { no } = getInbox(services, visitor, params.id);
      const hook = findWebhook(services.store, no) ?? fail('webhook_not_configured');
      const { event_id, outcome } = await testWebhook(services, hook);
      if (outcome.kind === 'refused')
        return ok<TestOutcome>({ event_id, kind: 'refused', reasons: outcome.reasons });
      const durationMs = Math.round(outcome.durationMs);
      if (outcome.kind === 'unreachable') {
        return ok<TestOutcome>({
          event_id,
          kind: 'unreachable',
          reasons: outcome.reasons,
          duration_ms: durationMs,
        });
      }
      const { status, body } = outcome;
      return ok<TestOutcome>({ event_id, kind: 'answered', status, body, duration_ms: durationMs });
    },
  }),
];
