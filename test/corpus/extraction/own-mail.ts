/** A mail in short form; what is left out is empty, null or English. */
export interface OwnMail {
  name: string;
  language?: string;
  subject?: string;
  from?: string;
  text?: string;
  html?: string;
  otp?: string | null;
  magic_link?: string | null;
}
