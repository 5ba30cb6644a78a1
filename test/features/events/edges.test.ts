/** GET /events at its edges: which cursors it accepts, where pages end, and what retention leaves. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { eventJobs } from '../../../src/features/events/jobs.ts';
import { deliveries } from '../../../src/rules/deliveries.ts';
import { FakeClock } from '../../peers/fake-clock.ts';
import { type Holder, type RunningAppliance, startAppliance } from '../../start.ts';
import { verdict } from '../outbound/sender.ts';

let appliance: RunningAppliance;
let clock: FakeClock;
let owner: Holder;
let inbox: { id: string; address: string };
beforeEach(async () => {
  clock = new FakeClock();
  appliance = await startAppliance({ clock, settings: { limits: 'off' } });
  owner = await appliance.holder();
  inbox = await appliance.inbox(owner);
  await events();
});
afterEach(() => appliance[Symbol.asyncDispose]());

const events = (query = '', key = owner.key) => appliance.request('GET', `/api/v1/events${query}`, { key });

async function fill(count: number): Promise<void> {
  for (let at = 0; at < count; at += 200)
    await Promise.all(
      Array.from({ length: Math.min(200, count - at) }, () => appliance.deliver(inbox.address)),
    );
}

interface Event {
  created_at: string;
  event: string;
}

/** All pages from a query on. */
async function readAll(query: string): Promise<Event[]> {
  const all: Event[] = [];
  for (let cursor = ''; ; ) {
    const { data, pagination } = (await events(`${query}${cursor}`)).json;
    all.push(...data);
    if (!pagination.has_more) return all;
    cursor = `&cursor=${pagination.next_cursor}`;
  }
}

test('a cursor is refused when it is forged, or belongs to another list, filter or account', async () => {
  await fill(3);
  const { next_cursor: cursor } = (await events('?limit=1')).json.pagination;
  const stranger = await appliance.holder();
  const { next_cursor: ofMessages } = (
    await appliance.request('GET', '/api/v1/messages?limit=1', { key: owner.key })
  ).json.pagination;
  const refused = '422 validation_error cursor';
  const forged = `${cursor.slice(0, -4)}zzzz`;
  const signed = `${Buffer.from('zzzz').toString('base64url')}.${cursor.slice(0, 22)}`;
  for (const query of [
    `?cursor=${forged}`,
    `?cursor=${signed}`,
    `?cursor=${cursor}.x`,
    `?cursor=${cursor.slice(0, -1)}`,
    `?cursor=${ofMessages}`,
    `?cursor=${cursor}&event=email.received`,
    `?cursor=${cursor}&inbox_id=${inbox.id}`,
    `?cursor=${cursor}&since=2026-01-01T00:00:00Z`,
    '?cursor=',
  ])
    expect([query, verdict(await events(query))]).toEqual([query, refused]);
  expect(verdict(await events(`?cursor=${cursor}`, stranger.key))).toBe(refused);
  expect((await events(`?cursor=${cursor}&limit=5`)).json.data).toHaveLength(2);
});

test('`since` is exclusive, to the microsecond', async () => {
  await fill(3);
  const all = await readAll('?limit=1');
  expect(all).toHaveLength(3);
  expect(await readAll(`?since=${all[1]!.created_at}`)).toEqual([all[2]!]);
  expect(await readAll(`?since=${all[2]!.created_at}`)).toEqual([]);
  expect(await readAll('?since=2099-01-01T00:00:00Z')).toEqual([]);
  expect(await readAll('?since=0001-01-01T00:00:00Z')).toEqual(all);
  for (const since of ['yesterday', '', '1e9', 'evt_x'])
    expect([since, verdict(await events(`?since=${since}`))]).toEqual([since, '422 validation_error since']);
});

test('an event that happens between two pages is on a later one, once', async () => {
  await fill(4);
  const first = (await events('?limit=3')).json;
  await fill(3);
  const rest = (await events(`?limit=100&cursor=${first.pagination.next_cursor}`)).json;
  expect([...first.data, ...rest.data]).toEqual(await readAll('?limit=100'));
  expect(rest.data).toHaveLength(4);
});

test('a filter that excludes thousands of events returns empty pages with a cursor, and loses nothing', async () => {
  await fill(deliveries.lookedThroughMax + 10);
  const [id] = (await appliance.request('GET', '/api/v1/messages?limit=1', { key: owner.key })).json.data;
  await appliance.request('DELETE', `/api/v1/messages/${id.id}`, { key: owner.key });
  const page = (await events('?event=message.deleted&limit=1')).json;
  expect([page.data, page.pagination.has_more]).toEqual([[], true]);
  expect((await readAll('?event=message.deleted&limit=1')).map(({ event }) => event)).toEqual([
    'message.deleted',
  ]);
}, 30_000);

test('a cursor still works after its event was forgotten, and a reader who was away too long starts over', async () => {
  await fill(3);
  const { next_cursor: cursor } = (await events('?limit=1')).json.pagination;
  await clock.leap(deliveries.keptS * 1000 - 3_600_000);
  await fill(2);
  await clock.leap(2 * 3_600_000);
  await events('?limit=1');
  for (const job of eventJobs) await appliance.run(job);
  expect((await events(`?cursor=${cursor}`)).json.data).toHaveLength(2);
  await clock.leap(deliveries.readerKeptS * 1000 + 86_400_000);
  for (const job of eventJobs) await appliance.run(job);
  await fill(2);
  expect((await events(`?cursor=${cursor}`)).json.data).toEqual([]);
  await fill(1);
  expect((await events(`?cursor=${cursor}`)).json.data).toHaveLength(1);
});
