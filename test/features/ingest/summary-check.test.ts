/** The hand-written check of a summary accepts exactly what a schema would. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { z } from 'zod';
import { isSummary } from '../../../src/features/ingest/summary-check.ts';
import { SENDERS_MAX } from '../../../src/platform/mail/bounds.ts';
import { REFS_MAX } from '../../../src/platform/mail/message-ids.ts';
import { SNIPPET_CHARS_MAX } from '../../../src/platform/mail/snippet.ts';

const texts = z.array(z.string());
const count = z.int().min(0);
const schema = z.strictObject({
  status: z.enum(['parsed', 'failed']),
  from: z.string(),
  senders: texts.max(SENDERS_MAX + 1).optional(),
  to: texts,
  cc: texts,
  subject: z.string(),
  otp: z.string().nullable(),
  otp_confidence: z.number().min(0).max(1),
  magic_link: z.string().nullable(),
  links: texts,
  has_html: z.boolean(),
  attachment_count: count,
  tags: texts,
  snippet: z.string().max(SNIPPET_CHARS_MAX),
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
const field = fc.constantFrom(...Object.keys(right), 'is_admin', '__proto__', 'constructor', 'toString');

const names = Object.keys(right);
/** Most have all fields. */
const kept = fc.oneof(fc.constant(names), fc.subarray(names, { minLength: names.length - 2 }));
const changes = fc.array(fc.tuple(field, value), { maxLength: 3 });

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
