/** The messages of an inbox, as attachments of a test report. */
import type { Inbox } from '../inbox.js';
import type { Postern } from '../postern.js';
import type { Message } from '../wire.js';

export interface ReportPart {
  name: string;
  contentType: 'text/plain' | 'text/html';
  body: string;
}

/** At most this many of the newest messages are shown. */
const MAILS_MAX = 10;
const TEXT_CHARS_MAX = 100_000;
const HTML_CHARS_MAX = 1_000_000;
/** A server that does not answer must not hold up the report. */
const REPORT_MS_MAX = 5_000;
/** A report is opened from a file or a local server, where the scripts of a message must not run. */
const POLICY = [
  '<!doctype html><meta http-equiv="Content-Security-Policy" content="default-src \'none\'; ',
  "style-src 'unsafe-inline'; img-src * data:; form-action 'none'; base-uri 'none'\">",
].join('');

/** Returns the newest messages, oldest first. Its own failure becomes a part, so as not to hide why the test failed. */
export async function reportMail(client: Postern, inbox: Inbox): Promise<ReportPart[]> {
  try {
    const signal = AbortSignal.timeout(REPORT_MS_MAX);
    const newest = await inbox.messages({ read: 'all', limit: MAILS_MAX, signal }).take(MAILS_MAX);
    if (newest.length === 0) return [writePart('mail: none', `No mail came to ${inbox.address}.`)];
    const mails = await Promise.all(newest.reverse().map(({ id }) => client.message.get(id, { signal })));
    return mails.flatMap(describeMail);
  } catch (fault) {
    return [writePart('mail: not available', `The mail of ${inbox.address} could not be read: ${fault}`)];
  }
}

function describeMail(message: Message, index: number): ReportPart[] {
  const found = [
    ...(message.otp ? [`code ${message.otp}`] : []),
    ...(message.magic_link ? [`link ${message.magic_link}`] : []),
  ].join(', ');
  const name = `mail ${index + 1}: ${message.subject || '(no subject)'}`;
  const lines = [
    `From: ${message.from}`,
    `To: ${message.envelope_recipient}`,
    `Subject: ${message.subject}`,
    `Received: ${message.received_at}`,
    `Found: ${found || 'no code, no link'}`,
    '',
    (message.text ?? '').slice(0, TEXT_CHARS_MAX),
  ];
  const text = writePart(name, lines.join('\n'));
  if (!message.html) return [text];
  const html = POLICY + message.html.slice(0, HTML_CHARS_MAX);
  return [text, { name: `${text.name} (HTML)`, contentType: 'text/html', body: html }];
}

/** Removes control characters, because reporters print text on terminals and senders choose it. */
function writePart(name: string, body: string): ReportPart {
  const clean = (text: string) => text.replace(/[^\P{Cc}\n\t]/gu, '');
  return { name: clean(name).replace(/\s+/g, ' '), contentType: 'text/plain', body: clean(body) };
}
