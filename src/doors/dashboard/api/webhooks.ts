import { z } from 'zod';
import { findOwnInbox, type Inbox } from '../../../features/inboxes/sql.ts';
import {
  removeWebhook,
  replay,
  rotateSecret,
  setWebhook,
  switchWebhook,
  testWebhook,
} from '../../../features/webhooks/configure.ts';
import {
  type Delivery,
  findWebhook,
  listInboxDeliveries,
  listInboxWebhooks,
  type Webhook,
} from '../../../features/webhooks/sql.ts';
import { viewDelivery, viewNewSecret, viewWebhook } from '../../../features/webhooks/view.ts';
import { isoTime } from '../../../platform/core/clock.ts';
import { fail } from '../../../platform/core/failure.ts';
import { nothing, ok } from '../../../platform/http/reply.ts';
import type { Route } from '../../../platform/http/route.ts';
import type { PlatformServices } from '../../../platform/services.ts';
import type { DashboardServices } from '../services.ts';
import type { Visitor } from '../session.ts';
import type { DeliveryDetail, TestOutcome, WebhookDetail, WebhooksOfAccount } from '../wire.ts';
import { ownerRoute, text } from './owner-route.ts';

/** `postern webhook deliveries` shows more. */
export const DELIVERIES_SHOWN = 100;

function getInbox(services: PlatformServices, { account }: Visitor, id: string | undefined): Inbox {
  return findOwnInbox(services.store, account.no, id ?? '') ?? fail('not_found');
}

function getHook(services: PlatformServices, visitor: Visitor, id: string | undefined): Webhook {
  return findWebhook(services.store, getInbox(services, visitor, id).no) ?? fail('webhook_not_configured');
}

function viewDeliveryDetail(row: Delivery): DeliveryDetail {
  return { ...viewDelivery(row), created_at: isoTime(row.created_at), answer: row.answer };
}

export const dashboardWebhookRoutes: readonly Route<DashboardServices>[] = [
  ownerRoute({
    name: 'dashboardWebhooks',
    method: 'GET',
    path: '/dashboard/api/webhooks',
    run: ({ services, visitor: { account }, nowUs }) =>
      ok<WebhooksOfAccount>({
        is_allowed: services.plans[account.plan].webhooks > 0,
        webhooks: listInboxWebhooks(services.store, account.no).map((hook) => ({
          ...viewWebhook(hook, nowUs),
          inbox_id: hook.inbox_id,
          address: hook.address,
        })),
      }),
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
    name: 'dashboardSetWebhook',
    method: 'POST',
    path: '/dashboard/api/webhooks/:id',
    who: 'owner',
    body: z.strictObject({ url: text }),
    async run({ services, visitor, params, body }) {
      const inbox = getInbox(services, visitor, params.id);
      return ok(viewNewSecret(services.key, await setWebhook(services, inbox, body.url)));
    },
  }),
  ownerRoute({
    name: 'dashboardRotateWebhook',
    method: 'POST',
    path: '/dashboard/api/webhooks/:id/rotate',
    who: 'owner',
    async run({ services, visitor, params }) {
      const hook = getHook(services, visitor, params.id);
      return ok(viewNewSecret(services.key, await rotateSecret(services, hook)));
    },
  }),
  ownerRoute({
    name: 'dashboardSwitchWebhook',
    method: 'PATCH',
    path: '/dashboard/api/webhooks/:id',
    who: 'owner',
    body: z.strictObject({ enabled: z.boolean('must be a boolean') }),
    run: async ({ services, visitor, params, body, nowUs }) =>
      ok(
        viewWebhook(
          await switchWebhook(services, getHook(services, visitor, params.id), body.enabled),
          nowUs,
        ),
      ),
  }),
  ownerRoute({
    name: 'dashboardRemoveWebhook',
    method: 'DELETE',
    path: '/dashboard/api/webhooks/:id',
    who: 'owner',
    run: async ({ services, visitor, params, nowUs }) =>
      ok(viewWebhook(await removeWebhook(services, getHook(services, visitor, params.id)), nowUs)),
  }),
  ownerRoute({
    name: 'dashboardTestWebhook',
    method: 'POST',
    path: '/dashboard/api/webhooks/:id/test',
    // The same buckets as for the API's test delivery.
    limits: ['webhook_test_inbox', 'webhook_test_account'],
    limited_inbox: ({ no }, id, { store }) => findOwnInbox(store, no, id)?.id ?? id,
    async run({ services, visitor, params }) {
      if (services.plans[visitor.account.plan].webhooks === 0) fail('webhook_entitlement_required');
      const { event_id, outcome } = await testWebhook(services, getHook(services, visitor, params.id));
      if (outcome.kind === 'refused')
        return ok<TestOutcome>({ event_id, kind: 'refused', reasons: outcome.reasons });
      const durationMs = Math.round(outcome.duration_ms);
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
  ownerRoute({
    name: 'dashboardRedeliver',
    method: 'POST',
    path: '/dashboard/api/webhooks/:id/deliveries/:event/retry',
    who: 'owner',
    async run({ services, visitor, params }) {
      await replay(services, getHook(services, visitor, params.id), { event_id: params.event ?? '' });
      return nothing();
    },
  }),
];
