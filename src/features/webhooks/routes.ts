import { z } from 'zod';
import { fail } from '../../platform/core/failure.ts';
import { dataOf } from '../../platform/http/page.ts';
import { ok } from '../../platform/http/reply.ts';
import { route } from '../../platform/http/route.ts';
import { findOwnInbox } from '../inboxes/sql.ts';
import { testWebhook } from './configure.ts';
import { SIGNATURE_VERSION } from './signature.ts';

const WebhookTest = z
  .object({
    delivered: z.boolean().describe('The receiver answered, with any status.'),
    response_status: z.int(),
    signature_version: z.string(),
    event_id: z.string(),
  })
  .meta({ id: 'WebhookTest' });

export const webhookRoutes = [
  route({
    name: 'testWebhook',
    method: 'POST',
    path: '/api/v1/inboxes/:id/webhook/test',
    summary: "Sends one signed test event to the inbox's webhook",
    tag: 'Webhooks',
    limits: ['webhook_test_inbox', 'webhook_test_account'],
    // An address and an id of the same inbox share one limit.
    limited_inbox: ({ no }, id, { store }) => findOwnInbox(store, no, id)?.id ?? id,
    entitle({ account }, { plans }) {
      if (plans[account.plan].webhooks === 0) fail('webhook_entitlement_required');
    },
    gives: { 200: dataOf(WebhookTest) },
    fails: ['webhook_not_configured', 'webhook_ssrf_rejected', 'webhook_unreachable'],
    async run({ services, caller, params }) {
      const inbox = findOwnInbox(services.store, caller.account.no, params.id ?? '') ?? fail('not_found');
      const { event_id, outcome } = await testWebhook(services, inbox);
      if (outcome.kind === 'refused') fail('webhook_ssrf_rejected', { fields: { url: outcome.reasons } });
      if (outcome.kind === 'unreachable') fail('webhook_unreachable', { fields: { error: outcome.reasons } });
      const { status } = outcome;
      return ok({ delivered: true, response_status: status, signature_version: SIGNATURE_VERSION, event_id });
    },
  }),
];
