import { z } from 'zod';
import { fail } from '../../../platform/core/failure.ts';
import { makeStream } from '../../../platform/core/streamed.ts';
import { describeData } from '../../../platform/http/page.ts';
import { ok } from '../../../platform/http/reply.ts';
import { route } from '../../../platform/http/route.ts';
import { findOwnInbox, holdsOutbound } from '../../inboxes/sql.ts';
import { entitleHold, isOutboundOn } from '../entitle.ts';
import { openMime } from '../mime/sql.ts';
import { findOwnEmail } from '../sql.ts';
import { viewEmail } from '../view.ts';
import { OutboundEmailShape } from '../wire.ts';
import { approveHeld } from './decide.ts';
import { isAccountHeld } from './sql.ts';
import { rejectHeldOp, setHoldOp } from './writes.ts';

const HoldState = z
  .object({ enabled: z.boolean().describe("Whether members' emails wait for an owner's approval.") })
  .meta({ id: 'OutboundHoldState' });

const NewHold = z.strictObject({ enabled: z.boolean('must be true or false') }).meta({ id: 'OutboundHold' });

const REASON_CHARS_MAX = 200;

const Rejection = z
  .strictObject({
    reason: z
      .string('must be text')
      .max(REASON_CHARS_MAX, `has more than ${REASON_CHARS_MAX} characters`)
      .regex(/^[^\p{Cc}\u2028\u2029]*$/u, 'has control characters')
      .optional()
      .describe('Shown to the member, in `last_error`.'),
  })
  .meta({ id: 'OutboundRejection' });

const hold = {
  tag: 'Outbound email',
  open: isOutboundOn,
  entitle: entitleHold,
  fails: ['outbound_disabled', 'outbound_entitlement_required'],
} as const;

const ofAccount = {
  ...hold,
  path: '/api/v1/outbound_hold',
  responses: { 200: describeData(HoldState) },
} as const;
const ofInbox = { ...ofAccount, path: '/api/v1/inboxes/:id/outbound_hold' } as const;

const decision = {
  ...hold,
  method: 'POST',
  responses: { 200: describeData(OutboundEmailShape) },
  links: { getOutboundEmail: { id: 'id' } },
} as const;

export const holdRoutes = [
  route({
    ...ofAccount,
    name: 'getOutboundHold',
    method: 'GET',
    summary: 'Get the hold of the account',
    description: "Returns whether members need an owner's approval to send. Needs an owner's key.",
    run: ({ services, caller }) => ok({ enabled: isAccountHeld(services.store, caller.account.no) }),
  }),
  route({
    ...ofAccount,
    name: 'setOutboundHold',
    method: 'PUT',
    summary: 'Set the hold of the account',
    description: "Sets whether members need an owner's approval to send. Needs an owner's key.",
    body: NewHold,
    async run({ services, caller, body: { enabled } }) {
      const input = { account_no: caller.account.no, inbox: null, on: enabled };
      await services.store.write(setHoldOp, input);
      return ok({ enabled });
    },
  }),
  route({
    ...ofInbox,
    name: 'getInboxOutboundHold',
    method: 'GET',
    summary: 'Get the hold of an inbox',
    description:
      "Returns whether members need an owner's approval to send from the inbox. Needs an owner's key.",
    run({ services, caller, params }) {
      const inbox = findOwnInbox(services.store, caller.account.no, params.id ?? '') ?? fail('not_found');
      return ok({ enabled: holdsOutbound(services.store, inbox.no) });
    },
  }),
  route({
    ...ofInbox,
    name: 'setInboxOutboundHold',
    method: 'PUT',
    summary: 'Set the hold of an inbox',
    description:
      "Sets whether members need an owner's approval to send from the inbox. Needs an owner's key.",
    body: NewHold,
    async run({ services, caller, params, body: { enabled } }) {
      const input = { account_no: caller.account.no, inbox: params.id ?? '', on: enabled };
      await services.store.write(setHoldOp, input);
      return ok({ enabled });
    },
  }),
  route({
    ...hold,
    name: 'getRawOutboundEmail',
    method: 'GET',
    path: '/api/v1/outbound_emails/:id/raw',
    summary: 'Download a raw email',
    description:
      "Returns the bytes of a held or queued email, without its DKIM signature. Needs an owner's key.",
    content: ['message/rfc822'],
    responses: { 200: null },
    run({ services, caller, params }) {
      const email = findOwnEmail(services.store, caller.account.no, params.id ?? '') ?? fail('not_found');
      const mime = openMime(services.store, email.no) ?? fail('not_found');
      const headers = {
        'content-type': 'message/rfc822',
        'content-length': String(mime.size),
        'content-disposition': `attachment; filename="${email.id}.eml"`,
      };
      return { status: 200, bytes: makeStream(services, mime.read()[Symbol.iterator]()), headers };
    },
  }),
  route({
    ...decision,
    name: 'approveOutboundEmail',
    path: '/api/v1/outbound_emails/:id/approve',
    summary: 'Approve a held email',
    description: "Queues the email to be sent. Needs an owner's key.",
    fails: [...hold.fails, 'conflict', 'outbound_quota_exceeded', 'outbound_rate_limited'],
    async run({ services, caller: { account }, params }) {
      return ok(viewEmail(await approveHeld(services, account, params.id ?? '')));
    },
  }),
  route({
    ...decision,
    name: 'rejectOutboundEmail',
    path: '/api/v1/outbound_emails/:id/reject',
    summary: 'Reject a held email',
    description: "The email is never sent. Needs an owner's key.",
    body: Rejection,
    bodyOptional: true,
    fails: [...hold.fails, 'conflict'],
    async run({ services, caller, params, body }) {
      const input = { account_no: caller.account.no, id: params.id ?? '', reason: body.reason || null };
      return ok(viewEmail(await services.store.write(rejectHeldOp, input)));
    },
  }),
];
