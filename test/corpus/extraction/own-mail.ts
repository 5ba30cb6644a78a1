/** A mail in short form. Omitted fields are empty, null or English. */
export interface OwnMail {
  name: string;
  language?: string;
  subject?: string;
  from?: string;
  text?: string;
  html?: string;
  otp?: string | null;
  magic_link?: string | null;
  /** Other spellings of the code that count as right. */
  otp_also?: string[];
}
