import { z } from 'zod';
import { fail } from '../../platform/core/failure.ts';
import { dataOf } from '../../platform/http/page.ts';
import { type Answer, created, ok } from '../../platform/http/reply.ts';
import { type Principal, route } from '../../platform/http/route.ts';
import { findEarlierOutput } from '../../platform/http/writes.ts';
import { hasControl, type Mailbox } from '../../platform/mail/mailbox.ts';
import { SUBJECT_CHARS_MAX } from '../../platform/mail/thread.ts';
import type { PlatformServices } from '../../platform/services.ts';
import type { ErrorCode } from '../../rules/errors.ts';
import { findOwnInbox, type Inbox } from '../inboxes/sql.ts';
import { findOwnMessage, type MessageRow } from '../messages/sql.ts';
import { type Addressing, dedupeAddressing, readFields } from './addressing.ts';
import { entitleSending, isOutboundOn, requireSendingDomain } from './entitle.ts';
import { forwardOf } from './forward.ts';
import { type Asked, type Letter, queueEmail } from './queue.ts';
import { replyTo } from './reply.ts';
import { listRecipients, ownEmail } from './sql.ts';
import { emailView } from './view.ts';
import { OutboundEmailShape } from './wire.ts';
import type { WholeEmail } from './writes.ts';

const BODY_BYTES_MAX = 1024 * 1024;
/** Far more than an email may have. Bounds the work per request. */
const ENTRIES_MAX = 100;

/** In the document: what no mailbox is shorter or longer than. readFields decides. */
const mailboxBounds = { minLength: 3, maxLength: 1000, pattern: '@' };
const address = z.string('must be an address').meta(mailboxBounds);
const addresses = z
  .array(z.string('must be addresses').meta(mailboxBounds), 'must be an array of addresses')
  .max(ENTRIES_MAX, `must have at most ${ENTRIES_MAX} entries`);
const to = addresses
  .min(1, 'must have at least one address')
  .describe('`local@domain` or `Name <local@domain>`.');
const copies = addresses.nullish();

/** A header line. A line break is an error rather than removed. */
const subject = z
  .string('must be a string')
  .refine((text) => !hasControl(text), 'has control characters')
  .refine((text) => [...text].length <= SUBJECT_CHARS_MAX, `has more than ${SUBJECT_CHARS_MAX} characters`)
  // The ASCII ones only: generated clients apply a pattern to bytes, where others are parts of letters.
  .meta({ maxLength: SUBJECT_CHARS_MAX, pattern: '^[^\\x00-\\x1f\\x7f]*$' });

/** Line breaks and tabs are allowed; other control characters are not. */
const body = z
  .string('must be a string')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is refused.
  .regex(/^[^\x00-\x08\x0b\x0e-\x1f\x7f]*$/, 'has control characters')
  .nullish();

const bodies = { body_text: body, body_html: body };

function requireBody({
  body_text,
  body_html,
}: {
  body_text?: string | null;
  body_html?: string | null;
}): boolean {
  return Boolean(body_text || body_html);
}
const noBody = { path: ['body_text'], error: 'is required, or body_html' };

const NewEmail = z
  .strictObject({
    from_address: address.describe(
      'An address on one of your domains. The domain and its DKIM key must be verified.',
    ),
    to,
    cc: copies,
    bcc: copies,
    reply_to: address.nullish(),
    subject,
    ...bodies,
  })
  .refine(requireBody, noBody)
  .meta({ id: 'NewOutboundEmail' });

const NewReply = z
  .strictObject({ ...bodies, cc: copies, reply_all: z.boolean('must be true or false').optional() })
  .refine(requireBody, noBody)
  .meta({ id: 'NewReply' });

const NewForward = z.strictObject({ to, ...bodies }).meta({ id: 'NewForward' });

const NewComposed = z
  .strictObject({ to, subject, ...bodies, cc: copies })
  .refine(requireBody, noBody)
  .meta({ id: 'NewComposedEmail' });

const tag = 'Outbound email';

/** Common to all routes that send. */
const sending = {
  method: 'POST',
  tag,
  open: isOutboundOn,
  limits: ['outbound_sends_per_minute'],
  entitle: entitleSending,
  body_bytes_max: BODY_BYTES_MAX,
  creates: 'plain',
  gives: { 201: dataOf(OutboundEmailShape) },
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
    summary: 'Sends an email from an address on your domain',
    body: NewEmail,
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
          text: body.body_text ?? '',
          html: body.body_html ?? '',
        }),
      );
    },
  }),
  route({
    name: 'getOutboundEmail',
    method: 'GET',
    path: '/api/v1/outbound_emails/:id',
    summary: 'Returns an email and its delivery status',
    tag,
    open: isOutboundOn,
    entitle: entitleSending,
    gives: { 200: dataOf(OutboundEmailShape) },
    fails: ['outbound_disabled', 'outbound_entitlement_required'],
    run({ services, caller, params }) {
      const email = ownEmail(services.store, caller.account.no, params.id ?? '') ?? fail('not_found');
      return ok(emailView({ email, recipients: listRecipients(services.store, email.no) }));
    },
  }),
  route({
    ...sending,
    name: 'replyToMessage',
    path: '/api/v1/inboxes/:id/messages/:message_id/reply',
    summary: 'Replies to a message from the address of its inbox',
    body: NewReply,
    fails: [...sending.fails, 'reply_target_invalid'],
    async run({ body, params, ...asked }) {
      const { cc } = readFields({ cc: body.cc ?? [] });
      const earlier = findEarlierEmail(asked);
      if (earlier) return answerQueued(earlier);
      const { inbox, message } = findMessage(asked.services, asked.caller, params);
      const from = requireSender(asked.services, inbox);
      const answer = replyTo(inbox, message, {
        all: body.reply_all ?? false,
        cc,
        max: asked.services.settings.outbound_recipients_max,
      });
      return answerQueued(
        await queueEmail(asked, {
          ...answer,
          ...makeOrigin('reply', inbox, from),
          text: body.body_text ?? '',
          html: body.body_html ?? '',
        }),
      );
    },
  }),
  route({
    ...sending,
    name: 'forwardMessage',
    path: '/api/v1/inboxes/:id/messages/:message_id/forward',
    summary: 'Forwards a message, quoted and without attachments, from the address of its inbox',
    body: NewForward,
    async run({ body, params, ...asked }) {
      const recipients = readAddressing(asked.services, readFields({ to: body.to }));
      const earlier = findEarlierEmail(asked);
      if (earlier) return answerQueued(earlier);
      const { inbox, message } = findMessage(asked.services, asked.caller, params);
      const from = requireSender(asked.services, inbox);
      const note = { text: body.body_text ?? '', html: body.body_html ?? '' };
      return answerQueued(
        await queueEmail(asked, {
          ...(await forwardOf(asked.services, asked.caller.account.no, message, note)),
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
    summary: 'Sends an email from the address of an inbox',
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
          text: body.body_text ?? '',
          html: body.body_html ?? '',
          threading: null,
        }),
      );
    },
  }),
];

/** The email that the same request created earlier. Its message, inbox or domain may be gone since. */
function findEarlierEmail({ services, once, nowUs }: Asked): WholeEmail | null {
  return findEarlierOutput<WholeEmail>(services.store, once, nowUs)?.output ?? null;
}

function answerQueued(whole: WholeEmail): Answer {
  return created(emailView(whole), `/api/v1/outbound_emails/${whole.email.id}`);
}

function readAddressing(
  { settings }: PlatformServices,
  { to, cc = [], bcc = [] }: Partial<Addressing>,
): Addressing {
  return dedupeAddressing({ to: to ?? [], cc, bcc }, settings.outbound_recipients_max);
}

/** Finds the message that the path names. Every miss is the same 404. */
function findMessage(
  { store }: PlatformServices,
  { account }: Principal,
  params: Readonly<Record<string, string>>,
): { inbox: Inbox; message: MessageRow } {
  const inbox = findOwnInbox(store, account.no, params.id ?? '') ?? fail('not_found');
  const message = findOwnMessage(store, account.no, params.message_id ?? '');
  if (message?.inbox_id !== inbox.id) fail('not_found');
  return { inbox, message: message! };
}

/** The inbox as a sender. Inboxes on the shared domain can't send. */
function requireSender({ store }: PlatformServices, inbox: Inbox): Mailbox {
  const domain = inbox.address.slice(inbox.address.lastIndexOf('@') + 1);
  requireSendingDomain(store, inbox.account_no, inbox.address);
  return { name: '', email: inbox.address, domain };
}

function makeOrigin(kind: Letter['kind'], inbox: Inbox, from: Mailbox) {
  return { kind, inbox_id: inbox.id, from, reply_to: null };
}
