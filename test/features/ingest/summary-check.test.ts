/** The hand-written check of a summary accepts exactly what a schema would. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { z } from 'zod';
import { isSummary } from '../../../src/features/ingest/summary-check.ts';
import {
  ADDRESS_LIST_CHARS_MAX,
  ADDRESSES_MAX,
  ATTACHMENTS_MAX,
  CODE_CHARS_MAX,
  HREF_CHARS_MAX,
  LINK_CHARS_MAX,
  LINKS_MAX,
  SENDERS_MAX,
  VALUE_CHARS_MAX,
} from '../../../src/platform/mail/bounds.ts';
import { REFS_MAX } from '../../../src/platform/mail/message-ids.ts';
import { SNIPPET_CHARS_MAX } from '../../../src/platform/mail/snippet.ts';
import { TAG, TAGS_MAX } from '../../../src/rules/tags.ts';

const text = (max: number) =>
  z
    .string()
    .max(max)
    .refine((value) => value.isWellFormed());
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is refused.
const line = (max: number) => text(max).regex(/^[^\x00-\x08\x0a-\x1f\x7f]*$/);
const list = z
  .array(line(VALUE_CHARS_MAX))
  .max(ADDRESSES_MAX)
  .refine((all) => all.join('').length <= ADDRESS_LIST_CHARS_MAX);
const count = z.int().min(0);
const schema = z.strictObject({
  status: z.enum(['parsed', 'failed']),
  from: line(VALUE_CHARS_MAX),
  senders: z
    .array(text(VALUE_CHARS_MAX))
    .max(SENDERS_MAX + 1)
    .optional(),
  to: list,
  cc: list,
  subject: line(VALUE_CHARS_MAX),
  otp: line(CODE_CHARS_MAX).nullable(),
  otp_confidence: z.number().min(0).max(1),
  magic_link: text(HREF_CHARS_MAX)
    .regex(/^https?:\/\//i)
    .nullable(),
  links: z.array(text(LINK_CHARS_MAX).regex(/^(https?:\/\/|mailto:)/i)).max(LINKS_MAX),
  has_html: z.boolean(),
  attachment_count: count.max(ATTACHMENTS_MAX),
  tags: z.array(z.string().regex(TAG)).max(TAGS_MAX),
  snippet: text(SNIPPET_CHARS_MAX),
  ref: count.nullable(),
  refs: z.array(count).max(REFS_MAX),
});

const right = {
  status: 'parsed',
  from: 'Ann <ann@example.org>',
  senders: ['ann@example.org'],
  to: ['ben@example.org'],
  cc: [],
  subject: 'Your code',
  otp: '482913',
  otp_confidence: 0.9,
  magic_link: null,
  links: [],
  has_html: false,
  attachment_count: 1,
  tags: ['a'],
  snippet: 'Your code',
  ref: 1,
  refs: [1, 2],
};

const value = fc.oneof(
  fc.constantFrom<unknown>(
    ...[null, true, '', 'parsed', 'failed', 0, 1, -1, 0.5, 1.01, 2 ** 53, 1e300, {}, []],
  ),
  fc.constantFrom<unknown>(
    ['a'],
    [1],
    [null],
    ['a', 1],
    [-1],
    [0.5],
    { length: 0 },
    ...['x'.repeat(SNIPPET_CHARS_MAX + 1)],
  ),
  fc.constantFrom<unknown>(
    Array(SENDERS_MAX + 2).fill('a'),
    Array(REFS_MAX + 1).fill(1),
    Array(REFS_MAX).fill(1),
  ),
  fc.jsonValue(),
);
const strange = fc.constantFrom<unknown>(
  ...['a\nb', '\ud800', 'https://a', 'javascript:x', 'x'.repeat(VALUE_CHARS_MAX + 1)],
  ...[['https://a'], ['mailto:a'], ['javascript:x'], ['A b'], Array(ADDRESSES_MAX + 1).fill('')],
  ...[Array(9).fill('x'.repeat(VALUE_CHARS_MAX)), Array(LINKS_MAX + 1).fill('https://a')],
);
const field = fc.constantFrom(...Object.keys(right), 'is_admin', '__proto__', 'constructor', 'toString');

const names = Object.keys(right);
/** Most have all fields. */
const kept = fc.oneof(fc.constant(names), fc.subarray(names, { minLength: names.length - 2 }));
const changes = fc.array(fc.tuple(field, fc.oneof(value, strange)), { maxLength: 3 });

/** As from JSON, where every key is the object's own, even `__proto__`. */
function fromEntries(entries: readonly (readonly [string, unknown])[]): unknown {
  return JSON.parse(`{${entries.map(([name, held]) => `${JSON.stringify(name)}:${JSON.stringify(held)}`)}}`);
}

test('what a schema accepts is accepted, and nothing else', () => {
  let accepted = 0;
  fc.assert(
    fc.property(kept, changes, (fields, changed) => {
      const usual = Object.entries(right).filter(([name]) => fields.includes(name));
      const given = fromEntries([...usual, ...changed]);
      const isRight = schema.safeParse(given).success;
      expect(isSummary(given)).toBe(isRight);
      if (isRight) accepted += 1;
    }),
    { numRuns: 5_000 },
  );
  expect(accepted).toBeGreaterThan(100);
  for (const other of [null, undefined, 'x', 1, [], Object.values(right)])
    expect(isSummary(other)).toBe(false);
});
