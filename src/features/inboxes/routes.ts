import { z } from 'zod';
import { fail, failField } from '../../platform/core/failure.ts';
import { byNo, describeData, describePage, page, readPageRange } from '../../platform/http/page.ts';
import { cursorParam, defineLimitParam, type Param } from '../../platform/http/query.ts';
import { created, nothing, ok } from '../../platform/http/reply.ts';
import { type Principal, route } from '../../platform/http/route.ts';
import { toInboxForm } from '../../platform/mail/address.ts';
import type { PlatformServices } from '../../platform/services.ts';
import { reservedLocalParts } from '../../rules/reserved.ts';
import { formatMetadata } from './metadata.ts';
import {
  findInboxDomain,
  findOwnInboxByAddress,
  findSeenInbox,
  hasWebhook,
  type Inbox as InboxRow,
  listInboxes,
} from './sql.ts';
import { viewInbox, viewInboxDetail } from './view.ts';
import { InboxDetail, InboxShape, inboxLinks } from './wire.ts';
import { createInboxOp, deleteInboxOp, updateInboxOp } from './writes.ts';

export const LABEL_CHARS_MAX = 120;

/** Counts characters, as JSON Schema does, not UTF-16 units. */
const label = z
  .string('must be a string')
  .refine((text) => [...text].length <= LABEL_CHARS_MAX, `has more than ${LABEL_CHARS_MAX} characters`)
  .meta({ maxLength: LABEL_CHARS_MAX });

const routingKey = z
  .string('must be a string')
  .regex(/^[a-zA-Z0-9_-]{3,64}$/, 'must have 3 to 64 characters of a-z A-Z 0-9 _ -');

const isPublic = z.boolean('must be true or false');

/** Checked by metadata.ts, whose errors have codes of their own. */
const metadata = z
  .unknown()
  .optional()
  .meta({ type: 'object', maxProperties: 50, description: 'At most 4096 bytes as compact UTF-8 JSON.' });

const NewInbox = z
  .strictObject({
    label: label.optional(),
    routing_key: routingKey.optional(),
    public: isPublic.optional(),
    metadata,
    domain: z.string('must be the id of a domain, or null').nullable().optional(),
  })
  .meta({ id: 'NewInbox' });

const InboxChanges = z
  .strictObject({
    label: label.optional(),
    metadata,
    public: isPublic.optional(),
    is_enabled: z
      .boolean('must be true or false')
      .optional()
      .describe('If false, mail to the inbox is refused. Its messages stay.'),
  })
  .refine((changes) => Object.keys(changes).length > 0, {
    path: ['body'],
    // If there is an unknown field, only that is reported.
    when: ({ issues }) => issues.length === 0,
    message: 'must have at least one of label, metadata, public, is_enabled',
  })
  .meta({ id: 'InboxChanges', minProperties: 1 });

const address: Param<string | null> = {
  schema: z.string(),
  about: 'Only the inbox with exactly this address.',
  read: (text) => (text === null ? null : toInboxForm(text)),
};

const tag = 'Inboxes';

export const inboxRoutes = [
  route({
    name: 'listInboxes',
    method: 'GET',
    path: '/api/v1/inboxes',
    summary: 'List inboxes',
    description: 'Returns the inboxes of the account, newest first, without deleted ones.',
    tag,
    query: { limit: defineLimitParam(100, 25), cursor: cursorParam, address },
    responses: { 200: describePage(InboxShape) },
    run({ services, caller, query }) {
      const accountNo = caller.account.no;
      const scope = ['inboxes', accountNo, query.address];
      const range = readPageRange(services, scope, query);
      const rows =
        query.address === null
          ? listInboxes(services.store, accountNo, range.before, range.rowsWanted)
          : [findOwnInboxByAddress(services.store, accountNo, query.address)].filter((row) =>
              isOwn(row, accountNo, range.before),
            );
      return page(services, range, rows, byNo, viewInbox);
    },
  }),
  route({
    name: 'createInbox',
    method: 'POST',
    path: '/api/v1/inboxes',
    summary: 'Create an inbox',
    description:
      'Creates an inbox on the shared domain, or on one of your verified domains if you send its id. Without ' +
      '`routing_key`, the address is random.',
    tag,
    body: NewInbox,
    bodyOptional: true,
    creates: true,
    responses: { 201: describeData(InboxShape) },
    links: inboxLinks,
    fails: [
      'plan_limit_reached',
      'slug_taken',
      'conflict',
      'public_not_allowed_on_custom_domain',
      'metadata_must_be_object',
      'metadata_too_large',
      'domain_not_found_or_unverified',
      'byod_disabled',
      'domain_entitlement_required',
    ],
    async run({ services, caller, body, once }) {
      const caps = services.plans[caller.account.plan];
      const routingKey = body.routing_key?.toLowerCase() ?? null;
      const domainId = body.domain ?? null;
      if (domainId === null && routingKey !== null && reservedLocalParts.includes(routingKey)) {
        failField('routing_key', 'is reserved');
      }
      const metadata = formatMetadata(body.metadata);
      if (domainId !== null && body.public) fail('public_not_allowed_on_custom_domain');
      if (domainId !== null) entitleDomain(services, caller.account, domainId);
      const input = {
        account_no: caller.account.no,
        cap: caps.inboxes,
        domain: services.settings.mail_domain,
        domain_id: domainId,
        routing_key: routingKey,
        label: body.label ?? '',
        is_public: body.public ?? false,
        metadata,
      };
      const inbox = await services.store.write(createInboxOp, { input, once });
      return created(viewInbox(inbox), `/api/v1/inboxes/${inbox.id}`);
    },
  }),
  route({
    name: 'getInbox',
    method: 'GET',
    path: '/api/v1/inboxes/:id',
    summary: 'Get an inbox',
    tag,
    responses: { 200: describeData(InboxDetail) },
    links: inboxLinks,
    run({ services, caller, params, nowUs }) {
      const inbox = findSeenInbox(services.store, caller.account.no, params.id ?? '') ?? fail('not_found');
      return ok(viewInboxDetail(inbox, hasWebhook(services.store, inbox.no), nowUs));
    },
  }),
  route({
    name: 'updateInbox',
    method: 'PATCH',
    path: '/api/v1/inboxes/:id',
    summary: 'Update an inbox',
    description:
      'Changes the fields that you send and returns the inbox. `metadata` is replaced as a whole. The active target of a ' +
      "catch-all can't be disabled: `catch_all_target`.",
    tag,
    body: InboxChanges,
    responses: { 200: describeData(InboxDetail) },
    links: inboxLinks,
    fails: [
      'public_not_allowed_on_custom_domain',
      'metadata_must_be_object',
      'metadata_too_large',
      'catch_all_target',
    ],
    async run({ services, caller: { account }, params, body, nowUs }) {
      const { label, is_enabled } = body;
      const inbox = await services.store.write(updateInboxOp, {
        account_no: account.no,
        id: params.id ?? '',
        changes: {
          label,
          is_enabled,
          is_public: body.public,
          metadata: body.metadata === undefined ? undefined : formatMetadata(body.metadata),
        },
        sharedDomain: services.settings.mail_domain,
        hasCatchAll: services.plans[account.plan].catch_all > 0,
      });
      return ok(viewInboxDetail(inbox, hasWebhook(services.store, inbox.no), nowUs));
    },
  }),
  route({
    name: 'deleteInbox',
    method: 'DELETE',
    path: '/api/v1/inboxes/:id',
    summary: 'Delete an inbox',
    description:
      'Deletes an inbox and its messages, and ends the waits and streams on it. The active target of a catch-all ' +
      "can't be deleted: `catch_all_target`.",
    tag,
    responses: { 204: null },
    fails: ['catch_all_target'],
    async run({ services, caller, params }) {
      const deleted = await services.store.write(deleteInboxOp, {
        account_no: caller.account.no,
        id: params.id ?? '',
        hasCatchAll: services.plans[caller.account.plan].catch_all > 0,
        isOwner: caller.role === 'owner',
      });
      services.departures.announce(deleted);
      return nothing();
    },
  }),
];

/**
 * Throws if the account may not add inboxes to this domain: after a downgrade it keeps those that it has. Another
 * account's domain gets the same error as an unknown one.
 */
function entitleDomain(
  { store, plans }: PlatformServices,
  { no, plan, custom_domains }: Principal['account'],
  id: string,
): void {
  if (custom_domains && plans[plan].custom_domains > 0) return;
  if (!findInboxDomain(store, no, id)) fail('domain_not_found_or_unverified');
  fail(custom_domains ? 'domain_entitlement_required' : 'byod_disabled');
}

function isOwn(row: InboxRow | null, accountNo: number, before: number): row is InboxRow {
  return row !== null && row.account_no === accountNo && row.no < before;
}
