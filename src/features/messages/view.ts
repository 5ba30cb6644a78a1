import { z } from 'zod';
import { isoTime, isoTimeOrNull } from '../../platform/core/clock.ts';
import { verdictResults } from '../../platform/mail/authentication.ts';
import type { ParsedContent } from '../../platform/mail/parsed.ts';
import type { MessageRow, SummaryRow } from './sql.ts';

const time = z.iso.datetime();
const addresses = z.array(z.string());

const summaryFields = {
  id: z.string(),
  inbox_id: z.string(),
  from: z.string().describe('The decoded From header, `Name <addr>`.'),
  to: addresses,
  cc: addresses,
  subject: z.string(),
  received_at: time,
  status: z.enum(['parsed', 'failed']).describe('failed: only what the headers gave is filled.'),
  otp: z.string().nullable().describe('The one-time code; null when none was found.'),
  otp_confidence: z.number(),
  magic_link: z.string().nullable(),
  links: z.array(z.string()),
  has_html: z.boolean(),
  read: z.boolean(),
  read_at: time.nullable(),
  size: z.int().describe('Bytes as received.'),
};

export const MessageSummary = z
  .object({ ...summaryFields, attachment_count: z.int() })
  .meta({ id: 'MessageSummary' });

const result = z.enum(verdictResults);
const domain = z.string().nullable();
const reason = z.string().nullable().describe('A few words; partly what strangers publish.');

export const AuthenticationShape = z
  .object({
    spf: z.object({ result, domain, reason }).describe('RFC 7208: of the envelope sender, or of HELO.'),
    dkim: z
      .array(z.object({ result, domain, reason, selector: z.string().nullable(), aligned: z.boolean() }))
      .describe('RFC 6376: one for each signature that was looked at (10 at most); empty when not signed.'),
    dmarc: z
      .object({ result, domain, reason, policy: z.enum(['none', 'quarantine', 'reject']).nullable() })
      .describe('RFC 9989: of the From header.'),
  })
  .meta({ id: 'Authentication' });

export const Message = z
  .object({
    ...summaryFields,
    message_id: z.string().nullable().describe('The Message-ID header.'),
    reply_to: z.string().nullable(),
    sent_at: time.nullable().describe('The Date header.'),
    otp_context: z.string().nullable(),
    otp_candidates: z
      .array(z.object({ code: z.string(), confidence: z.number(), context: z.string() }))
      .describe('Best first.'),
    text: z.string(),
    html: z.string().describe('As sent, decoded, not sanitised: whoever shows it must.'),
    metadata: z.record(z.string(), z.unknown()).describe("The inbox's, as it was on arrival."),
    envelope_from: z.string().describe('Empty for the null reverse-path.'),
    envelope_recipient: z.string().describe('As given at RCPT.'),
    attachments: z.array(
      z.object({
        index: z.int(),
        filename: z.string().nullable(),
        content_type: z.string(),
        size: z.int(),
        content_id: z.string().nullable(),
        inline: z.boolean(),
      }),
    ),
    authentication: AuthenticationShape.nullable().describe(
      'Whether it is from whom it says; null until it is checked, soon after it is stored, and for mail from ' +
        'private networks.',
    ),
    truncated: z.boolean().describe('A bound of the parser cut something; the raw message is whole.'),
  })
  .meta({ id: 'Message' });

/** What an anonymous reader gets: exactly these fields (contract: Message). */
export const PublicMessage = z
  .object({
    from: summaryFields.from,
    to: addresses,
    cc: addresses,
    subject: z.string(),
    received_at: time,
    otp: summaryFields.otp,
    magic_link: summaryFields.magic_link,
  })
  .meta({ id: 'PublicMessage' });

export function summaryView(row: SummaryRow): z.output<typeof MessageSummary> {
  return { ...sharedFields(row), attachment_count: row.attachment_count };
}

export function messageView(row: MessageRow): z.output<typeof Message> {
  const content = contentOf(row.content);
  return {
    ...sharedFields(row),
    message_id: content.message_id,
    reply_to: content.reply_to,
    sent_at: content.sent_at,
    otp_context: content.otp_context,
    otp_candidates: content.otp_candidates,
    text: content.text,
    html: content.html,
    metadata: JSON.parse(row.metadata),
    envelope_from: row.envelope_from,
    envelope_recipient: row.envelope_recipient,
    attachments: content.attachments,
    authentication: row.authentication === null ? null : JSON.parse(row.authentication),
    truncated: content.truncated,
  };
}

export function publicView(row: SummaryRow): z.output<typeof PublicMessage> {
  const { from, to, cc, subject, received_at, otp, magic_link } = sharedFields(row);
  return { from, to, cc, subject, received_at, otp, magic_link };
}

/** What the parser found that stands in no column. */
export function contentOf(content: Uint8Array): ParsedContent {
  return JSON.parse(Bun.zstdDecompressSync(content as Uint8Array<ArrayBuffer>).toString());
}

function sharedFields(row: SummaryRow) {
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
  };
}
