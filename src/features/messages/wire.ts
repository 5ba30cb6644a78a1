/** Messages on the wire: the schemas of the API's responses, and their types for the pages. */
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
  status: z
    .enum(['parsed', 'failed'])
    .describe('`failed`: the mail could not be parsed, and at most the fields from its headers are set.'),
  otp: z.string().nullable().describe('The one-time code; null when none was found.'),
  otp_confidence: z.number(),
  magic_link: z.string().nullable(),
  links: z.array(z.string()),
  has_html: z.boolean(),
  read: z.boolean(),
  read_at: time.nullable(),
  size: z.int().describe('The size in bytes, as received.'),
  envelope_recipient: z.string().describe('The recipient as the RCPT command named it, with its +tag.'),
  tags: z.array(z.string()).describe('Set by PUT /messages/{id}/tags, or on arrival by the X-Tags header.'),
  thread_id: z
    .string()
    .describe(
      'The thread that it belongs to (GET /threads/{id}). When two threads are merged, the older id stays.',
    ),
};

export const MessageSummary = z
  .object({ ...summaryFields, attachment_count: z.int() })
  .meta({ id: 'MessageSummary' });

/** A message in the list of withheld messages. */
export const WithheldMessage = z
  .object({
    ...summaryFields,
    attachment_count: z.int(),
    withheld: z.enum(withheldReasons).describe('Why it is withheld (GET /inboxes/{id}/senders).'),
  })
  .meta({ id: 'WithheldMessage' });

export type WithheldMessageView = z.output<typeof WithheldMessage>;

export type MessageSummaryView = z.output<typeof MessageSummary>;

const result = z.enum(verdictResults);
const domain = z.string().nullable();
const reason = z.string().nullable().describe('A few words; they may quote text that strangers publish.');

const spf = z.object({ result, domain, reason }).meta({ id: 'SpfVerdict' });
const dkim = z
  .object({ result, domain, reason, selector: z.string().nullable(), aligned: z.boolean() })
  .meta({ id: 'DkimVerdict' });
const dmarc = z
  .object({ result, domain, reason, policy: z.enum(['none', 'quarantine', 'reject']).nullable() })
  .meta({ id: 'DmarcVerdict' });

export const AuthenticationShape = z
  .object({
    spf: spf.describe('SPF (RFC 7208) of the envelope sender, or of HELO.'),
    dkim: z
      .array(dkim)
      .describe('DKIM (RFC 6376), one verdict for each signature checked (at most 10); empty if unsigned.'),
    dmarc: dmarc.describe('DMARC (RFC 9989) of the From header.'),
    from: z
      .object({ domain: z.string().nullable(), aligned: z.boolean() })
      .meta({ id: 'FromVerdict' })
      .describe(
        'Whether the domain in the From header is authentic: DMARC passes, or the domain publishes no DMARC policy and ' +
          'SPF or a DKIM signature passes for exactly this domain.',
      ),
  })
  .meta({ id: 'Authentication' });

/** The operations to which the OpenAPI document links a message. */
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

/** The operations to which it links the first message of a page. */
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
        'The Message-IDs in the References header, oldest first. Of very many, only the first and the last ones.',
      ),
    reply_to: z.string().nullable(),
    sent_at: time.nullable().describe('The Date header.'),
    otp_context: z.string().nullable(),
    otp_candidates: z.array(otpCandidate).describe('Best first.'),
    otp_reason: z
      .string()
      .nullable()
      .describe(`Why this code was chosen: up to three of ${listReasons(codeReasons)}.`),
    magic_link_reason: z
      .string()
      .nullable()
      .describe(`Why this link was chosen: up to three of ${listReasons(linkReasons)}.`),
    text: z.string(),
    reply_text: z
      .string()
      .describe('The text without the mail that it quotes. If the mail is not a reply, the same as `text`.'),
    html: z.string().describe('Decoded, but not sanitised: sanitise it before you show it.'),
    metadata: z.record(z.string(), z.unknown()).describe("The inbox's metadata when the message arrived."),
    envelope_from: z.string().describe('Empty for the null reverse-path.'),
    smtp_user: z.string().nullable().describe('The user name of SMTP AUTH, in a trap; null without it.'),
    attachments: z.array(attachment),
    authentication: AuthenticationShape.nullable().describe(
      'Whether the sender is genuine. Null until that is checked, soon after the message is stored, and for mail that ' +
        'is not checked, such as mail from private networks.',
    ),
    withheld: z
      .enum(withheldReasons)
      .nullable()
      .describe(
        "Why the inbox's sender lists withhold the message; null if they don't. Lists, waits, streams and webhooks have " +
          'only messages that are not withheld.',
      ),
    truncated: z
      .boolean()
      .describe('Whether the parser reached a limit and left something out. The raw message is complete.'),
  })
  .meta({ id: 'Message' });

export type MessageView = z.output<typeof Message>;

/** A message for an anonymous reader: exactly these fields (docs/api-v1.md, Message). */
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
