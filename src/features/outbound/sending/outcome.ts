/** What a server's reply means for a recipient (docs/decisions.md, Outbound; RFC 5321, section 4.2.1; RFC 3463). */

import type { ServerReply } from '../../../platform/net/server-reply.ts';
import type { Handed } from '../../../platform/net/smtp-client.ts';
import type { Leased, LeasedRecipient } from './sql.ts';
import type { RecipientResult } from './writes.ts';

export type SendVerdict = Pick<RecipientResult, 'status' | 'response' | 'suppress'>;

/** Formats a reply for people: `550 5.1.1 no such user`, or why there is none. */
export function formatServerReply({ code, text }: ServerReply): string {
  return code === null ? text : `${code} ${text}`.trim();
}

/** Returns the verdict on a recipient, from the reply that settled it. */
export function judgeReply(reply: ServerReply, at: 'RCPT' | 'other'): SendVerdict {
  const response = formatServerReply(reply);
  const { code } = reply;
  if (code !== null && code >= 200 && code < 300) return { status: 'sent', response, suppress: null };
  const isForGood = code !== null && code >= 500 && code <= 599 && !isTlsDemand(reply);
  if (!isForGood) return { status: 'queued', response, suppress: null };
  return { status: 'bounced', response, suppress: at === 'RCPT' && isUserUnknown(reply) ? response : null };
}

/** Whether the mailbox does not exist: 5.1.x, except for codes about the sender (5.1.7, 5.1.8) or about us (5.1.9). */
function isUserUnknown({ text }: ServerReply): boolean {
  const status = /^5\.(\d{1,3})\.(\d{1,3})\b/.exec(text);
  if (status) return status[1] === '1' && !['7', '8', '9'].includes(status[2] ?? '');
  return UNKNOWN.test(text);
}

/** How servers without enhanced codes say that the mailbox does not exist. */
const UNKNOWN =
  /\b(user|mailbox|recipient|account|address)\b.{0,40}\b(unknown|not found|does not exist|doesn't exist|no such)\b|\b(unknown|no such)\b.{0,20}\b(user|mailbox|recipient|account|address)\b/i;

/** Whether the server asks for a pause: 421, or 4.7.x (policy; RFC 3463, section 3.8). */
export function isPauseRequest({ code, text }: ServerReply): boolean {
  return code === 421 || (code !== null && code >= 400 && code < 500 && /^4\.7\.\d/.test(text));
}

/**
 * Whether the server accepts no mail without TLS (RFC 3207, section 4). That refuses the connection, not the mail: TLS has
 * failed before, and may work next time. 530 also asks for AUTH (RFC 4954), so its words decide.
 */
export function isTlsDemand({ code, text }: ServerReply): boolean {
  return code === 530 && /\b(?:START)?TLS\b/i.test(text);
}

/** Returns each recipient's result after the handover. */
export function judgeRecipients({ recipients }: Leased, { replies, at }: Handed): RecipientResult[] {
  return recipients.map(({ no, email }) => {
    const reply = replies.get(email) ?? { code: null, text: 'the server did not reply for this recipient' };
    return { no, ...judgeReply(reply, at.get(email) ?? 'other') };
  });
}

/** Returns the same result for every recipient. */
export function repeatResult(
  recipients: readonly LeasedRecipient[],
  verdict: SendVerdict,
): RecipientResult[] {
  return recipients.map(({ no }) => ({ no, ...verdict }));
}
