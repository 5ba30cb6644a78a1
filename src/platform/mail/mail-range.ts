/** The byte range in a mail of a text that is there unencoded, in ASCII. */
export type MailRange = readonly [from: number, to: number];

/** The ranges of a mail's texts. Null for a text that is encoded, not in ASCII, or joined from several parts. */
export interface MailRanges {
  text: MailRange | null;
  html: MailRange | null;
}

/** Returns the text of a range, with LF line ends. */
export function readRange(mail: Buffer, [from, to]: MailRange): string {
  return mail.toString('latin1', from, to).replaceAll('\r\n', '\n');
}
