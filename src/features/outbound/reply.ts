import type { Mailbox } from '../../platform/mail/mailbox.ts';
import { readContent } from '../../platform/mail/stored-mail.ts';
import { makeReplySubject, makeThreading } from '../../platform/mail/thread.ts';
import type { Inbox } from '../inboxes/sql.ts';
import type { MessageRow } from '../messages/sql.ts';
import { dedupeAddressing } from './addressing.ts';
import type { Letter } from './queue.ts';
import { readReplyRecipients } from './reply-recipients.ts';

/** Composes a reply without sender and content. Fails with reply_target_invalid or validation_error. */
export function composeReply(
  inbox: Inbox,
  message: MessageRow,
  { all, cc, max }: { all: boolean; cc: readonly Mailbox[]; max: number },
): Pick<Letter, 'to' | 'cc' | 'bcc' | 'subject' | 'threading' | 'answers'> {
  const content = readContent(message);
  const original = { from: message.from, to: JSON.parse(message.to), cc: JSON.parse(message.cc), content };
  // A catch-all inbox may have received it under another address, which counts as its own too.
  const self = [inbox.address, message.envelope_recipient];
  return {
    ...dedupeAddressing(readReplyRecipients(original, self, { all, cc }), max),
    subject: makeReplySubject(message.subject),
    answers: message.id,
    threading: makeThreading(content.message_id, content.references ?? []),
  };
}
