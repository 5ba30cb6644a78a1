/** Searches of one account in parallel, and those of other accounts next to them, through the API. */
import { expect, test } from 'bun:test';
import { findInboxById } from '../../../src/features/inboxes/sql.ts';
import { searchMessages } from '../../../src/features/messages/search.ts';
import type { Steps } from '../../../src/platform/store/operation.ts';
import { READS_PER_OWNER_MAX } from '../../../src/platform/store/read-turns.ts';
import { type RunningAppliance, startAppliance } from '../../start.ts';
import { openCounting, storedArrival, storedMessageIds } from '../../store-state.ts';
import { fillSearch } from './fill-search.ts';

test('one account may run a bounded number of searches, and then gets 429 while other accounts are served', async () => {
  await using appliance = await startAppliance({ settings: { limits: 'off' } });
  const [busy, calm] = [await appliance.holder(), await appliance.holder()];
  const search = async (holder = busy) => {
    const { id, address } = await appliance.inbox(holder);
    await appliance.deliver(address, { subject: 'Größe 12' });
    return () => appliance.request('GET', `/api/v1/inboxes/${id}/messages?q=größe`, { key: holder.key });
  };
  const [flood, other] = [await search(), await search(calm)];
  const replies = Array.from({ length: READS_PER_OWNER_MAX * 4 }, flood);
  const calmReply = await other();
  expect([calmReply.status, calmReply.json.data.length]).toEqual([200, 1]);
  const all = await Promise.all(replies);
  const refused = all.filter(({ status }) => status === 429);
  expect(all.filter(({ status }) => status === 200).length + refused.length).toBe(all.length);
  for (const { json, headers } of refused) {
    expect([json.error.code, headers.get('retry-after')]).toEqual(['rate_limited', '1']);
  }
  expect((await flood()).status).toBe(200);
});

test('more messages than one turn covers, indexed or not, are searched completely, page by page', async () => {
  await using appliance = await startAppliance({ settings: { limits: 'off' } });
  const holder = await appliance.holder();
  const { id, address } = await appliance.inbox(holder);
  // Repeated pieces: a message with every trigram of the text need not contain the text.
  const subject = (nth: number) =>
    `${nth % 10 === 0 ? 'abcabd' : 'abdabc'} ${nth}, and more of the same that is in each of them`;
  for (let nth = 0; nth < 1_300; nth += 50) {
    const some = Array.from({ length: 50 }, (_, at) => nth + at);
    await Promise.all(some.map((one) => appliance.deliver(address, { subject: subject(one) })));
  }
  await fillSearch(appliance);
  const found: string[] = [];
  for (let cursor = ''; ; ) {
    const path = `/api/v1/inboxes/${id}/messages?q=ABCABD&limit=25${cursor}`;
    const { json } = await appliance.request('GET', path, { key: holder.key });
    found.push(...json.data.map((row: { subject: string }) => row.subject));
    if (!json.pagination.has_more) break;
    cursor = `&cursor=${encodeURIComponent(json.pagination.next_cursor)}`;
  }
  expect(new Set(found).size).toBe(130);
  expect(found).toHaveLength(130);
  expect(found.every((text) => text.startsWith('abcabd'))).toBe(true);

  // A long text is searched by its pieces: one that no message contains avoids reading those with all the others.
  expect(countLookedAt(appliance, id, 'and more of the same that is in each of them')).toBe(26);
  expect(countLookedAt(appliance, id, 'and more of the same that is in each of themx')).toBe(0);
  expect(countLookedAt(appliance, id, 'and more of the same that was in each of them')).toBe(0);
});

/** How many messages after the newest ones a search reads one by one. */
function countLookedAt(appliance: RunningAppliance, inboxId: string, q: string): number {
  using store = openCounting(appliance, 'm.received_at = ? AND m.inbox_no = ?');
  const { no: inboxNo } = findInboxById(appliance.services.store, inboxId)!;
  const filter = { has_otp: false, read: null, q, subject_contains: null, from: null };
  // Older than those that are scanned without the index.
  const before = storedArrival(appliance, storedMessageIds(appliance, inboxNo)[1100]!)!.received_at;
  const reading = { ...store, isTurnOver: () => false };
  const steps = searchMessages.run(reading, {
    inbox_no: inboxNo,
    filter,
    before,
    limit: 1026,
  }) as Steps<unknown>;
  while (!steps.next().done);
  return store.runs();
}
