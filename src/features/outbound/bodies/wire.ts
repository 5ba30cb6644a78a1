/** The bodies of requests that send. */
import { z } from 'zod';
import { fail, failField } from '../../../platform/core/failure.ts';
import { findContentTypeFault } from '../../../platform/mail/attachment-type.ts';
import { hasControl } from '../../../platform/mail/mailbox.ts';
import { SUBJECT_CHARS_MAX } from '../../../platform/mail/thread.ts';
import { outbound as rules } from '../../../rules/outbound.ts';

/** The largest body, without the content of its attachments. */
export const REST_BYTES_MAX = 1024 * 1024;
/** The largest attachments as base64, with a line break after every 76 characters, and the rest of the body. */
export const BODY_STRINGS_BYTES_MAX =
  Math.ceil((rules.attachmentsBytesMax * 4 * 78) / (3 * 76)) + REST_BYTES_MAX;
/** Far more addresses than an email may have. Bounds the work per request. */
const ENTRIES_MAX = 100;

/** For the OpenAPI document: every mailbox is within these bounds. The real check is readFields. */
const mailboxBounds = { minLength: 3, maxLength: 1000, pattern: '@' };
const address = z.string('must be an address').meta(mailboxBounds);
const addresses = z
  .array(z.string('must be addresses').meta(mailboxBounds), 'must be an array of addresses')
  .max(ENTRIES_MAX, `must have at most ${ENTRIES_MAX} entries`);
const to = addresses
  .min(1, 'must have at least one address')
  .describe('`local@domain` or `Name <local@domain>`.');
const copies = addresses.nullish();

/** A text that becomes part of a header, so a line break is refused instead of removed. */
const inHeader = z.string('must be a string').refine((text) => !hasControl(text), 'has control characters');
/** Only ASCII control characters: generated clients apply a pattern to bytes, where the others are parts of letters. */
const inHeaderPattern = '^[^\\x00-\\x1f\\x7f]*$';

const subject = inHeader
  .refine((text) => [...text].length <= SUBJECT_CHARS_MAX, `has more than ${SUBJECT_CHARS_MAX} characters`)
  .meta({ maxLength: SUBJECT_CHARS_MAX, pattern: inHeaderPattern });

/** Line breaks and tabs are allowed; other control characters are not. */
const body = z
  .string('must be a string')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is refused.
  .regex(/^[^\x00-\x08\x0b\x0e-\x1f\x7f]*$/, 'has control characters')
  .nullish();

const attachment = z
  .strictObject(
    {
      filename: inHeader
        .min(1, 'must not be empty')
        .max(1000, 'has more than 1000 characters')
        .describe('Required with `content`. Folders are removed.')
        .meta({ pattern: inHeaderPattern })
        .optional(),
      content_type: z
        .string('must be a string')
        .refine((text) => findContentTypeFault(text) === null, 'must be a media type, like application/pdf')
        .describe('By default derived from `filename`, or that of the received attachment.')
        .meta({ pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+/[!#$%&'*+.^_`|~0-9A-Za-z-]+(;.*)?$" })
        .optional(),
      content: z.string('must be base64').describe('Base64 (RFC 4648), with padding.').optional(),
      message_id: z
        .string('must be the id of a message')
        .describe('Instead of `content`: the id of a received message, whose attachment `index` is sent.')
        .optional(),
      index: z.int('must be an integer').min(0, 'must be at least 0').optional(),
    },
    'must be an object',
  )
  .meta({ id: 'NewAttachment' });

export type AttachmentEntry = z.output<typeof attachment>;

const attachments = z
  .array(attachment, 'must be an array')
  .max(rules.attachmentsMax, `must have at most ${rules.attachmentsMax} entries`)
  .nullish();

const contents = { body_text: body, body_html: body, attachments };

/** The content of an email in a request that sends. */
export interface GivenContents {
  body_text?: string | null | undefined;
  body_html?: string | null | undefined;
  attachments?: readonly AttachmentEntry[] | null | undefined;
}

const hasBody = ({ body_text, body_html }: GivenContents) => Boolean(body_text || body_html);
const noBody = { path: ['body_text'], error: 'is required, or body_html' };

export const NewOutboundEmail = z
  .strictObject({
    from_address: address.describe(
      'An address on one of your domains. The domain and its DKIM key must be verified.',
    ),
    to,
    cc: copies,
    bcc: copies,
    reply_to: address.nullish(),
    subject,
    ...contents,
  })
  .refine(hasBody, noBody)
  .meta({ id: 'NewOutboundEmail' });

export const NewReply = z
  .strictObject({ ...contents, cc: copies, reply_all: z.boolean('must be true or false').optional() })
  .refine(hasBody, noBody)
  .meta({ id: 'NewReply' });

export const NewForward = z
  .strictObject({
    to,
    ...contents,
    include_attachments: z
      .boolean('must be true or false')
      .describe('Keeps the attachments of the message, and the pictures within its HTML.')
      .optional(),
    as_attachment: z
      .boolean('must be true or false')
      .describe('Attaches the whole message as it was received (message/rfc822) instead of quoting it.')
      .optional(),
  })
  .refine((given) => !(given.include_attachments && given.as_attachment), {
    path: ['as_attachment'],
    error: 'has the attachments already; leave out include_attachments',
  })
  .meta({ id: 'NewForward' });

export const NewComposed = z
  .strictObject({ to, subject, ...contents, cc: copies })
  .refine(hasBody, noBody)
  .meta({ id: 'NewComposedEmail' });

/**
 * Refuses a body that is large without the content of its attachments, before its fields are read. `given` is JSON of
 * any shape.
 */
export function refuseLargeBody(given: unknown): void {
  if (typeof given !== 'object' || given === null) return;
  const { attachments: listed, ...rest } = given as { attachments?: unknown };
  const entries = Array.isArray(listed) ? listed : [listed];
  if (entries.length > rules.attachmentsMax)
    failField('attachments', `must have at most ${rules.attachmentsMax} entries`);
  const others = entries.map((entry) => {
    if (typeof entry !== 'object' || entry === null) return entry;
    const { content, ...other } = entry as { content?: unknown };
    return typeof content === 'string' ? other : entry;
  });
  if (Buffer.byteLength(JSON.stringify([rest, others])) > REST_BYTES_MAX)
    fail('payload_too_large', {
      fields: { body: [`has more than ${REST_BYTES_MAX} bytes without the content of attachments`] },
    });
}
