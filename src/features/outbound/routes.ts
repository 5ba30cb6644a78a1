import { fail } from '../../platform/core/failure.ts';
import { byNo, describeData, describePage, page, readPageRange } from '../../platform/http/page.ts';
import { cursorParam, defineChoiceParam, defineLimitParam } from '../../platform/http/query.ts';
import { type Answer, created, ok } from '../../platform/http/reply.ts';
import { type Principal, route } from '../../platform/http/route.ts';
import { findEarlierOutput } from '../../platform/http/writes.ts';
import type { Mailbox } from '../../platform/mail/mailbox.ts';
import type { PlatformServices } from '../../platform/services.ts';
import type { ErrorCode } from '../../rules/errors.ts';
import { outboundStatuses } from '../../rules/outbound.ts';
import { findOwnInbox, type Inbox } from '../inboxes/sql.ts';
import { findOwnMessage, type MessageRow } from '../messages/sql.ts';
import { type Addressing, dedupeAddressing, readFields } from './addressing.ts';
import { Attachments, type Reader } from './attachments.ts';
import {
  BODY_STRINGS_BYTES_MAX,
  type GivenContents,
  NewComposed,
  NewForward,
  NewOutboundEmail,
  NewReply,
  REST_BYTES_MAX,
  refuseLargeBody,
} from './bodies/wire.ts';
import { entitleSending, isOutboundOn, requireSendingDomain } from './entitle.ts';
import { composeForward } from './forward.ts';
import { type Letter, queueEmail, type SendRequest } from './queue.ts';
import { composeReply } from './reply.ts';
import { findOwnEmail, listEmails } from './sql.ts';
import { readEmailView, viewEmail } from './view.ts';
import { OutboundEmailShape } from './wire.ts';
import type { WholeEmail } from './writes.ts';

const tag = 'Outbound email';

/** Common to all routes that send. */
const sending = {
  method: 'POST',
  tag,
  open: isOutboundOn,
  limits: ['outbound_sends_per_minute'],
  entitle: entitleSending,
  bodyBytesMax: REST_BYTES_MAX,
  bodyStringsBytesMax: BODY_STRINGS_BYTES_MAX,
  entitleBody: refuseLargeBody,
  creates: true,
  responses: { 201: describeData(OutboundEmailShape) },
  links: { getOutboundEmail: { id: 'id' } },
  fails: [
    'outbound_disabled',
    'outbound_entitlement_required',
    'sending_domain_not_eligible',
    'recipient_rejected',
    'recipient_not_approved',
    'outbound_quota_exceeded',
    'outbound_rate_limited',
  ] as ErrorCode[],
} as const;

export const outboundRoutes = [
  route({
    ...sending,
    name: 'sendEmail',
    path: '/api/v1/outbound_emails',
    summary: 'Send an email',
    description: 'Queues an email from an address on one of your domains.',
    body: NewOutboundEmail,
    async run({ body, ...asked }) {
      const read = readFields({
        from_address: [body.from_address],
        to: body.to,
        cc: body.cc ?? [],
        bcc: body.bcc ?? [],
        reply_to: body.reply_to == null ? [] : [body.reply_to],
      });
      const recipients = readAddressing(asked.services, read);
      const earlier = findEarlierEmail(asked);
      if (earlier) return answerQueued(earlier);
      const from = read.from_address[0]!;
      requireSendingDomain(asked.services.store, asked.caller.account.no, from.email);
      return answerQueued(
        await queueEmail(asked, {
          ...recipients,
          kind: 'send',
          inbox_id: null,
          threading: null,
          from,
          subject: body.subject,
          reply_to: read.reply_to[0] ?? null,
          ...(await readContents(asked, body)),
        }),
      );
    },
  }),
  route({
    name: 'listOutboundEmails',
    method: 'GET',
    path: '/api/v1/outbound_emails',
    summary: 'List emails',
    description: 'Returns sent and queued emails, newest first.',
    tag,
    open: isOutboundOn,
    entitle: entitleSending,
    query: {
      limit: defineLimitParam(100, 25),
      cursor: cursorParam,
      status: defineChoiceParam(outboundStatuses, 'Only emails with this status.'),
    },
    responses: { 200: describePage(OutboundEmailShape) },
    fails: ['outbound_disabled', 'outbound_entitlement_required'],
    run({ services, caller, query }) {
      const { store } = services;
      const scope = ['outbound_emails', caller.account.no, query.status];
      const range = readPageRange(services, scope, query);
      const rows = listEmails(store, caller.account.no, query.status, range.before, range.rowsWanted);
      return page(services, range, rows, byNo, (email) => readEmailView(store, email));
    },
  }),
  route({
    name: 'getOutboundEmail',
    method: 'GET',
    path: '/api/v1/outbound_emails/:id',
    summary: 'Get an email',
    description: 'Returns an email and its delivery status.',
    tag,
    open: isOutboundOn,
    entitle: entitleSending,
    responses: { 200: describeData(OutboundEmailShape) },
    fails: ['outbound_disabled', 'outbound_entitlement_required'],
    run({ services, caller, params }) {
      const email = findOwnEmail(services.store, caller.account.no, params.id ?? '') ?? fail('not_found');
      return ok(readEmailView(services.store, email));
    },
  }),
  route({
    ...sending,
    name: 'replyToMessage',
    path: '/api/v1/inboxes/:id/messages/:message_id/reply',
    summary: 'Reply to a message',
    description: 'Queues a reply from the address of the inbox.',
    body: NewReply,
    fails: [...sending.fails, 'reply_target_invalid'],
    async run({ body, params, ...asked }) {
      const { cc } = readFields({ cc: body.cc ?? [] });
      const earlier = findEarlierEmail(asked);
      if (earlier) return answerQueued(earlier);
      const { inbox, message } = findMessage(asked.services, asked.caller, params);
      const from = requireSender(asked.services, inbox);
      const answer = composeReply(inbox, message, {
        all: body.reply_all ?? false,
        cc,
        max: asked.services.settings.outbound_recipients_max,
      });
      return answerQueued(
        await queueEmail(asked, {
          ...answer,
          ...makeOrigin('reply', inbox, from),
          ...(await readContents(asked, body)),
        }),
      );
    },
  }),
  route({
    ...sending,
    name: 'forwardMessage',
    path: '/api/v1/inboxes/:id/messages/:message_id/forward',
    summary: 'Forward a message',
    description: 'Queues an email from the address of the inbox, with the message quoted or attached.',
    body: NewForward,
    async run({ body, params, ...asked }) {
      const recipients = readAddressing(asked.services, readFields({ to: body.to }));
      const earlier = findEarlierEmail(asked);
      if (earlier) return answerQueued(earlier);
      const { inbox, message } = findMessage(asked.services, asked.caller, params);
      const from = requireSender(asked.services, inbox);
      return answerQueued(
        await queueEmail(asked, {
          ...(await composeForward(asked, message, body)),
          ...recipients,
          ...makeOrigin('forward', inbox, from),
        }),
      );
    },
  }),
  route({
    ...sending,
    name: 'composeEmail',
    path: '/api/v1/inboxes/:id/compose',
    summary: 'Send an email from an inbox',
    description: 'Queues an email from the address of the inbox.',
    body: NewComposed,
    async run({ body, params, ...asked }) {
      const recipients = readAddressing(asked.services, readFields({ to: body.to, cc: body.cc ?? [] }));
      const earlier = findEarlierEmail(asked);
      if (earlier) return answerQueued(earlier);
      const inbox =
        findOwnInbox(asked.services.store, asked.caller.account.no, params.id ?? '') ?? fail('not_found');
      const from = requireSender(asked.services, inbox);
      return answerQueued(
        await queueEmail(asked, {
          ...recipients,
          ...makeOrigin('compose', inbox, from),
          subject: body.subject,
          ...(await readContents(asked, body)),
          threading: null,
        }),
      );
    },
  }),
];

/** Reads the content of an email from a request. Fails with 422 or 413 about its attachments. */
async function readContents(
  asked: Reader,
  { body_text, body_html, attachments }: GivenContents,
): Promise<Pick<Letter, 'text' | 'html' | 'attachments'>> {
  const files = new Attachments(asked);
  await files.addGiven(attachments ?? []);
  return { text: body_text ?? '', html: body_html ?? '', attachments: files.read };
}

/**
 * Returns the email that the same request created earlier. Its message, inbox or domain may have been deleted since.
 */
function findEarlierEmail({ services, once, nowUs }: SendRequest): WholeEmail | null {
  return findEarlierOutput<WholeEmail>(services.store, once, nowUs)?.output ?? null;
}

function answerQueued(whole: WholeEmail): Answer {
  return created(viewEmail(whole), `/api/v1/outbound_emails/${whole.email.id}`);
}

function readAddressing(
  { settings }: PlatformServices,
  { to, cc = [], bcc = [] }: Pick<Addressing, 'to'> & Partial<Addressing>,
): Addressing {
  return dedupeAddressing({ to, cc, bcc }, settings.outbound_recipients_max);
}

/** Finds the inbox and message that the path names. Whichever is missing, the response is the same 404. */
function findMessage(
  { store }: PlatformServices,
  { account }: Principal,
  params: Readonly<Record<string, string>>,
): { inbox: Inbox; message: MessageRow } {
  const inbox = findOwnInbox(store, account.no, params.id ?? '') ?? fail('not_found');
  const message = findOwnMessage(store, account.no, params.message_id ?? '');
  if (message?.inbox_id !== inbox.id) fail('not_found');
  return { inbox, message };
}

/** Returns the inbox's address as a sender. Fails for inboxes on the shared domain, which can't send. */
function requireSender({ store }: PlatformServices, inbox: Inbox): Mailbox {
  const domain = inbox.address.slice(inbox.address.lastIndexOf('@') + 1);
  requireSendingDomain(store, inbox.account_no, inbox.address);
  return { name: '', email: inbox.address, domain };
}

function makeOrigin(kind: Letter['kind'], inbox: Inbox, from: Mailbox) {
  return { kind, inbox_id: inbox.id, from, reply_to: null };
}
