import type { Quotable } from '../../platform/mail/parsed.ts';
import { forwardBodies, type Note } from '../../platform/mail/quote.ts';
import { forwardSubject } from '../../platform/mail/thread.ts';
import type { PlatformServices } from '../../platform/services.ts';
import type { MessageRow } from '../messages/sql.ts';
import type { Letter } from './queue.ts';

/** Stands for a mail that holds whatever tries to read it. */
const UNREADABLE: Quotable = { text: '[The message could not be quoted.]', html: '' };

/** A message as it is forwarded, without who sends it and to whom. */
export async function forwardOf(
  { mailReader }: PlatformServices,
  accountNo: number,
  message: MessageRow,
  note: Note,
): Promise<Pick<Letter, 'subject' | 'text' | 'html' | 'threading'>> {
  const quoted = (await mailReader.quotable(message.content, accountNo)) ?? UNREADABLE;
  const head = {
    from: message.from,
    to: JSON.parse(message.to),
    cc: JSON.parse(message.cc),
    subject: message.subject,
    // RFC 5322 3.3, as mail programs show it.
    date: new Date(message.received_at / 1000).toUTCString().replace('GMT', '+0000'),
  };
  return { ...forwardBodies(note, head, quoted), subject: forwardSubject(message.subject), threading: null };
}
