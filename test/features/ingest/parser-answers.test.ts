/** Answers that the main thread refuses, from a parser process that a hostile mail has taken over. */
import { expect, test } from 'bun:test';
import { parserProtocol } from '../../../src/features/ingest/parser-answers.ts';
import { SENDERS_MAX } from '../../../src/platform/mail/bounds.ts';
import { REFS_MAX } from '../../../src/platform/mail/message-ids.ts';
import { SNIPPET_CHARS_MAX } from '../../../src/platform/mail/snippet.ts';
import { ONE_FRAME_CONTENT_BYTES } from '../../../src/platform/mail/stored-mail.ts';

/** All at their bounds. */
const summary = {
  status: 'parsed',
  from: 'Ann <ann@example.org>',
  senders: Array(SENDERS_MAX + 1).fill('ann@example.org'),
  to: [],
  cc: [],
  subject: 'x',
  otp: null,
  otp_confidence: 1,
  magic_link: null,
  links: [],
  has_html: false,
  attachment_count: 0,
  tags: [],
  snippet: 'x'.repeat(SNIPPET_CHARS_MAX),
  ref: 0,
  refs: Array(REFS_MAX).fill(1),
};
const decode = (changes: object, bytes = ONE_FRAME_CONTENT_BYTES, isJson = true) =>
  parserProtocol.decode({
    head: { id: 1, is_json: isJson, summary: { ...summary, ...changes } },
    bytes: new Uint8Array(bytes),
  });

test('an answer at its bounds is read, and compressed content may be longer', () => {
  expect(decode({})).toMatchObject({ id: 1, isJson: true, summary });
  expect(decode({}, ONE_FRAME_CONTENT_BYTES + 1, false)).toMatchObject({ id: 1, isJson: false });
});

test.each([
  ['too many senders', { senders: Array(SENDERS_MAX + 2).fill('ann@example.org') }],
  ['a snippet that is too long', { snippet: 'x'.repeat(SNIPPET_CHARS_MAX + 1) }],
  ['too many references', { refs: Array(REFS_MAX + 1).fill(1) }],
  ['a reference that no integer of the store holds', { ref: 2 ** 53 }],
  ['a negative count', { attachment_count: -1 }],
  ['a confidence above one', { otp_confidence: 1.01 }],
  ['a field of its own', { is_admin: true }],
])('%s is refused', (_, changes) => {
  expect(() => decode(changes)).toThrow();
});

test('more JSON than the writer thread compresses in one go is refused', () => {
  expect(() => decode({}, ONE_FRAME_CONTENT_BYTES + 1)).toThrow(
    `${ONE_FRAME_CONTENT_BYTES + 1} bytes of JSON`,
  );
});
