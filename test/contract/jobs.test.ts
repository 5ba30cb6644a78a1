import { describe, expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { jobs, startJobs } from '../../src/app/jobs.ts';
import { accountJobs } from '../../src/features/accounts/jobs.ts';
import { deleteAccountOp } from '../../src/features/accounts/writes.ts';
import { DROP_UNFINISHED } from '../../src/features/ingest/writes.ts';
import { searchJobs } from '../../src/features/messages/index-search.ts';
import { messageJobs } from '../../src/features/messages/jobs.ts';
import { OLDEST } from '../../src/features/messages/writes.ts';
import { SECOND_US } from '../../src/platform/core/clock.ts';
import { httpJobs } from '../../src/platform/http/jobs.ts';
import { writeOp } from '../../src/platform/store/operation.ts';
import { fillSearch } from '../features/messages/fill-search.ts';
import { FakeClock } from '../peers/fake-clock.ts';
import { type RunningAppliance, startAppliance } from '../start.ts';
import { countRows, countSearchSegments, explainPlan } from '../store-state.ts';

const DAY_US = 86_400 * SECOND_US;

test('messages are kept for as long as the plan says, on Business forever', async () => {
  const clock = new FakeClock();
  await using appliance = await startAppliance({ clock, settings: { limits: 'off' } });
  const [free, business] = [await appliance.holder('free'), await appliance.holder()];
  const [short, long] = [await appliance.inbox(free), await appliance.inbox(business)];
  for (let count = 0; count < 3; count++) {
    await appliance.deliver(short.address);
    await appliance.deliver(long.address);
  }
  clock.set(clock.nowUs() + 7 * DAY_US - SECOND_US);
  const young = await appliance.deliver(short.address);
  for (const job of messageJobs) await appliance.run(job);
  expect(countRows(appliance, 'message')).toBe(7);
  clock.set(clock.nowUs() + 2 * SECOND_US);
  for (const job of [...messageJobs, ...messageJobs]) await appliance.run(job);
  expect(countRows(appliance, 'message')).toBe(4);
  expect(countRows(appliance, 'raw')).toBe(4);
  const { json } = await appliance.request('GET', `/api/v1/inboxes/${short.id}/messages`, { key: free.key });
  expect(json.data.map(({ id }: { id: string }) => id)).toEqual([young]);
});

test('a deleted inbox is erased in batches with its search index, and other inboxes are untouched', async () => {
  await using appliance = await startAppliance({ settings: { limits: 'off' } });
  const owner = await appliance.holder();
  const [gone, kept] = [await appliance.inbox(owner), await appliance.inbox(owner)];
  await Promise.all(
    Array.from({ length: 1100 }, () => appliance.deliver(gone.address, { subject: 'needle' })),
  );
  await appliance.deliver(gone.address, { alsoTo: [kept.address], subject: 'needle' });
  await fillSearch(appliance);
  await appliance.request('DELETE', `/api/v1/inboxes/${gone.id}`, { key: owner.key });
  for (const job of messageJobs) await appliance.run(job);
  expect([
    countRows(appliance, 'message'),
    countRows(appliance, 'raw'),
    countRows(appliance, 'inbox'),
  ]).toEqual([1, 1, 1]);
  expect(countRows(appliance, 'deleted_message')).toBe(0);
  const list = await appliance.request('GET', `/api/v1/inboxes/${kept.id}/messages?q=needle`, {
    key: owner.key,
  });
  expect(list.json.data).toHaveLength(1);
});

test('the search index is merged step by step, which removes erased messages from it', async () => {
  await using appliance = await startAppliance({ settings: { limits: 'off' } });
  const owner = await appliance.holder();
  const inbox = await appliance.inbox(owner);
  const fill = async (subject: string) => {
    await Promise.all(Array.from({ length: 30 }, () => appliance.deliver(inbox.address, { subject })));
    await fillSearch(appliance);
  };
  for (let round = 0; round < 20; round++) await fill(`needle ${round}`);
  const segments = () => countSearchSegments(appliance);
  // By itself, FTS5 would merge 4 segments of a size, and 16 at the latest.
  expect(segments()).toBeLessThan(8);
  await appliance.request('DELETE', `/api/v1/inboxes/${inbox.id}`, { key: owner.key });
  for (const job of [...messageJobs, ...searchJobs]) await appliance.run(job);
  expect([countRows(appliance, 'message'), segments()]).toEqual([0, 0]);
});

test('a deleted account is erased with everything it owns', async () => {
  await using appliance = await startAppliance();
  const [gone, kept] = [await appliance.holder(), await appliance.holder()];
  const inbox = await appliance.inbox(gone);
  const message = await appliance.deliver(inbox.address);
  await appliance.deliver(inbox.address);
  await appliance.request('DELETE', `/api/v1/messages/${message}`, { key: gone.key });
  await appliance.services.store.write(deleteAccountOp, { account_no: gone.account.no });
  expect((await appliance.request('GET', '/api/v1/inboxes', { key: gone.key })).status).toBe(401);
  for (const job of [...accountJobs, ...messageJobs, ...accountJobs]) await appliance.run(job);
  const left = ['message', 'raw', 'inbox', 'deleted_message', 'usage'].map((table) =>
    countRows(appliance, table),
  );
  expect(left).toEqual([0, 0, 0, 0, 0]);
  expect(countRows(appliance, 'account')).toBe(1);
  expect((await appliance.request('GET', '/api/v1/account', { key: kept.key })).status).toBe(200);
});

test('tombstones are removed after 30 days, and Idempotency-Keys after a day', async () => {
  const clock = new FakeClock();
  await using appliance = await startAppliance({ clock });
  const owner = await appliance.holder();
  const inbox = await appliance.inbox(owner);
  const id = await appliance.deliver(inbox.address);
  const headers = { 'idempotency-key': 'k' };
  const create = () => appliance.request('POST', '/api/v1/inboxes', { key: owner.key, headers });
  const first = (await create()).json.data.id;
  const remove = async () => {
    const body = { action: 'delete', ids: [id] };
    return (await appliance.request('POST', '/api/v1/messages/batch', { key: owner.key, body })).json.data
      .results[0];
  };
  expect((await remove()).status).toBe('deleted');
  clock.set(clock.nowUs() + DAY_US - SECOND_US);
  expect((await create()).json.data.id).toBe(first);
  clock.set(clock.nowUs() + 2 * SECOND_US);
  expect((await create()).json.data.id).not.toBe(first);
  clock.set(clock.nowUs() + 2 * DAY_US);
  for (const job of [...httpJobs, ...messageJobs]) await appliance.run(job);
  expect(countRows(appliance, 'idempotency')).toBe(0);
  expect((await remove()).status).toBe('deleted');
  clock.set(clock.nowUs() + 30 * DAY_US);
  for (const job of messageJobs) await appliance.run(job);
  expect(countRows(appliance, 'deleted_message')).toBe(0);
  expect((await remove()).status).toBe('not_found');
});

test.each(jobs.map((job) => [job.name, job] as const))(
  '%s writes nothing when it is stopped before it begins',
  async (_, job) => {
    await using appliance = await startAppliance();
    const { store } = appliance.services;
    const written: string[] = [];
    const write = store.write.bind(store);
    store.write = (operation, input) => {
      written.push(operation.name);
      return write(operation, input);
    };
    await job.run(appliance.services, AbortSignal.abort());
    expect(written).toEqual([]);
  },
);

test('a failed job is logged and runs again, and the others continue', async () => {
  const clock = new FakeClock();
  await using appliance = await startAppliance({ clock: new FakeClock() });
  let runs = 0;
  const broken = { name: 'broken', everyS: 10, run: () => Promise.reject(new Error('no')) };
  const fine = { name: 'fine', everyS: 10, run: async () => void runs++ };
  const started = startJobs({ ...appliance.services, clock }, [broken, fine]);
  await clock.advance(35_000);
  expect(runs).toBe(3);
  expect(appliance.logged.filter((line) => line.includes('"broken"'))).toHaveLength(3);
  await started.stop();
  await clock.advance(60_000);
  expect([runs, clock.timersSet]).toEqual([3, 0]);
});

test('an unknown write operation is an internal error', async () => {
  await using appliance = await startAppliance();
  const unknown = writeOp('test.unknown', () => 0);
  // Not `.rejects`: Bun runs a second event loop inside it, in which no setImmediate runs.
  const fault = await appliance.services.store.write(unknown, null).catch(String);
  expect(fault).toContain('no write operation is named test.unknown');
});

test('the operator can keep messages for less time than the plan', async () => {
  const clock = new FakeClock();
  await using appliance = await startAppliance({
    clock,
    settings: { limits: 'off', retention_days: '2', metrics: 'on' },
  });
  const holders = [await appliance.holder('free'), await appliance.holder('business')];
  for (const holder of holders) await appliance.deliver((await appliance.inbox(holder)).address);
  for (const [days, left] of [
    [1, 2],
    [2, 0],
  ] as const) {
    clock.set(clock.nowUs() + days * DAY_US);
    for (const job of messageJobs) await appliance.run(job);
    expect(countRows(appliance, 'message')).toBe(left);
  }
  const { text } = await appliance.request('GET', '/metrics');
  expect(text).toContain('postern_messages_erased_total{reason="age"} 2');
});

describe('a store with a bound', () => {
  const bytes = (appliance: RunningAppliance) => appliance.services.store.size;
  const random = () => randomBytes(40_000).toString('base64');

  test('loses only as many of its oldest messages as it must, and frees the disk space', async () => {
    const settings = { limits: 'off', store_max_size: '8MiB' };
    await using appliance = await startAppliance({ settings, logLevel: 'info' });
    const owner = await appliance.holder();
    const { id, address } = await appliance.inbox(owner);
    const ids: string[] = [];
    for (let count = 0; count < 400; count++) ids.push(await appliance.deliver(address, { raw: random() }));
    const before = bytes(appliance).bytes;
    expect(before).toBeGreaterThan(14 * 1024 * 1024);
    for (const job of messageJobs) await appliance.run(job);
    const after = bytes(appliance);
    expect(after.bytes - after.freeBytes).toBeLessThanOrEqual(8 * 1024 * 1024);
    expect(after.bytes).toBeLessThan(before * 0.8);
    const list = await appliance.request('GET', `/api/v1/inboxes/${id}/messages?limit=100`, {
      key: owner.key,
    });
    const left = countRows(appliance, 'message');
    expect(left).toBeGreaterThan(50);
    expect(list.json.data.map((one: { id: string }) => one.id)).toEqual(
      ids.slice(-left).slice(-100).reverse(),
    );
    expect(appliance.logged.join('')).toContain('the oldest messages were erased');
  });

  test('is unchanged within the bound, and erasing stops when it frees no space', async () => {
    await using small = await startAppliance({ settings: { limits: 'off', store_max_size: '64MiB' } });
    await small.deliver((await small.inbox(await small.holder())).address);
    for (const job of messageJobs) await small.run(job);
    expect(countRows(small, 'message')).toBe(1);
    // Even an empty store is larger.
    await using tight = await startAppliance({ settings: { limits: 'off', store_max_size: '1' } });
    await tight.deliver((await tight.inbox(await tight.holder())).address);
    for (const job of messageJobs) await tight.run(job);
    expect(tight.logged.join('')).toContain('does not make it smaller');
    tight.logged.length = 0;
  });

  test('finds its oldest messages without reading the rest', async () => {
    await using appliance = await startAppliance();
    const plan = explainPlan(appliance, OLDEST);
    expect(plan).toContain('SCAN m');
    expect(plan).not.toContain('TEMP B-TREE');
  });

  test('finds unfinished mail at start without reading every message', async () => {
    await using appliance = await startAppliance();
    expect(explainPlan(appliance, DROP_UNFINISHED)).toStartWith(
      'SCAN raw USING COVERING INDEX raw_unfinished;',
    );
  });
});
