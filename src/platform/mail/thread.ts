/** The conversation that a mail belongs to (RFC 5322 3.6.4), and the subject of an answer to it. */

/** With its brackets a Message-ID stands on one line, and no honest one comes near. */
const MESSAGE_ID_CHARS_MAX = 500;
/** Characters of a References header. */
const REFERENCES_CHARS_MAX = 4000;
/** RFC 5322 2.1.1 allows 998 characters on a line; a subject is one line to whoever reads it. */
export const SUBJECT_CHARS_MAX = 998;

/** Whether a text is a Message-ID that can be referred to: one @ in angle brackets, printable ASCII. */
export function isMessageId(text: string): boolean {
  return text.length <= MESSAGE_ID_CHARS_MAX && /^<[!-;=?A-~]+@[!-;=?A-~]+>$/.test(text);
}

/** What an answer says of the mail that it answers. */
export interface Threading {
  in_reply_to: string;
  /** Oldest first, the answered mail's own last. */
  references: readonly string[];
}

/** Null when the answered mail has no Message-ID that is well formed. */
export function threadingOf(messageId: string | null, references: readonly string[]): Threading | null {
  if (messageId === null || !isMessageId(messageId)) return null;
  const earlier = references.filter((id) => isMessageId(id) && id !== messageId);
  let chars = messageId.length;
  const kept: string[] = [messageId];
  // The first names the conversation; of the rest the last ones count.
  const [root, ...rest] = earlier;
  if (root !== undefined) chars += root.length;
  for (const id of rest.reverse()) {
    chars += id.length + 1;
    if (chars > REFERENCES_CHARS_MAX) break;
    kept.unshift(id);
  }
  return { in_reply_to: messageId, references: root === undefined ? kept : [root, ...kept] };
}

/** Marks that mean the same as ours, so that none is put before them again. */
const ANSWERED = /^re(\[\d+\])?\s*:/i;
const FORWARDED = /^fwd?\s*:/i;

/** `Re: ` once. */
export function replySubject(original: string): string {
  return marked('Re: ', ANSWERED, original);
}

/** `Fwd: ` once. */
export function forwardSubject(original: string): string {
  return marked('Fwd: ', FORWARDED, original);
}

/** A stranger's subject is made one line of text before it goes into a header of ours. */
function marked(mark: string, already: RegExp, original: string): string {
  const line = original
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .toWellFormed()
    .trim();
  const subject = already.test(line) ? line : mark + line;
  return [...subject].slice(0, SUBJECT_CHARS_MAX).join('').trim();
}
