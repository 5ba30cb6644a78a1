/** A text that stands in the mail's bytes as it is: in ASCII and not encoded. */
export type MailRange = readonly [from: number, to: number];

/** Where the texts of a mail stand in its bytes; null for one that is encoded, or joined from several parts. */
export interface MailRanges {
  text: MailRange | null;
  html: MailRange | null;
}

/** The text of a range, with LF line ends. */
export function readRange(mail: Buffer, [from, to]: MailRange): string {
  return mail.toString('latin1', from, to).replaceAll('\r\n', '\n');
}
