/** Answers that the main thread refuses, from a parser process that a hostile mail has taken over. */
import { expect, test } from 'bun:test';
import { parserProtocol } from '../../../src/features/ingest/parser-answers.ts';
import {
  ADDRESS_LIST_CHARS_MAX,
  ADDRESSES_MAX,
  ATTACHMENTS_MAX,
  BODY_CHARS_MAX,
  HREF_CHARS_MAX,
  LINK_CHARS_MAX,
  LINKS_MAX,
  SENDERS_MAX,
  VALUE_CHARS_MAX,
} from '../../../src/platform/mail/bounds.ts';
import { REFS_MAX } from '../../../src/platform/mail/message-ids.ts';
import { SNIPPET_CHARS_MAX } from '../../../src/platform/mail/snippet.ts';
import { compressStored, ONE_FRAME_CONTENT_BYTES } from '../../../src/platform/mail/stored-mail.ts';
import { encodeFrame, FrameReader } from '../../../src/platform/process/frames.ts';
import { TAGS_MAX } from '../../../src/rules/tags.ts';
import { makeSummary, plainContent } from '../../plain-mail.ts';

/** All at their bounds. */
const summary = {
  ...makeSummary('x'.repeat(VALUE_CHARS_MAX)),
  from: '漢'.repeat(VALUE_CHARS_MAX),
  senders: Array(SENDERS_MAX + 1).fill('ann@example.org'),
  to: Array(ADDRESSES_MAX).fill('x'.repeat(ADDRESS_LIST_CHARS_MAX / 256)),
  otp_confidence: 1,
  magic_link: `https://example.org/${'x'.repeat(HREF_CHARS_MAX - 20)}`,
  links: Array(LINKS_MAX).fill(`https://example.org/${'漢'.repeat(LINK_CHARS_MAX - 20)}`),
  attachment_count: ATTACHMENTS_MAX,
  tags: Array(TAGS_MAX).fill('a'.repeat(40)),
  snippet: 'x'.repeat(SNIPPET_CHARS_MAX),
  ref: 0,
  refs: Array(REFS_MAX).fill(1),
};
const attachment = {
  index: 0,
  filename: null,
  content_type: 'a/b',
  size: 1,
  content_id: null,
  inline: false,
};

const decode = (changes: object, content: object | string = {}, isJson = true) => {
  const json = typeof content === 'string' ? content : JSON.stringify({ ...plainContent, ...content });
  const bytes = isJson ? Buffer.from(json) : compressStored(Buffer.from(json));
  const head = { id: 1, is_json: isJson, summary: { ...summary, ...changes } };
  const [frame] = new FrameReader({ headBytes: parserProtocol.headBytesMax, bytes: 2 ** 24, frames: 1 }).take(
    encodeFrame(head, bytes),
  );
  return parserProtocol.decode(frame!);
};

test('an answer at its bounds is read, and compressed content may be longer', () => {
  expect(decode({})).toMatchObject({ id: 1, isJson: true, summary } as object);
  const body = { text: '漢'.repeat(BODY_CHARS_MAX), html: '"'.repeat(BODY_CHARS_MAX) };
  expect(decode({}, body, false)).toMatchObject({ id: 1, isJson: false });
});

test.each([
  ['too many senders', { senders: Array(SENDERS_MAX + 2).fill('ann@example.org') }],
  ['a snippet that is too long', { snippet: 'x'.repeat(SNIPPET_CHARS_MAX + 1) }],
  ['too many references', { refs: Array(REFS_MAX + 1).fill(1) }],
  ['a reference that no integer of the store holds', { ref: 2 ** 53 }],
  ['a negative count', { attachment_count: -1 }],
  ['a confidence above one', { otp_confidence: 1.01 }],
  ['a field of its own', { is_admin: true }],
  ['a subject of two lines', { subject: 'a\r\nBcc: b@example.org' }],
  ['half a character', { from: '\ud800' }],
  ['a link that is a script', { magic_link: 'javascript:alert(1)' }],
  ['a tag that is none', { tags: ['A B'] }],
  ['a list of 100,000 addresses', { to: Array(100_000).fill('a@example.org') }],
])('%s is refused', (_, changes) => {
  expect(() => decode(changes)).toThrow();
});

test.each<[string, object | string]>([
  ['no JSON', '{'],
  ['a list', '[]'],
  ['a field of its own', { is_admin: true }],
  ['a name that objects have', '{"__proto__":{"text":"","html":""}}'],
  ['a text that is too long', { text: 'x'.repeat(BODY_CHARS_MAX + 1) }],
  ['neither a text nor its range', { text: undefined }],
  ['a range that is none', { text: undefined, text_range: [5, 1] }],
  ['a date that is none', { sent_at: '2026-13-45T00:00:00.000000Z' }],
  ['a file name of two lines', { attachments: [{ ...attachment, filename: 'a\nb' }] }],
  ['an attachment of a petabyte', { attachments: [{ ...attachment, size: 1e15 }] }],
  ['too many attachments', { attachments: Array(ATTACHMENTS_MAX + 1).fill(attachment) }],
])('content with %s is refused', (_, content) => {
  expect(() => decode({}, content)).toThrow();
  expect(() => decode({}, content, false)).toThrow();
});

test('more JSON than the writer thread compresses in one go is refused', () => {
  const text = 'x'.repeat(ONE_FRAME_CONTENT_BYTES);
  expect(() => decode({}, { text })).toThrow('bytes of JSON');
  expect(decode({}, { text }, false)).toMatchObject({ isJson: false });
});

test.each([
  ['zeros', '0'.repeat(50_000_000)],
  ['lists', `{"text":"${'x'.repeat(2_000_000)}","a":[${'[],'.repeat(400_000)}[]]}`],
])('compressed %s that would take long to read are refused', (_, json) => {
  expect(() => decode({}, json, false)).toThrow();
});
