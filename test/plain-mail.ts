import type { StoreMail } from '../src/features/ingest/writes.ts';
import { newId } from '../src/platform/core/id.ts';
import type { ParsedContent, ParsedSummary } from '../src/platform/mail/parsed.ts';
import type { StorableMail } from '../src/platform/mail/parser-protocol.ts';

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

/** A mail as ingest stores it, for the addresses of inboxes, from a client that is no one in particular. */
export function makeStoreMail(
  addresses: readonly string[],
  raw: Uint8Array | string,
  summary: Partial<ParsedSummary> = {},
): StoreMail {
  const bytes = typeof raw === 'string' ? Buffer.from(raw) : raw;
  return {
    envelope_from: 'sender@example.org',
    helo: 'client.example',
    client_address: '192.0.2.7',
    protocol: 'ESMTP',
    smtp_user: null,
    size: bytes.length,
    bytes,
    raw_no: null,
    summary: {
      ...makeSummary('test'),
      from: 'Ann Sender <ann@example.org>',
      to: ['you@postern.test'],
      ...summary,
    },
    content: Buffer.from('{}'),
    isJson: true,
    recipients: addresses.map((address) => ({
      envelope_recipient: address,
      address,
      message_id: newId('message'),
    })),
    isChecked: false,
    isImported: false,
    trap: null,
    isEvent: true,
  };
}
