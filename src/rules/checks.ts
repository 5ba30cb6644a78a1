/** The rules and problems that the checks of a mail know (docs/checks.md), with the words that are shown. */

/** Bytes of HTML above which Gmail cuts a mail and shows "[Message clipped]". */
export const GMAIL_CLIP_BYTES = 102 * 1024;

export const accessibilityRules = {
  alt: 'a picture without an alt attribute',
  contrast:
    'text whose colour is too close to its background, by inline styles (WCAG 2.2, 1.4.3: 4.5, large text 3)',
  lang: 'no language on the html element',
  heading: 'a heading that skips a level, or is empty',
  link_text: 'a link without text, or with text that says nothing alone, such as "click here"',
} as const;

export const headerRules = {
  date: 'the Date header is missing, is repeated, or is no date',
  message_id: 'the Message-ID header is missing, is repeated, or has the wrong form',
  text_part: 'the mail has HTML and no plain text beside it',
  from: 'the From header is missing, is repeated, or has no address',
  to: 'the mail names no recipient in To or Cc, or its To has no address',
} as const;

export const linkProblems = {
  empty: 'empty address',
  placeholder: 'placeholder not filled in',
  script: 'script instead of an address',
  relative: 'relative address',
  notAnAddress: 'not a valid address',
  exampleHost: 'example host',
  privateHost: 'private host',
  addressHost: 'IP address instead of a name',
  login: 'user name or password in the address',
  mismatch: 'text shows another host',
  shortened: 'shortened address',
  insecure: 'http instead of https',
  // Only with `fetch=links`.
  broken: 'answers with an error',
  unreachable: 'not reachable',
} as const;

export const unsubscribeProblems = {
  repeated: 'List-Unsubscribe is repeated',
  noAddress: 'no address in angle brackets',
  badAddress: 'an address that is neither https nor mailto',
  placeholder: 'a placeholder not filled in',
  privateHost: 'a private host',
  noPost: 'no List-Unsubscribe-Post, so no one-click',
  wrongPost: 'List-Unsubscribe-Post is not List-Unsubscribe=One-Click',
  noHttps: 'one-click needs an https address',
  unsigned: 'the DKIM signature does not cover both headers',
} as const;
