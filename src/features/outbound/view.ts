import { z } from 'zod';
import { isoTime, isoTimeOrNull } from '../../platform/core/clock.ts';
import type { WholeEmail } from './writes.ts';

const status = z.enum(['queued', 'sending', 'sent', 'failed', 'rejected', 'bounced']);
const addresses = z.array(z.string());

/** An email that the account sends (decisions.md, Objects). */
export const OutboundEmailShape = z
  .object({
    id: z.string(),
    inbox_id: z.string().nullable().describe('Null when it was not sent from an inbox.'),
    from_address: z.string(),
    to: addresses,
    cc: addresses,
    bcc: addresses,
    reply_to: z.string().nullable(),
    subject: z.string(),
    status: status.describe('That of the worst recipient.'),
    recipients: z.array(
      z.object({
        email: z.string(),
        status,
        response: z.string().nullable().describe('What the far end said last.'),
      }),
    ),
    attempts: z.int(),
    last_error: z.string().nullable(),
    message_id: z.string().describe('The Message-ID header.'),
    kind: z.enum(['send', 'reply', 'forward', 'compose']),
    created_at: z.iso.datetime(),
    sent_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'OutboundEmail' });

export function emailView({ email, recipients }: WholeEmail): z.output<typeof OutboundEmailShape> {
  return {
    id: email.id,
    inbox_id: email.inbox_id,
    from_address: email.from_address,
    to: JSON.parse(email.to),
    cc: JSON.parse(email.cc),
    bcc: JSON.parse(email.bcc),
    reply_to: email.reply_to,
    subject: email.subject,
    status: email.status,
    recipients: recipients.map((each) => ({
      email: each.email,
      status: each.status,
      response: each.response,
    })),
    attempts: email.attempts,
    last_error: email.last_error,
    message_id: email.message_id,
    kind: email.kind,
    created_at: isoTime(email.created_at),
    sent_at: isoTimeOrNull(email.sent_at),
  };
}
