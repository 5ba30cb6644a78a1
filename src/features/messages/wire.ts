/** A message on the wire: the schemas of the API's responses, and their types for the pages. */
import { z } from 'zod';
import { codeReasons, linkReasons } from '../../rules/extraction-reasons.ts';
import { withheldReasons } from '../../rules/senders.ts';
import { verdictResults } from '../../rules/verdicts.ts';

const time = z.iso.datetime();
const addresses = z.array(z.string());
const listReasons = (reasons: Record<string, string>) => Object.keys(reasons).join(', ');

const summaryFields = {
  id: z.string(),
  inbox_id: z.string(),
  from: z.string().describe('The decoded From header, `Name <addr>`.'),
  to: addresses,
  cc: addresses,
  subject: z.string(),
  received_at: time,
  status: z.enum(['parsed', 'failed']).describe('failed: only fields that come from the headers are set.'),
  otp: z.string().nullable().describe('The one-time code; null when none was found.'),
  otp_confidence: z.number(),
  magic_link: z.string().nullable(),
  links: z.array(z.string()),
  has_html: z.boolean(),
  read: z.boolean(),
  read_at: time.nullable(),
  size: z.int().describe('Bytes as received.'),
  envelope_recipient: z.string().describe('As given at RCPT, with its +tag.'),
  tags: z.array(z.string()).describe('Set by PUT /messages/{id}/tags, or on arrival by the X-Tags header.'),
  thread_id: z
    .string()
    .describe(
      'The conversation (GET /threads/{id}). Of two threads that turn out to be one, the older id stays.',
    ),
};

export const MessageSummary = z
  .object({ ...summaryFields, attachment_count: z.int() })
  .meta({ id: 'MessageSummary' });

/** A message that is kept but not handed on, in its own list. */
export const WithheldMessage = z
  .object({
    ...summaryFields,
    attachment_count: z.int(),
    withheld: z.enum(withheldReasons).describe('Why (GET /inboxes/{id}/senders).'),
  })
  .meta({ id: 'WithheldMessage' });

export type WithheldMessageView = z.output<typeof WithheldMessage>;

export type MessageSummaryView = z.output<typeof MessageSummary>;

const result = z.enum(verdictResults);
const domain = z.string().nullable();
const reason = z.string().nullable().describe('A few words, in part text that strangers publish.');

const spf = z.object({ result, domain, reason }).meta({ id: 'SpfVerdict' });
const dkim = z
  .object({ result, domain, reason, selector: z.string().nullable(), aligned: z.boolean() })
  .meta({ id: 'DkimVerdict' });
const dmarc = z
  .object({ result, domain, reason, policy: z.enum(['none', 'quarantine', 'reject']).nullable() })
  .meta({ id: 'DmarcVerdict' });

export const AuthenticationShape = z
  .object({
    spf: spf.describe('RFC 7208: of the envelope sender, or of HELO.'),
    dkim: z
      .array(dkim)
      .describe('RFC 6376: one for each signature that was checked (10 at most); empty when not signed.'),
    dmarc: dmarc.describe('RFC 9989: of the From header.'),
    from: z
      .object({ domain: z.string().nullable(), aligned: z.boolean() })
      .meta({ id: 'FromVerdict' })
      .describe(
        'Whether the From header tells the truth about its domain: DMARC passes, or the domain publishes no DMARC and ' +
          'SPF or a signature passes for exactly this domain.',
      ),
  })
  .meta({ id: 'Authentication' });

/** What to do with a message, in the OpenAPI document. */
export const messageLinks = {
  getMessage: { id: 'id' },
  getRawMessage: { id: 'id' },
  markMessage: { id: 'id' },
  setMessageTags: { id: 'id' },
  checkMessage: { id: 'id' },
  getAttachment: { id: 'id', index: 'attachments/0/index' },
  replyToMessage: { id: 'inbox_id', message_id: 'id' },
  forwardMessage: { id: 'inbox_id', message_id: 'id' },
  deleteMessage: { id: 'id' },
};

/** The same for the first message of a page. */
export const summaryLinks = { getMessage: { id: '0/id' }, deleteMessage: { id: '0/id' } };

const otpCandidate = z
  .object({ code: z.string(), confidence: z.number(), context: z.string() })
  .meta({ id: 'OtpCandidate' });

const attachment = z
  .object({
    index: z.int(),
    filename: z.string().nullable(),
    content_type: z.string(),
    size: z.int(),
    content_id: z.string().nullable(),
    inline: z.boolean(),
  })
  .meta({ id: 'Attachment' });

export const Message = z
  .object({
    ...summaryFields,
    message_id: z.string().nullable().describe('The Message-ID header.'),
    in_reply_to: z.string().nullable().describe('The Message-ID in the In-Reply-To header.'),
    references: z
      .array(z.string())
      .describe(
        'The Message-IDs in the References header, oldest first; of many, the first and the last ones.',
      ),
    reply_to: z.string().nullable(),
    sent_at: time.nullable().describe('The Date header.'),
    otp_context: z.string().nullable(),
    otp_candidates: z.array(otpCandidate).describe('Best first.'),
    otp_reason: z
      .string()
      .nullable()
      .describe(`Why this code: up to three of ${listReasons(codeReasons)}.`),
    magic_link_reason: z
      .string()
      .nullable()
      .describe(`Why this link: up to three of ${listReasons(linkReasons)}.`),
    text: z.string(),
    reply_text: z
      .string()
      .describe('The text without the mail that it quotes; of a mail that is no reply, the text.'),
    html: z.string().describe('As sent, decoded, not sanitised: sanitise it before you show it.'),
    metadata: z.record(z.string(), z.unknown()).describe("The inbox's metadata on arrival."),
    envelope_from: z.string().describe('Empty for the null reverse-path.'),
    smtp_user: z.string().nullable().describe('The user name of SMTP AUTH, which opens a trap.'),
    attachments: z.array(attachment),
    authentication: AuthenticationShape.nullable().describe(
      'Whether the sender is genuine; null until checked, soon after the message is stored, and for mail from ' +
        'private networks.',
    ),
    withheld: z
      .enum(withheldReasons)
      .nullable()
      .describe(
        "Why the inbox's lists of senders keep it from being handed on; null of every message that is handed on, and so " +
          'of all that lists, waits, streams and webhooks have.',
      ),
    truncated: z.boolean().describe('The parser hit a bound and cut something; the raw message is complete.'),
  })
  .meta({ id: 'Message' });

export type MessageView = z.output<typeof Message>;

/** What an anonymous reader gets: exactly these fields (docs/api-v1.md, Message). */
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

export type PublicMessageView = z.output<typeof PublicMessage>;
