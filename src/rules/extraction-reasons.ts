/** The values of `otp_reason` and `magic_link_reason`, and what each means (docs/extraction.md). */

export const codeReasons = {
  keyword_near: 'a word such as “verification code” is beside it or in its label',
  keyword_above: 'a word such as “verification code” is in a line near it',
  told_to_enter: 'the text says to enter, type or use it',
  own_line: 'it is alone on its line or in its cell',
  stands_out: 'it is larger, bold, spaced or in a monospaced font',
  subject: 'it is in the subject',
  form: 'it has the length and the characters of a code',
  domain_bound:
    'it is written or named so that programs find it (@example.com #123456, G-123456, one-time-code)',
  warned_about: 'it expires, or must not be shared',
  sign_in_mail: 'the message is about signing in, a confirmation or a password',
  in_link: 'a link of the message contains it',
  only_one: 'nothing else in the message could be a code',
} as const;

export const linkReasons = {
  link_text: 'its text says to sign in, confirm, reset or accept',
  words_near: 'the words before it say to sign in, confirm, reset or accept',
  secret: 'its address has a long random part',
  short_secret: 'its address has a short random part',
  path: 'its path or a parameter says what it is for',
  code_in_link: 'it contains the code',
  action: 'the sender marks it as the action of the message (schema.org)',
  looks: 'it looks like a button',
  first: 'it comes first, or is there twice',
  sign_in_mail: 'the message is about signing in, a confirmation or a password',
  only_secret: 'no other link has a random part',
} as const;

export type CodeReason = keyof typeof codeReasons;
export type LinkReason = keyof typeof linkReasons;
