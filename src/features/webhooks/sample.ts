import { newId } from '../../platform/core/id.ts';
import { makeThreadId } from '../messages/threads/sql.ts';
import type { viewMessage } from '../messages/view.ts';

/** Returns the message of a test send: one with a code, as the API would return it. */
export function makeSampleMessage(
  inbox: { id: string; address: string },
  now: string,
): ReturnType<typeof viewMessage> {
  const id = newId('message');
  const text = 'Your code is 123456. This is a test of your webhook; no such email was received.';
  return {
    id,
    inbox_id: inbox.id,
    from: 'Postern <webhook-test@example.com>',
    to: [inbox.address],
    cc: [],
    subject: 'Your code is 123456',
    received_at: now,
    status: 'parsed',
    otp: '123456',
    otp_confidence: 1,
    magic_link: null,
    links: [],
    has_html: false,
    read: false,
    read_at: null,
    size: text.length,
    tags: [],
    thread_id: makeThreadId(id),
    message_id: null,
    in_reply_to: null,
    references: [],
    reply_to: null,
    sent_at: null,
    otp_context: text,
    otp_candidates: [{ code: '123456', confidence: 1, context: text }],
    otp_reason: 'keyword_near, form',
    magic_link_reason: null,
    text,
    reply_text: text,
    html: '',
    metadata: {},
    smtp_user: null,
    envelope_from: 'webhook-test@example.com',
    envelope_recipient: inbox.address,
    attachments: [],
    authentication: null,
    withheld: null,
    truncated: false,
  };
}
