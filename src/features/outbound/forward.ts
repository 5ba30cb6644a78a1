import type { Quotable } from '../../platform/mail/parsed.ts';
import { forwardBodies, type Note } from '../../platform/mail/quote.ts';
import { readContentJson } from '../../platform/mail/stored-mail.ts';
import { forwardSubject } from '../../platform/mail/thread.ts';
import type { PlatformServices } from '../../platform/services.ts';
import type { MessageRow } from '../messages/sql.ts';
import type { Letter } from './queue.ts';

/** Replaces the content of a mail that crashes its parser. */
const UNREADABLE: Quotable = { text: '[The message could not be quoted.]', html: '' };

/** The forwarded message, without sender and recipients. */
export async function forwardOf(
  { mailReader }: PlatformServices,
  accountNo: number,
  message: MessageRow,
  note: Note,
): Promise<Pick<Letter, 'subject' | 'text' | 'html' | 'threading' | 'note'>> {
  const quoted = (await mailReader.quotable(readContentJson(message), accountNo)) ?? UNREADABLE;
  const head = {
    from: message.from,
    to: JSON.parse(message.to),
    cc: JSON.parse(message.cc),
    subject: message.subject,
    // The RFC 5322 3.3 form, which mail programs show.
    date: new Date(message.received_at / 1000).toUTCString().replace('GMT', '+0000'),
  };
  return {
    ...forwardBodies(note, head, quoted),
    subject: forwardSubject(message.subject),
    threading: null,
    note: note.text,
  };
}
