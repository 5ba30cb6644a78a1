/** A replay while its webhook is turned off, removed or changed, or its inbox is deleted. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Holder } from '../../start.ts';
import { until } from '../../until.ts';
import { type One, readEvent, startHooked } from '../webhooks/hooked.ts';

let one: One;
let owner: Holder;
beforeAll(async () => {
  one = await startHooked({});
  owner = await one.appliance.holder();
});
afterAll(() => one[Symbol.asyncDispose]());

const ask = (method: string, path: string, body?: unknown) =>
  one.appliance.request(method, `/api/v1${path}`, { key: owner.key, body });
const requestsTo = (path: string) => one.receiver.requests.filter((request) => request.path === path);
const makeUrl = (path: string) => one.url.replace('/mail', path);
const isResting = () => one.appliance.services.webhooks.isIdle;

let number = 0;

/** A webhook of the account that has got 30 events. */
async function makeHook() {
  const path = `/race-${++number}`;
  const created = await ask('POST', '/webhooks', { url: makeUrl(path), events: ['email.received'] });
  expect(created.status).toBe(201);
  const inbox = await one.appliance.inbox(owner);
  for (let count = 0; count < 30; count++) await one.appliance.deliver(inbox.address);
  await until(() => requestsTo(path).length >= 30 && isResting());
  return { path, inbox, id: created.json.data.id as string };
}

const all = { since: '2020-01-01T00:00:00Z' };

test('a replay whose webhook is removed at the same moment sends nothing more, and leaves nothing pending', async () => {
  for (let round = 0; round < 5; round++) {
    const { path, id } = await makeHook();
    const [replayed, removed] = await Promise.all([
      ask('POST', `/webhooks/${id}/replay`, all),
      Bun.sleep(round).then(() => ask('DELETE', `/webhooks/${id}`)),
    ]);
    expect([200, 404]).toContain(replayed.status);
    expect(removed.status).toBe(204);
    await until(isResting);
    const sent = requestsTo(path).length;
    expect((await ask('POST', `/webhooks/${id}/replay`, all)).status).toBe(404);
    expect((await ask('GET', `/webhooks/${id}/deliveries`)).status).toBe(404);
    await one.appliance.deliver((await one.appliance.inbox(owner)).address);
    await until(isResting);
    expect(requestsTo(path)).toHaveLength(sent);
  }
});

test('a replay whose webhook is turned off waits, and continues when it is turned on again', async () => {
  const { path, id } = await makeHook();
  const before = requestsTo(path).map((request) => readEvent(request).id);
  await Promise.all([
    ask('POST', `/webhooks/${id}/replay`, all),
    ask('PATCH', `/webhooks/${id}`, { enabled: false }),
  ]);
  await until(isResting);
  expect((await ask('PATCH', `/webhooks/${id}`, { enabled: true })).status).toBe(200);
  await until(() =>
    new Set(
      requestsTo(path)
        .slice(30)
        .map((request) => readEvent(request).id),
    ).isSupersetOf(new Set(before)),
  );
  await until(isResting);
});

test('two replays at once send each event again, at most once for each replay', async () => {
  const { path, id } = await makeHook();
  const answers = await Promise.all([1, 2].map(() => ask('POST', `/webhooks/${id}/replay`, all)));
  for (const { status } of answers) expect(status).toBe(200);
  await until(isResting);
  const counts = new Map<string, number>();
  for (const request of requestsTo(path).slice(30)) {
    const event = readEvent(request).id;
    counts.set(event, (counts.get(event) ?? 0) + 1);
  }
  expect(counts.size).toBeGreaterThanOrEqual(30);
  expect(Math.max(...counts.values())).toBeLessThanOrEqual(2);
});

test('a replay ends when its inbox is deleted meanwhile', async () => {
  const { path, id, inbox } = await makeHook();
  await Promise.all([ask('POST', `/webhooks/${id}/replay`, all), ask('DELETE', `/inboxes/${inbox.id}`)]);
  await until(isResting);
  const { data } = (await ask('GET', `/webhooks/${id}/deliveries?limit=100`)).json;
  expect(data.filter(({ status }: { status: string }) => status === 'pending')).toEqual([]);
  expect(requestsTo(path).length).toBeGreaterThanOrEqual(30);
});
