import type { headerRules } from '../../../rules/checks.ts';
import type { HeaderFields } from '../header-fields.ts';
import type { MailFindings, MailToCheck } from './findings.ts';

type HeaderRule = keyof typeof headerRules;

/** A date as senders write it (RFC 5322 3.3): `Mon, 23 Nov 2026 17:09:22 +0000 (UTC)`. */
const DATE =
  /^(?:(?:mon|tue|wed|thu|fri|sat|sun),\s*)?\d{1,2}\s+(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\s+\d{4}\s+\d{1,2}:\d{2}(?::\d{2})?\s+(?:[+-]\d{4}|gmt|ut|utc|[a-z]{3})(?:\s*\(.*)?$/i;
/** Something on both sides of an at sign, in angle brackets (RFC 5322 3.6.4). */
const MESSAGE_ID = /^<[^<>@\s]+@[^<>@\s]+>$/;
const ADDRESS = /[^\s<>@,;:"]@[^\s<>@,;:"]/;

/** Finds what is wrong with the headers that every mail should have. */
export function checkHeaders(fields: HeaderFields, mail: MailToCheck): MailFindings['headers'] {
  const found: MailFindings['headers'] = [];
  const add = (rule: HeaderRule, text: string | null) => {
    if (text !== null) found.push({ rule, text });
  };
  add(
    'date',
    explainOne(fields.all('date'), 'Date', (value) => DATE.test(value) || 'is not a date as in RFC 5322'),
  );
  add(
    'message_id',
    explainOne(
      fields.all('message-id'),
      'Message-ID',
      (value) => MESSAGE_ID.test(value) || 'does not have the form <id@host>',
    ),
  );
  if (mail.html !== '' && mail.text.trim() === '') add('text_part', 'There is HTML but no plain text.');
  add(
    'from',
    explainOne(fields.all('from'), 'From', (value) => ADDRESS.test(value) || 'has no address'),
  );
  add('to', explainRecipients(fields));
  return found;
}

function explainOne(values: string[], name: string, judge: (value: string) => string | true): string | null {
  const [value, another] = values;
  if (value === undefined) return `There is no ${name} header.`;
  if (another !== undefined) return `There is more than one ${name} header.`;
  const judged = judge(value);
  return judged === true ? null : `The ${name} header ${judged}: ${value.slice(0, 80)}`.toWellFormed();
}

/** Explains what is wrong with To. An empty group (`undisclosed-recipients:;`) is fine: it means Bcc recipients. */
function explainRecipients(fields: HeaderFields): string | null {
  const to = fields.all('to');
  if (to.length > 1) return 'There is more than one To header.';
  if (to.length === 0 && fields.all('cc').length === 0) return 'There is neither a To nor a Cc header.';
  const isGroup = /:\s*;\s*$/.test(to[0] ?? '');
  return to.length === 0 || isGroup || ADDRESS.test(to[0]!) ? null : 'The To header has no address.';
}
