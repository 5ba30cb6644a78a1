import type { Quotable } from '../../platform/mail/parsed.ts';
import { composeAttachedBodies, composeForwardBodies, type QuotedHead } from '../../platform/mail/quote.ts';
import { readContent, readContentJson } from '../../platform/mail/stored-mail.ts';
import { makeForwardSubject } from '../../platform/mail/thread.ts';
import type { MessageRow } from '../messages/sql.ts';
import { Attachments, type Reader } from './attachments.ts';
import type { GivenContents } from './bodies/wire.ts';
import type { Letter } from './queue.ts';

/** Stands in for the content of a mail that crashes the parser. */
const UNREADABLE: Quotable = { text: '[The message could not be quoted.]', html: '' };

/** A request to forward a message. */
export interface GivenForward extends GivenContents {
  include_attachments?: boolean | undefined;
  as_attachment?: boolean | undefined;
}

/** Composes a forwarded message, without sender and recipients. Fails with 422 or 413 about its attachments. */
export async function composeForward(
  reader: Reader,
  message: MessageRow,
  given: GivenForward,
): Promise<Pick<Letter, 'subject' | 'text' | 'html' | 'threading' | 'attachments' | 'note'>> {
  const note = { text: given.body_text ?? '', html: given.body_html ?? '' };
  const files = new Attachments(reader);
  await files.addGiven(given.attachments ?? []);
  const common = {
    subject: makeForwardSubject(message.subject),
    threading: null,
    attachments: files.read,
    note: note.text,
  };
  if (given.as_attachment) {
    await files.addMessage(message);
    return { ...composeAttachedBodies(note, makeQuotedHead(message)), ...common };
  }
  const pictures = given.include_attachments ?? false;
  const { services, caller } = reader;
  const quoted =
    (await services.mailReader.quotable(readContentJson(message), { pictures }, caller.account.no)) ??
    UNREADABLE;
  if (pictures) await files.addKept(message, readContent(message).attachments, quoted.html);
  return { ...composeForwardBodies(note, makeQuotedHead(message), quoted), ...common };
}

function makeQuotedHead(message: MessageRow): QuotedHead {
  return {
    from: message.from,
    to: JSON.parse(message.to),
    cc: JSON.parse(message.cc),
    subject: message.subject,
    // The form of RFC 5322, section 3.3, which mail programs show.
    date: new Date(message.received_at / 1000).toUTCString().replace('GMT', '+0000'),
  };
}
