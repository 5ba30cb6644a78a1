import { isoTime } from '../../platform/core/clock.ts';
import { fail, failField } from '../../platform/core/failure.ts';
import { byNo, describeData, describePage, page, readPageRange } from '../../platform/http/page.ts';
import { cursorParam, defineLimitParam } from '../../platform/http/query.ts';
import { type Answer, created, nothing, ok } from '../../platform/http/reply.ts';
import { type Principal, type RouteLinks, routeOn } from '../../platform/http/route.ts';
import type { PlatformServices } from '../../platform/services.ts';
import type { LimitName } from '../../rules/limits.ts';
import { findOwnInbox, type Inbox } from '../inboxes/sql.ts';
import { parseIsoTime } from '../waits/since.ts';
import {
  changeWebhook,
  createWebhook,
  disableWebhook,
  enableWebhook,
  removeWebhook,
  replay,
  rotateSecret,
  setWebhook,
  testWebhook,
} from './configure.ts';
import type { WebhookServices } from './dispatcher.ts';
import { SIGNATURE_VERSION } from './signature.ts';
import { findAccountWebhook, findWebhook, listAccountWebhooks, listDeliveries, type Webhook } from './sql.ts';
import { viewDelivery, viewNewSecret, viewWebhook } from './view.ts';
import {
  DeliveryShape,
  NewInboxWebhook,
  NewWebhook,
  WebhookChanges,
  WebhookReplay,
  WebhookReplayed,
  WebhookSecretShape,
  WebhookShape,
  WebhookTestShape,
} from './wire.ts';

const tag = 'Webhooks';
const route = routeOn<WebhookServices>();

/** Only keys that the account's owner created may change where mail is sent, or stop it. */
function entitleStopping({ role }: Principal): void {
  if (role !== 'owner') fail('account_forbidden');
}

function entitleChanging(caller: Principal, services: PlatformServices): void {
  entitleStopping(caller);
  entitleReading(caller, services);
}

function entitleReading({ account }: Principal, { plans }: PlatformServices): void {
  if (plans[account.plan].webhooks === 0) fail('webhook_entitlement_required');
}

function getInbox({ store }: PlatformServices, { account }: Principal, id: string | undefined): Inbox {
  return findOwnInbox(store, account.no, id ?? '') ?? fail('not_found');
}

/** Finds a webhook by the id in a path, which is that of the inbox or of the webhook itself. */
type Find = (services: PlatformServices, caller: Principal, id: string | undefined) => Webhook;

const findByInbox: Find = (services, caller, id) =>
  findWebhook(services.store, getInbox(services, caller, id).no) ?? fail('webhook_not_configured');

const findById: Find = ({ store }, { account }, id) =>
  findAccountWebhook(store, account.no, id ?? '') ?? fail('not_found');

/** Where the routes of an inbox's webhook and of an account's webhooks differ. */
interface WebhookScope {
  path: string;
  /** The end of the operations' names. */
  name: string;
  /** For summaries. */
  noun: string;
  find: Find;
  missing: readonly ['webhook_not_configured'] | readonly [];
}

const ofInbox: WebhookScope = {
  path: '/api/v1/inboxes/:id/webhook',
  name: 'InboxWebhook',
  noun: "an inbox's webhook",
  find: findByInbox,
  missing: ['webhook_not_configured'],
};

const ofAccount: WebhookScope = {
  path: '/api/v1/webhooks/:id',
  name: 'Webhook',
  noun: 'a webhook of the account',
  find: findById,
  missing: [],
};

const links: RouteLinks = {
  getWebhook: { id: 'id' },
  listWebhookDeliveries: { id: 'id' },
  deleteWebhook: { id: 'id' },
};

const defineReading = ({ path, name, noun, find, missing }: WebhookScope) => [
  route({
    name: `get${name}`,
    method: 'GET',
    path,
    summary: `Get ${noun}`,
    description: 'Returns the webhook without its secret.',
    tag,
    entitle: entitleReading,
    responses: { 200: describeData(WebhookShape) },
    fails: ['webhook_entitlement_required', ...missing],
    run: ({ services, caller, params, nowUs }) => ok(viewWebhook(find(services, caller, params.id), nowUs)),
  }),
  route({
    name: `delete${name}`,
    method: 'DELETE',
    path,
    summary: `Delete ${noun}`,
    description: 'Removes the webhook and drops its pending deliveries.',
    tag,
    entitle: entitleStopping,
    responses: { 204: null },
    fails: missing,
    async run({ services, caller, params }) {
      await removeWebhook(services, find(services, caller, params.id));
      return nothing();
    },
  }),
  route({
    name: `list${name}Deliveries`,
    method: 'GET',
    path: `${path}/deliveries`,
    summary: `List the deliveries of ${noun}`,
    description: 'Returns the deliveries of the last 30 days with every attempt, newest event first.',
    tag,
    entitle: entitleReading,
    query: { limit: defineLimitParam(100, 25), cursor: cursorParam },
    responses: { 200: describePage(DeliveryShape) },
    fails: ['webhook_entitlement_required', ...missing],
    run({ services, caller, params, query }) {
      const { no } = find(services, caller, params.id);
      const scope = ['deliveries', no];
      const range = readPageRange(services, scope, query);
      const rows = listDeliveries(services.store, no, range.rowsWanted, range.before);
      return page(services, range, rows, ({ event_no }) => event_no, viewDelivery);
    },
  }),
];

const defineSwitches = ({ path, name, noun, find, missing }: WebhookScope) => [
  route({
    name: `rotate${name}`,
    method: 'POST',
    path: `${path}/rotate`,
    summary: `Rotate the secret of ${noun}`,
    description: 'Creates a new secret, which is shown only once. The old one also signs for 24 hours.',
    tag,
    entitle: entitleChanging,
    honoursKeyFor: 'secret',
    responses: { 200: describeData(WebhookSecretShape) },
    fails: ['webhook_entitlement_required', ...missing],
    run: async ({ services, caller, params, once }) =>
      ok(viewNewSecret(services.key, await rotateSecret(services, find(services, caller, params.id), once))),
  }),
  route({
    name: `enable${name}`,
    method: 'POST',
    path: `${path}/enable`,
    summary: `Turn ${noun} on`,
    description: 'Sends its pending deliveries.',
    tag,
    entitle: entitleChanging,
    responses: { 200: describeData(WebhookShape) },
    fails: ['webhook_entitlement_required', ...missing],
    run: async ({ services, caller, params, nowUs }) =>
      ok(viewWebhook(await enableWebhook(services, find(services, caller, params.id)), nowUs)),
  }),
  route({
    name: `disable${name}`,
    method: 'POST',
    path: `${path}/disable`,
    summary: `Turn ${noun} off`,
    description: 'Its pending deliveries are kept.',
    tag,
    entitle: entitleStopping,
    responses: { 200: describeData(WebhookShape) },
    fails: missing,
    run: async ({ services, caller, params, nowUs }) =>
      ok(viewWebhook(await disableWebhook(services, find(services, caller, params.id)), nowUs)),
  }),
  route({
    name: `replay${name}`,
    method: 'POST',
    path: `${path}/replay`,
    summary: `Replay events to ${noun}`,
    description: 'Sends one event, or all events after a time, again.',
    tag,
    entitle: entitleChanging,
    body: WebhookReplay,
    responses: { 200: describeData(WebhookReplayed) },
    fails: ['webhook_entitlement_required', ...missing],
    async run({ services, caller, params, body }) {
      const hook = find(services, caller, params.id);
      const { replayed, nextAfter } = await replay(services, hook, readReplay(body));
      return ok({ replayed, next_since: nextAfter === null ? null : isoTime(nextAfter) });
    },
  }),
];

function readReplay(body: { event_id?: string | undefined; since?: string | undefined }) {
  if (body.event_id !== undefined) return { event_id: body.event_id };
  return { after: parseIsoTime(body.since ?? '') ?? failField('since', 'must be an ISO 8601 time') };
}

function defineTest(name: string, { path, noun, find, missing }: WebhookScope, limits: readonly LimitName[]) {
  return route({
    name,
    method: 'POST',
    path: `${path}/test`,
    summary: `Test ${noun}`,
    description: 'Sends one signed test event and returns the status of the response.',
    tag,
    limits,
    // An address and an id of the same inbox share one limit.
    limitedSubject: ({ no }, id, { store }) => findOwnInbox(store, no, id)?.id ?? id,
    entitle: entitleReading,
    responses: { 200: describeData(WebhookTestShape) },
    fails: ['webhook_entitlement_required', 'webhook_ssrf_rejected', 'webhook_unreachable', ...missing],
    async run({ services, caller, params }): Promise<Answer> {
      const { event_id, outcome } = await testWebhook(services, find(services, caller, params.id));
      if (outcome.kind === 'refused') fail('webhook_ssrf_rejected', { fields: { url: outcome.reasons } });
      if (outcome.kind === 'unreachable') fail('webhook_unreachable', { fields: { error: outcome.reasons } });
      const { status } = outcome;
      return ok({ delivered: true, response_status: status, signature_version: SIGNATURE_VERSION, event_id });
    },
  });
}

export const webhookRoutes = [
  defineTest('testWebhook', ofInbox, ['webhook_test_inbox', 'webhook_test_account']),
  route({
    name: 'setInboxWebhook',
    method: 'PUT',
    path: ofInbox.path,
    summary: "Set an inbox's webhook",
    description: 'Creates or replaces the webhook. Its secret is new and shown only once.',
    tag,
    entitle: entitleChanging,
    body: NewInboxWebhook,
    honoursKeyFor: 'secret',
    responses: { 200: describeData(WebhookSecretShape) },
    fails: ['webhook_entitlement_required', 'webhook_ssrf_rejected'],
    run: async ({ services, caller, params, body, once }) =>
      ok(
        viewNewSecret(
          services.key,
          await setWebhook(services, getInbox(services, caller, params.id), body.url, once),
        ),
      ),
  }),
  ...defineReading(ofInbox),
  ...defineSwitches(ofInbox),
  route({
    name: 'listWebhooks',
    method: 'GET',
    path: '/api/v1/webhooks',
    summary: 'List the webhooks of the account',
    description: 'Returns the webhooks of the whole account, newest first.',
    tag,
    entitle: entitleReading,
    query: { limit: defineLimitParam(100, 25), cursor: cursorParam },
    responses: { 200: describePage(WebhookShape) },
    fails: ['webhook_entitlement_required'],
    run({ services, caller, query, nowUs }) {
      const scope = ['webhooks', caller.account.no];
      const range = readPageRange(services, scope, query);
      const rows = listAccountWebhooks(services.store, caller.account.no, range.before, range.rowsWanted);
      return page(services, range, rows, byNo, (hook) => viewWebhook(hook, nowUs));
    },
  }),
  route({
    name: 'createWebhook',
    method: 'POST',
    path: '/api/v1/webhooks',
    summary: 'Create a webhook of the account',
    description: 'Creates a webhook for events of the whole account. Its secret is shown only once.',
    tag,
    entitle: entitleChanging,
    body: NewWebhook,
    creates: true,
    responses: { 201: describeData(WebhookSecretShape) },
    links,
    fails: ['webhook_entitlement_required', 'webhook_ssrf_rejected', 'plan_limit_reached'],
    async run({ services, caller, body, once }) {
      const made = await createWebhook(services, caller.account.no, body, once);
      return created(viewNewSecret(services.key, made), `/api/v1/webhooks/${made.hook.id}`);
    },
  }),
  route({
    name: 'updateWebhook',
    method: 'PATCH',
    path: ofAccount.path,
    summary: 'Update a webhook of the account',
    description: 'Changes the URL, the events or the state of a webhook. Its secret stays the same.',
    tag,
    entitle: entitleChanging,
    body: WebhookChanges,
    responses: { 200: describeData(WebhookShape) },
    fails: ['webhook_entitlement_required', 'webhook_ssrf_rejected'],
    run: async ({ services, caller, params, body, nowUs }) =>
      ok(viewWebhook(await changeWebhook(services, findById(services, caller, params.id), body), nowUs)),
  }),
  ...defineReading(ofAccount),
  ...defineSwitches(ofAccount),
  defineTest('testAccountWebhook', ofAccount, ['webhook_test_account']),
];
