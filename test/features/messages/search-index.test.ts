/** The index of texts never changes what a search finds, stays in step with deletes, and is filled in small pieces. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { mergeSearch, searchJobs } from '../../../src/features/messages/index-search.ts';
import { indexTextOp } from '../../../src/features/messages/query/writes.ts';
import { FakeClock } from '../../peers/fake-clock.ts';
import { foldPlainly } from '../../rules/plain-fold.ts';
import { startAppliance } from '../../start.ts';
import { countRows } from '../../store-state.ts';

const PIECES = [
  'a',
  'ab',
  'abc',
  'ABCABD',
  'é',
  'e\u0301',
  'ß',
  'İ',
  'Σ',
  'ΣΑΣ',
  '日',
  '本語',
  '日本',
  '👍🏽',
  '\ue000',
  '%',
  '"',
  '\\',
  "'",
];
const MORE = [
  '*',
  '(',
  ':',
  '-',
  ' ',
  '  ',
  '\n',
  'AND',
  'NEAR(',
  '\0',
  '\u0001\u0001',
  '\ud800',
  '\u{10e000}\ue000',
  'code 12',
];
const text = fc.array(fc.constantFrom(...PIECES, ...MORE), { maxLength: 7 }).map((pieces) => pieces.join(''));

const foldBlanks = (value: string) => foldPlainly(value).replace(/\s+/g, ' ');
const fold = (value: string) => foldBlanks(value).trim();

test('a search finds what a plain comparison finds, indexed or not, even after deletes', async () => {
  await using appliance = await startAppliance({ settings: { limits: 'off' } });
  const holder = await appliance.holder();
  const inbox = await appliance.inbox(holder);
  const mails = fc.sample(fc.record({ subject: text, body: text }), { numRuns: 240, seed: 3 });
  const stored: { id: string; subject: string; body: string }[] = [];
  for (const { subject, body } of mails) {
    const id = await appliance.deliver(inbox.address, { subject, content: { text: body } });
    // A mail without text is searched by its HTML, of which these have none.
    stored.unshift({ id, subject, body });
    if (stored.length === 160) while ((await appliance.services.store.write(indexTextOp, { rows: 20 })) > 0);
  }
  const deleted = stored.filter((_, at) => at % 9 === 0).map(({ id }) => id);
  const body = { action: 'delete', ids: deleted };
  await appliance.request('POST', '/api/v1/messages/batch', { key: holder.key, body });
  const left = stored.filter(({ id }) => !deleted.includes(id));

  const query = fc.record({ value: text, not: fc.boolean(), place: fc.constantFrom('subject', 'body') });
  for (const round of ['in part', 'whole']) {
    for (const { value, not, place } of fc.sample(query, { numRuns: 120, seed: 5 })) {
      if (fold(value) === '') continue;
      const needle = foldBlanks(value);
      const asked = `${not ? '-' : ''}${place}:"${value.toWellFormed().replace(/["\\]/g, '\\$&')}"`;
      const wanted = left.filter((one) => fold(one[place as 'subject']).includes(needle) !== not);
      const path = `/api/v1/messages?limit=100&search=${encodeURIComponent(asked)}`;
      const { json } = await appliance.request('GET', path, { key: holder.key });
      const found = json.data.map(({ id }: { id: string }) => id);
      expect([round, asked, found]).toEqual([round, asked, wanted.slice(0, 100).map(({ id }) => id)]);
    }
    while ((await appliance.services.store.write(indexTextOp, { rows: 20 })) > 0);
    while ((await appliance.services.store.write(mergeSearch, null)) > 0);
  }
  expect(countRows(appliance, 'search_row')).toBe(left.length);
});

test('the index is filled in short steps, each of which continues where the last one ended', async () => {
  await using appliance = await startAppliance({ settings: { limits: 'off' } });
  const holder = await appliance.holder();
  const inbox = await appliance.inbox(holder);
  const word = (nth: number) => (nth * 7_919).toString(36);
  for (let nth = 0; nth < 60; nth++) {
    const long = Array.from({ length: 60_000 }, (_, at) => word(nth * 100_000 + at)).join(' ');
    await appliance.deliver(inbox.address, { content: { text: long, html: long } });
  }
  const { store } = appliance.services;
  // Each has 800 KB to unpack: a step of a few milliseconds ends long before the last one.
  const steps: number[] = [];
  for (let rows = 1; rows > 0; steps.push(rows)) rows = await store.write(indexTextOp, { rows: 200 });
  expect(Math.max(...steps)).toBeLessThan(60);
  expect(countRows(appliance, 'search_row')).toBe(60);
  await appliance.request('DELETE', `/api/v1/inboxes/${inbox.id}`, { key: holder.key });
  const { messageJobs } = await import('../../../src/features/messages/jobs.ts');
  for (const job of messageJobs.filter(({ name }) => name === 'messages.erase_deleted_inboxes'))
    await appliance.run(job);
  expect(countRows(appliance, 'search_row')).toBe(0);
});

test('indexing waits until a flood of mail is over', async () => {
  const clock = new FakeClock();
  await using appliance = await startAppliance({ clock, settings: { limits: 'off' } });
  const inbox = await appliance.inbox(await appliance.holder());
  const runJob = async () => {
    for (const job of searchJobs) await appliance.run(job);
    return countRows(appliance, 'search_row');
  };
  await appliance.deliver(inbox.address);
  expect(await runJob()).toBe(1);
  await Promise.all(Array.from({ length: 60 }, () => appliance.deliver(inbox.address)));
  expect(await runJob()).toBe(1);
  // The server runs the job each second, too.
  for (let times = 0; times < 50 && (await runJob()) < 61; times++) await clock.advance(100);
  expect(countRows(appliance, 'search_row')).toBe(61);
});
