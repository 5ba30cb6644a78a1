/** Local parts of the shared domain that nobody may claim (docs/decisions.md, Inboxes and addresses). */
export const reservedLocalParts: readonly string[] = [
  'postmaster',
  'abuse',
  'hostmaster',
  'webmaster',
  'admin',
  'administrator',
  'root',
  'mailer-daemon',
  'noreply',
  'no-reply',
  'security',
  'support',
  'info',
  'bounce',
];

/** SMTP accepts these whether or not an inbox reads them (RFC 5321 4.5.1, RFC 2142). */
export const operatorLocalParts: readonly string[] = ['postmaster', 'abuse'];
