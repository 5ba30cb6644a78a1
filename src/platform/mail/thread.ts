/** The headers that put our reply into a conversation (RFC 5322 3.6.4), and the subjects of replies and forwards. */

import { toOneLine } from './one-line.ts';

/** A Message-ID with its brackets must fit on one line. No honest one is nearly this long. */
const MESSAGE_ID_CHARS_MAX = 500;
/** Characters of a References header. */
const REFERENCES_CHARS_MAX = 4000;
/** RFC 5322 2.1.1 allows 998 characters per line; a subject is displayed as one line. */
export const SUBJECT_CHARS_MAX = 998;

/** Whether a text is a Message-ID that a header can refer to: one @ in angle brackets, printable ASCII. */
export function isMessageId(text: string): boolean {
  return text.length <= MESSAGE_ID_CHARS_MAX && /^<[!-;=?A-~]+@[!-;=?A-~]+>$/.test(text);
}

/** What a reply says about the mail that it replies to. */
export interface Threading {
  in_reply_to: string;
  /** Oldest first; the last is the mail replied to. */
  references: readonly string[];
}

/** Returns the headers of a reply; null if the mail replied to has no well-formed Message-ID. */
export function makeThreading(messageId: string | null, references: readonly string[]): Threading | null {
  if (messageId === null || !isMessageId(messageId)) return null;
  const earlier = references.filter((id) => isMessageId(id) && id !== messageId);
  let chars = messageId.length;
  const kept: string[] = [messageId];
  // The first identifies the conversation. Of the rest, the last ones count.
  const [root, ...rest] = earlier;
  if (root !== undefined) chars += root.length;
  for (const id of rest.reverse()) {
    chars += id.length + 1;
    if (chars > REFERENCES_CHARS_MAX) break;
    kept.unshift(id);
  }
  return { in_reply_to: messageId, references: root === undefined ? kept : [root, ...kept] };
}

/** Marks like ours, which is then not added again. */
const ANSWERED = /^re(\[\d+\])?\s*:/i;
const FORWARDED = /^fwd?\s*:/i;

/** Adds `Re: ` unless it is there. */
export function makeReplySubject(original: string): string {
  return markSubject('Re: ', ANSWERED, original);
}

/** Adds `Fwd: ` unless it is there. */
export function makeForwardSubject(original: string): string {
  return markSubject('Fwd: ', FORWARDED, original);
}

function markSubject(mark: string, already: RegExp, original: string): string {
  const line = toOneLine(original);
  const subject = already.test(line) ? line : mark + line;
  return [...subject].slice(0, SUBJECT_CHARS_MAX).join('').trim();
}
