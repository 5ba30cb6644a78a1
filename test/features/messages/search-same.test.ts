/** Searches return the same as a plain filter over the messages: the index must never change the result. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import fc from 'fast-check';
import { findInboxById } from '../../../src/features/inboxes/sql.ts';
import { type Search, searchAccount, searchMessages } from '../../../src/features/messages/search.ts';
import { listMessages, type MessageFilter, type SummaryRow } from '../../../src/features/messages/sql.ts';
import { foldPlainly } from '../../rules/plain-fold.ts';
import { type Holder, type RunningAppliance, startAppliance } from '../../start.ts';
import { fillSearch } from './fill-search.ts';

const PIECES = [
  'a',
  'A',
  'b',
  'ab',
  'abc',
  'ABCABD',
  'e',
  'é',
  'e\u0301',
  '\u0301',
  'ß',
  'SS',
  'ẞ',
  'i',
  'I',
  'İ',
  'ı',
  'i\u0307',
  'Ω',
  'Σ',
  'ς',
  'ΣΑΣ',
  'σας',
  'ﬁ',
  '日',
  '本語',
  '日本',
  '한',
  '\u1112\u1161\u11ab',
  '👩‍👩‍👧',
  '👍🏽',
  '🇩🇪',
  '\u{f0061}',
  '\ue000',
  '\uf8ff',
  '%',
  '_',
  '\\',
  '"',
  '""',
  "'",
  '*',
  '^',
  '(',
  ')',
  ':',
  '-',
  '+',
  ' ',
  '  ',
  'AND',
  'OR',
  'NOT',
  'NEAR(',
  'subject :',
  '\0',
  '\u0001',
  '\u0001\u0001',
  '\ud800',
  '\udc00',
  '\ufffd',
  '\uffff',
  '\u200b',
  '\u202e',
  'Größe',
  'code 12',
  '<x@y.example>',
];
const text = fc.array(fc.constantFrom(...PIECES), { maxLength: 7 }).map((pieces) => pieces.join(''));
const anyText = fc.oneof(
  { weight: 5, arbitrary: text },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 6 }) },
);

/** More than are scanned before the index is used, so that it serves the older ones. */
const MESSAGES = 1_500;

let appliance: RunningAppliance;
let holder: Holder;
let inboxes: { id: string; address: string }[];
let rows: (SummaryRow & { inbox_no: number })[];

beforeAll(async () => {
  appliance = await startAppliance({ settings: { limits: 'off' } });
  holder = await appliance.holder();
  inboxes = [await appliance.inbox(holder), await appliance.inbox(holder)];
  const mails = fc.sample(fc.record({ subject: anyText, from: anyText, otp: fc.boolean() }), {
    numRuns: MESSAGES,
    seed: 1,
  });
  const ids: string[] = [];
  for (let at = 0; at < mails.length; at += 100) {
    const some = mails.slice(at, at + 100).map(({ subject, from, otp }, nth) =>
      appliance.deliver(inboxes[nth % 20 === 0 ? 1 : 0]!.address, {
        subject,
        from,
        otp: otp ? '123456' : null,
      }),
    );
    ids.push(...(await Promise.all(some)));
    // The newest are not yet indexed.
    if (at === 1_300) await fillSearch(appliance);
  }
  const batch = (action: string, chosen: string[]) =>
    appliance.request('POST', '/api/v1/messages/batch', { key: holder.key, body: { action, ids: chosen } });
  for (let at = 0; at < ids.length; at += 100) {
    await batch('mark_read', ids.slice(at, at + 40));
    await batch('delete', ids.slice(at + 35, at + 45));
  }
  const { store } = appliance.services;
  const all = { has_otp: false, read: null };
  rows = inboxes.flatMap(({ id }) => {
    const { no } = findInboxById(store, id)!;
    const found = listMessages(store, no, all, Number.MAX_SAFE_INTEGER, MESSAGES);
    return found.map((row) => ({ ...row, inbox_no: no }));
  });
  rows.sort((one, other) => other.received_at - one.received_at);
});
afterAll(() => appliance[Symbol.asyncDispose]());

function expected({ inbox_no, filter, before }: Omit<Search, 'limit'>): number[] {
  const has = (where: string, needle: string | null) =>
    foldPlainly(where).includes(foldPlainly(needle ?? ''));
  return rows
    .filter(
      (row) =>
        (inbox_no === 0 || row.inbox_no === inbox_no) &&
        row.received_at < before &&
        (filter.read === null || (row.read_at !== null) === filter.read) &&
        (!filter.has_otp || row.otp !== null) &&
        (has(row.subject, filter.q) || has(row.from, filter.q)) &&
        has(row.subject, filter.subject_contains) &&
        has(row.from, filter.from),
    )
    .map(({ received_at }) => received_at);
}

/** A piece of an existing text, or one that rarely exists. */
const needle = fc.oneof(
  { weight: 1, arbitrary: anyText },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.nat(), fc.boolean(), fc.nat(), fc.integer({ min: 1, max: 40 }))
      .map(([row, ofSubject, from, length]) => {
        const { subject, from: sender } = rows[row % rows.length]!;
        const characters = Array.from(ofSubject ? subject : sender);
        const start = from % Math.max(1, characters.length);
        return characters.slice(start, start + length).join('');
      }),
  },
);
const set = fc.option(needle, { nil: null, freq: 1 });
const filters: fc.Arbitrary<MessageFilter> = fc.record({
  has_otp: fc.boolean(),
  read: fc.constantFrom(null, true, false),
  q: set,
  subject_contains: set,
  from: set,
});

test('an inbox’s search finds what a plain filter finds, page by page', async () => {
  const asked = fc.record({
    inbox_no: fc.constantFrom(...new Set(rows.map((row) => row.inbox_no))),
    filter: filters,
    limit: fc.integer({ min: 1, max: 60 }),
  });
  await fc.assert(
    fc.asyncProperty(asked, async (search) => {
      const found: number[] = [];
      for (let before = Number.MAX_SAFE_INTEGER; ; before = found.at(-1)!) {
        const options = { owner: 'a', signal: new AbortController().signal };
        const some = await appliance.services.store.read(searchMessages, { ...search, before }, options);
        found.push(...some.map(({ received_at }) => received_at));
        if (some.length < search.limit) break;
      }
      expect(found).toEqual(expected({ ...search, before: Number.MAX_SAFE_INTEGER }));
    }),
    { numRuns: Number(process.env.RUNS ?? 60) },
  );
});

test('an account’s search finds what a plain filter finds, even from the middle', async () => {
  const { no: accountNo } = holder.account;
  const asked = fc.record({ filter: filters, limit: fc.integer({ min: 1, max: 60 }), at: fc.nat() });
  await fc.assert(
    fc.asyncProperty(asked, async ({ filter, limit, at }) => {
      const before = rows[at % rows.length]!.received_at;
      const options = { owner: 'a', signal: new AbortController().signal };
      const found = await appliance.services.store.read(
        searchAccount,
        { account_no: accountNo, filter, before, limit },
        options,
      );
      expect(found.map(({ received_at }) => received_at)).toEqual(
        expected({ inbox_no: 0, filter, before }).slice(0, limit),
      );
    }),
    { numRuns: Number(process.env.RUNS ?? 30) },
  );
});
