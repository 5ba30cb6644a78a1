import { randomBytes } from 'node:crypto';
import { newId } from '../../platform/core/id.ts';
import { compose, type DraftAttachment } from '../../platform/mail/compose.ts';
import { formatMailbox, type Mailbox } from '../../platform/mail/mailbox.ts';
import { placeByIds } from '../../platform/mail/message-ids.ts';
import { readReplyText } from '../../platform/mail/reply/reply-text.ts';
import type { Threading } from '../../platform/mail/thread.ts';
import type { PlatformServices } from '../../platform/services.ts';
import type { MemberRole, Plan } from '../../rules/plans.ts';
import type { Account } from '../accounts/account.ts';
import { type Addressing, listNewRecipients } from './addressing.ts';
import { dropMime, MIME_PIECE_BYTES, storeMime } from './mime/store.ts';
import type { StoredMime } from './mime/writes.ts';
import type { OutboundKind } from './sql.ts';
import { type NewEmail, type Queueing, queueEmailOp, type SendingCaps, type WholeEmail } from './writes.ts';

/** The parts of a request that sending needs. */
export interface SendRequest {
  services: PlatformServices;
  caller: { account: Pick<Account, 'no' | 'plan'>; role: MemberRole };
  nowUs: number;
  once: Queueing['once'];
}

/** An email to send. Its sender and its number of recipients have been checked. */
export interface Letter extends Addressing {
  kind: OutboundKind;
  inbox_id: string | null;
  from: Mailbox;
  reply_to: Mailbox | null;
  subject: string;
  text: string;
  html: string;
  threading: Threading | null;
  /** The id of the message that it replies to. */
  answers?: string;
  /** The text above a mail that it forwards. */
  note?: string;
  attachments: readonly DraftAttachment[];
}

/** How much of a sent text is kept for its conversation. The email's own bytes are deleted once it is sent. */
const OWN_TEXT_CHARS_MAX = 64 * 1024;

const readOwnText = (text: string) =>
  readReplyText({ text: text.slice(0, OWN_TEXT_CHARS_MAX).toWellFormed(), html: '' });

/** Composes and queues an email. Its bytes never change from here on. Throws what queueEmailOp throws. */
export async function queueEmail(
  { services, caller, nowUs, once }: SendRequest,
  letter: Letter,
): Promise<WholeEmail> {
  const { account } = caller;
  const { from } = letter;
  const messageId = `<${randomBytes(16).toString('hex')}@${from.domain}>`;
  const draft = { ...letter, message_id: messageId, nowUs };
  const stored = await storeMime(services, compose(draft, MIME_PIECE_BYTES));
  const email = describeEmail(account, letter, messageId, stored);
  const { outbound_hold_hours } = services.settings;
  const whole = await services.store
    .write(queueEmailOp, {
      email,
      caps: readSendingCaps(services, account.plan),
      holdForS: caller.role === 'owner' ? null : outbound_hold_hours * 3600,
      once,
    })
    .catch(async (fault: unknown) => {
      await dropMime(services, stored);
      throw fault;
    });
  // The client sent the same request twice at once, and the other one has queued the email.
  if (whole.email.id !== email.id) await dropMime(services, stored);
  if (whole.email.status !== 'held') announceQueued(services, whole);
  return whole;
}

export function readSendingCaps({ plans }: Pick<PlatformServices, 'plans'>, plan: Plan): SendingCaps {
  const caps = plans[plan];
  return {
    queued: caps.outbound_queued,
    perHour: caps.outbound_recipients_per_hour,
    perDay: caps.outbound_recipients_per_day,
  };
}

export function announceQueued(
  { queued }: Pick<PlatformServices, 'queued'>,
  { email, recipients }: WholeEmail,
): void {
  queued.announce({
    outbound_no: email.no,
    account_no: email.account_no,
    domains: [...new Set(recipients.map(({ domain }) => domain))],
  });
}

function describeEmail(
  account: Pick<Account, 'no'>,
  letter: Letter,
  messageId: string,
  stored: StoredMime,
): NewEmail {
  const { from } = letter;
  const show = (list: readonly Mailbox[]) => JSON.stringify(list.map(formatMailbox));
  const { in_reply_to = null, references = [] } = letter.threading ?? {};
  return {
    id: newId('outbound_email'),
    account_no: account.no,
    inbox_id: letter.inbox_id,
    kind: letter.kind,
    from_domain: from.domain,
    sender: from.email,
    from_address: formatMailbox(from),
    to: show(letter.to),
    cc: show(letter.cc),
    bcc: show(letter.bcc),
    reply_to: letter.reply_to && formatMailbox(letter.reply_to),
    subject: letter.subject,
    message_id: messageId,
    in_reply_to,
    references: JSON.stringify(references),
    answers: letter.answers ?? null,
    placing: placeByIds(messageId, in_reply_to === null ? [] : [in_reply_to], references),
    reply_text: letter.text === '' ? null : readOwnText(letter.note ?? letter.text),
    recipients: listNewRecipients(letter),
    attachments: letter.attachments.map(({ filename, content_type, bytes }) => ({
      filename,
      content_type,
      size: bytes.length,
    })),
    stored,
  };
}
