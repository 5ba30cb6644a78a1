import { z } from 'zod';
import { isoTime } from '../../../platform/core/clock.ts';
import { fail } from '../../../platform/core/failure.ts';
import { byNo, describeData, describePage, page, readPageRange } from '../../../platform/http/page.ts';
import { cursorParam, defineLimitParam } from '../../../platform/http/query.ts';
import { created, nothing, ok } from '../../../platform/http/reply.ts';
import { route } from '../../../platform/http/route.ts';
import { makeMailboxKey } from '../../../platform/mail/mailbox.ts';
import { readFields } from '../addressing.ts';
import { entitleAllowlist, isOutboundOn } from '../entitle.ts';
import { ApprovedRecipientShape } from '../wire.ts';
import { type ApprovedRecipient as ApprovedRow, findOwnApproved, listApproved } from './sql.ts';
import { approveOp, removeApprovedOp, switchAllowlistOp } from './writes.ts';

const NewApproved = z
  .strictObject({
    email: z.string('must be an address').meta({ minLength: 3, maxLength: 1000, pattern: '@' }),
  })
  .meta({ id: 'NewApprovedRecipient' });

const Mode = z.strictObject({ enabled: z.boolean('must be true or false') }).meta({ id: 'AllowlistMode' });

const ModeState = z.object({ enabled: z.boolean() }).meta({ id: 'AllowlistModeState' });

const allowlist = { tag: 'Outbound email', open: isOutboundOn, entitle: entitleAllowlist } as const;
const entitlement = ['outbound_disabled', 'outbound_allowlist_entitlement_required'] as const;
const changes = ['outbound_allowlist_changes_per_hour'] as const;

export const allowlistRoutes = [
  route({
    ...allowlist,
    name: 'listApprovedRecipients',
    method: 'GET',
    path: '/api/v1/outbound_allowlist',
    summary: 'List approved recipients',
    description: 'Returns the approved recipients, newest first.',
    query: { limit: defineLimitParam(100, 25), cursor: cursorParam },
    responses: { 200: describePage(ApprovedRecipientShape) },
    fails: entitlement,
    run({ services, caller, query }) {
      const accountNo = caller.account.no;
      const scope = ['outbound_allowlist', accountNo];
      const range = readPageRange(services, scope, query);
      const rows = listApproved(services.store, accountNo, range.before, range.rowsWanted);
      return page(services, range, rows, byNo, viewApproved);
    },
  }),
  route({
    ...allowlist,
    name: 'approveRecipient',
    method: 'POST',
    path: '/api/v1/outbound_allowlist',
    summary: 'Approve a recipient',
    limits: changes,
    body: NewApproved,
    creates: true,
    responses: { 201: describeData(ApprovedRecipientShape) },
    links: { getApprovedRecipient: { id: 'id' }, removeApprovedRecipient: { id: 'id' } },
    fails: [...entitlement, 'approved_recipient_exists', 'outbound_allowlist_limit_reached'],
    async run({ services, caller, body, once }) {
      const { email } = readFields({ email: [body.email] });
      const row = await services.store.write(approveOp, {
        account_no: caller.account.no,
        email: makeMailboxKey(email[0]!.email),
        cap: services.plans[caller.account.plan].outbound_allowlist,
        once,
      });
      return created(viewApproved(row), `/api/v1/outbound_allowlist/${row.id}`);
    },
  }),
  route({
    ...allowlist,
    name: 'getApprovedRecipient',
    method: 'GET',
    path: '/api/v1/outbound_allowlist/:id',
    summary: 'Get an approved recipient',
    responses: { 200: describeData(ApprovedRecipientShape) },
    fails: entitlement,
    run({ services, caller, params }) {
      return ok(
        viewApproved(
          findOwnApproved(services.store, caller.account.no, params.id ?? '') ?? fail('not_found'),
        ),
      );
    },
  }),
  route({
    ...allowlist,
    name: 'removeApprovedRecipient',
    method: 'DELETE',
    path: '/api/v1/outbound_allowlist/:id',
    summary: 'Remove an approved recipient',
    limits: changes,
    responses: { 204: null },
    fails: entitlement,
    async run({ services, caller, params }) {
      const id = params.id ?? '';
      await services.store.write(removeApprovedOp, { account_no: caller.account.no, id });
      return nothing();
    },
  }),
  route({
    ...allowlist,
    name: 'setAllowlistMode',
    method: 'POST',
    path: '/api/v1/outbound_allowlist/mode',
    summary: 'Restrict email to approved recipients',
    description: 'Turns the restriction on or off. It is off by default.',
    limits: changes,
    body: Mode,
    responses: { 200: describeData(ModeState) },
    fails: entitlement,
    async run({ services, caller, body: { enabled } }) {
      await services.store.write(switchAllowlistOp, { account_no: caller.account.no, on: enabled });
      return ok({ enabled });
    },
  }),
];

function viewApproved({ id, email, created_at }: ApprovedRow): z.output<typeof ApprovedRecipientShape> {
  return { id, email, created_at: isoTime(created_at) };
}
