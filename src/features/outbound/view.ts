import { isoTime, isoTimeOrNull } from '../../platform/core/clock.ts';
import type { Reading } from '../../platform/store/operation.ts';
import { makeThreadId } from '../messages/threads/sql.ts';
import { listRecipients, type OutboundEmail } from './sql.ts';
import type { EmailView } from './wire.ts';
import type { WholeEmail } from './writes.ts';

/** Returns an email as the API shows it, with its recipients from the store. */
export function readEmailView(reading: Reading, email: OutboundEmail): EmailView {
  return viewEmail({ email, recipients: listRecipients(reading, email.no) });
}

export function viewEmail({ email, recipients }: WholeEmail): EmailView {
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
    held: email.status === 'held' ? { until: isoTime(email.expires_at), by: email.held_by } : null,
    recipients: recipients.map((each) => ({
      email: each.email,
      status: each.status,
      response: each.response,
    })),
    attempts: email.attempts,
    last_error: email.last_error,
    message_id: email.message_id,
    // A result stored for an Idempotency-Key may be from before schema 18, without these fields.
    in_reply_to: email.in_reply_to ?? null,
    references: JSON.parse(email.references ?? '[]'),
    thread_id: email.thread_id ?? makeThreadId(email.id),
    reply_text: email.reply_text ?? null,
    // Older versions stored the result for an Idempotency-Key without attachments.
    attachments: JSON.parse(email.attachments ?? '[]'),
    kind: email.kind,
    created_at: isoTime(email.created_at),
    sent_at: isoTimeOrNull(email.sent_at),
  };
}
