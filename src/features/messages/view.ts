import { isoTime, isoTimeOrNull } from '../../platform/core/clock.ts';
import { type Authentication, readFromVerdict } from '../../platform/mail/authentication.ts';
import { readContent } from '../../platform/mail/stored-mail.ts';
import { type MessageRow, type SummaryRow, toSummaryRow } from './sql.ts';
import { makeThreadId } from './threads/sql.ts';
import type { MessageSummaryView, MessageView, PublicMessageView, WithheldMessageView } from './wire.ts';
import type { WithheldRow } from './withheld/sql.ts';

export function viewSummary(row: SummaryRow): MessageSummaryView {
  return { ...viewSharedFields(row), attachment_count: row.attachment_count };
}

export function viewWithheld(row: WithheldRow): WithheldMessageView {
  return { ...viewSummary(toSummaryRow(row)), withheld: row.reason };
}

export function viewMessage(row: MessageRow): MessageView {
  const content = readContent(row);
  return {
    ...viewSharedFields(row),
    message_id: content.message_id,
    in_reply_to: content.in_reply_to ?? null,
    references: content.references ?? [],
    reply_to: content.reply_to,
    sent_at: content.sent_at,
    otp_context: content.otp_context,
    otp_candidates: content.otp_candidates,
    otp_reason: content.otp_reason ?? null,
    magic_link_reason: content.magic_link_reason ?? null,
    text: content.text,
    reply_text: content.reply_text ?? content.text,
    html: content.html,
    metadata: JSON.parse(row.metadata),
    envelope_from: row.envelope_from,
    smtp_user: row.smtp_user,
    attachments: content.attachments,
    authentication: viewAuthentication(row),
    withheld: row.withheld ?? null,
    truncated: content.truncated,
  };
}

function viewAuthentication({ authentication }: MessageRow): MessageView['authentication'] {
  if (authentication === null) return null;
  const verdicts = JSON.parse(authentication) as Authentication;
  return { ...verdicts, from: readFromVerdict(verdicts) };
}

export function viewPublic(row: SummaryRow): PublicMessageView {
  const { from, to, cc, subject, received_at, otp, magic_link } = viewSharedFields(row);
  return { from, to, cc, subject, received_at, otp, magic_link };
}

/** Returns the tags in the order in which they were set. */
export function listTags({ tags }: Pick<SummaryRow, 'tags'>): string[] {
  return tags === null ? [] : JSON.parse(tags);
}

function viewSharedFields(row: SummaryRow) {
  return {
    id: row.id,
    inbox_id: row.inbox_id,
    from: row.from,
    to: JSON.parse(row.to) as string[],
    cc: JSON.parse(row.cc) as string[],
    subject: row.subject,
    received_at: isoTime(row.received_at),
    status: row.status,
    otp: row.otp,
    otp_confidence: row.otp_confidence,
    magic_link: row.magic_link,
    links: JSON.parse(row.links) as string[],
    has_html: row.has_html === 1,
    read: row.read_at !== null,
    read_at: isoTimeOrNull(row.read_at),
    size: row.size,
    envelope_recipient: row.envelope_recipient,
    tags: listTags(row),
    thread_id: row.thread_id ?? makeThreadId(row.id),
  };
}
