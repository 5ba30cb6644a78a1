import { z } from 'zod';
import { outboundKinds, outboundStatuses } from '../../rules/outbound.ts';

const status = z.enum(outboundStatuses);
const addresses = z.array(z.string());

const recipient = z
  .object({
    email: z.string(),
    status,
    response: z.string().nullable().describe("The remote server's last reply."),
  })
  .meta({ id: 'OutboundRecipient' });

const attachment = z
  .object({ filename: z.string(), content_type: z.string(), size: z.int().describe('Decoded bytes.') })
  .meta({ id: 'OutboundAttachment' });

/** An email sent by an account (docs/decisions.md, Objects). */
export const OutboundEmailShape = z
  .object({
    id: z.string(),
    inbox_id: z.string().nullable().describe('Null if it was not sent from an inbox.'),
    from_address: z.string(),
    to: addresses,
    cc: addresses,
    bcc: addresses,
    reply_to: z.string().nullable(),
    subject: z.string(),
    status: status.describe('The status of the worst recipient.'),
    held: z
      .object({ until: z.iso.datetime(), by: z.string().nullable() })
      .meta({ id: 'OutboundHeld' })
      .nullable()
      .describe(
        'Only while it is held. `until`: when it is rejected if no owner has decided. `by`: who asked for it (the start ' +
          'of a key, or an email address).',
      ),
    recipients: z.array(recipient),
    attempts: z.int(),
    last_error: z.string().nullable(),
    message_id: z.string().describe('The Message-ID header.'),
    in_reply_to: z.string().nullable().describe('The Message-ID of the message that it replies to.'),
    references: z.array(z.string()).describe('The Message-IDs of the conversation, oldest first.'),
    thread_id: z.string().describe('The conversation (GET /threads/{id}).'),
    reply_text: z
      .string()
      .nullable()
      .describe('The text without what it quotes, at most 64 KiB; null if there is no text.'),
    attachments: z.array(attachment),
    kind: z.enum(outboundKinds),
    created_at: z.iso.datetime(),
    sent_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'OutboundEmail' });

export type EmailView = z.output<typeof OutboundEmailShape>;

export const ApprovedRecipientShape = z
  .object({ id: z.string(), email: z.string(), created_at: z.iso.datetime() })
  .meta({ id: 'ApprovedRecipient' });

export type ApprovedView = z.output<typeof ApprovedRecipientShape>;

export interface SuppressionView {
  email: string;
  /** The reply that refused the address. */
  reason: string;
  created_at: string;
  expires_at: string;
}
