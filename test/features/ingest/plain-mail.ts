import type { ParsedContent, ParsedSummary } from '../../../src/platform/mail/parsed.ts';
import type { StorableMail } from '../../../src/platform/mail/parser-protocol.ts';

/** What a parser reads from a mail that has nothing but a subject. */
export function makeStorable(subject: string): StorableMail {
  return { summary: makeSummary(subject), isJson: true, content: Buffer.from(JSON.stringify(plainContent)) };
}

export function makeSummary(subject: string): ParsedSummary {
  return {
    status: 'parsed',
    from: '',
    to: [],
    cc: [],
    subject,
    otp: null,
    otp_confidence: 0,
    magic_link: null,
    links: [],
    has_html: false,
    attachment_count: 0,
    tags: [],
    snippet: '',
    ref: null,
    refs: [],
  };
}

export const plainContent: ParsedContent = {
  message_id: null,
  reply_to: null,
  sent_at: null,
  text: '',
  html: '',
  otp_context: null,
  otp_candidates: [],
  attachments: [],
  truncated: false,
};
