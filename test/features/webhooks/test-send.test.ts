/** POST /inboxes/{id}/webhook/test (docs/api-v1.md). */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { changeAccountOp } from '../../../src/features/accounts/writes.ts';
import { Message } from '../../../src/features/messages/wire.ts';
import { disableWebhook, removeWebhook, setWebhook } from '../../../src/features/webhooks/configure.ts';
import { FakeClock } from '../../peers/fake-clock.ts';
import { startAppliance } from '../../start.ts';
import { Hooked, makeSurroundings, type One, readEvent, startHooked } from './hooked.ts';

let one: One;
let hooked: Hooked;
beforeAll(async () => {
  one = await startHooked();
});
afterAll(() => one[Symbol.asyncDispose]());
beforeEach(async () => {
  hooked = await Hooked.make(one.appliance, one.url);
  one.receiver.answer({});
});

test('a test sends one signed sample event and answers with how it was received', async () => {
  const { status, json } = await hooked.test();
  expect([status, Object.keys(json.data)]).toEqual([
    200,
    ['delivered', 'response_status', 'signature_version', 'event_id'],
  ]);
  expect(json.data).toMatchObject({ delivered: true, response_status: 200, signature_version: '1' });
  expect(json.data.event_id).toMatch(/^evt_test_[0-9a-f]{32}$/);
  const request = one.receiver.requests.at(-1)!;
  const event = readEvent(request);
  expect(event).toMatchObject({ id: json.data.event_id, event: 'webhook.test' });
  expect(request.headers).toMatchObject({
    'x-service-event': 'webhook.test',
    'x-service-event-id': event.id,
  });
  expect(Message.parse(event.data.message)).toEqual(event.data.message);
  expect(event.data.message.inbox_id).toBe(hooked.inbox.id);
  new StandardWebhook(hooked.secret).verify(request.body.toString(), request.headers);
});

test.each([204, 302, 404, 410, 429, 500])('a test receiver that answers %d was reached', async (status) => {
  one.receiver.answer({ status, headers: { 'retry-after': '9' } });
  const before = one.receiver.requests.length;
  const reply = await hooked.test();
  expect([reply.status, reply.json.data.delivered, reply.json.data.response_status]).toEqual([
    200,
    true,
    status,
  ]);
  expect(one.receiver.requests).toHaveLength(before + 1);
  expect([hooked.webhook.is_enabled, hooked.webhook.failures]).toEqual([1, 0]);
});

test('a test leaves no delivery, works when the webhook is off, and counts as usage even when it fails', async () => {
  await disableWebhook(one.appliance.services, hooked.webhook);
  expect((await hooked.test()).status).toBe(200);
  one.receiver.answer({ how: 'reset' });
  expect((await hooked.test()).status).toBe(502);
  await setWebhook(one.appliance.services, hooked.inbox, 'https://nowhere.test/');
  expect((await hooked.test()).status).toBe(502);
  one.dns.setAddresses('inside.test', '10.0.0.1');
  await setWebhook(one.appliance.services, hooked.inbox, 'https://inside.test/');
  expect((await hooked.test()).status).toBe(400);
  expect(hooked.deliveries).toEqual([]);
  const account = await one.appliance.request('GET', '/api/v1/account', { key: hooked.owner.key });
  expect(account.json.data.usage.webhook_attempts).toBe(4);
});

describe('a test refuses', () => {
  test('an internal target with the reason, without a packet', async () => {
    one.dns.setAddresses('inside.test', '127.0.0.1', '10.0.0.1');
    await setWebhook(one.appliance.services, hooked.inbox, `https://inside.test:${one.receiver.port}/`);
    const connections = one.receiver.connections;
    const { status, json } = await hooked.test();
    expect([status, json.error.code]).toEqual([400, 'webhook_ssrf_rejected']);
    expect(json.error.fields.url).toEqual([expect.stringContaining('10.0.0.1')]);
    expect(one.receiver.connections).toBe(connections);
  });

  test('an unreachable receiver with the reason', async () => {
    const { port } = one.receiver;
    one.dns.setAddresses('other.test', '127.0.0.1');
    for (const url of [`https://other.test:${port}/`, 'https://hook.test:1024/', 'https://nowhere.test/']) {
      await setWebhook(one.appliance.services, hooked.inbox, url);
      const { status, json } = await hooked.test();
      expect([url, status, json.error.code]).toEqual([url, 502, 'webhook_unreachable']);
      expect(json.error.fields.error[0]).toBeString();
    }
  });

  test('an inbox without a webhook, a foreign one and an unknown one', async () => {
    await removeWebhook(one.appliance.services, hooked.webhook);
    const { status, json } = await hooked.test();
    expect([status, json.error.code]).toEqual([404, 'webhook_not_configured']);
    const stranger = await one.appliance.holder();
    for (const id of [hooked.inbox.id, 'inbox_x']) {
      const path = `/api/v1/inboxes/${id}/webhook/test`;
      const reply = await one.appliance.request('POST', path, { key: stranger.key });
      expect([reply.status, reply.json.error.code]).toEqual([404, 'not_found']);
    }
  });

  test('a plan without webhooks, before it looks for the inbox', async () => {
    const free = await one.appliance.holder('free');
    const path = '/api/v1/inboxes/inbox_x/webhook/test';
    const reply = await one.appliance.request('POST', path, { key: free.key });
    expect([reply.status, reply.json.error.code]).toEqual([403, 'webhook_entitlement_required']);
    const change = { account_no: hooked.owner.account.no, changes: { status: 'suspended' as const } };
    await one.appliance.services.store.write(changeAccountOp, change);
    expect((await hooked.test()).json.error.code).toBe('account_forbidden');
  });
});

test('tests are limited to 10 an hour per inbox, by whichever name, and 30 per account', async () => {
  await using around = await makeSurroundings();
  const clock = new FakeClock();
  const settings = { ...around.settings, limits: 'on', limit_requests_per_minute: '1000' };
  await using appliance = await startAppliance({ clock, settings });
  const first = await Hooked.make(appliance, around.url);
  const others: Hooked[] = [];
  for (let count = 0; count < 3; count++) others.push(await Hooked.make(appliance, around.url, first.owner));
  const ask = async ({ owner }: Hooked, name: string) => {
    const reply = await appliance.request('POST', `/api/v1/inboxes/${name}/webhook/test`, { key: owner.key });
    return [reply.status, reply.json.error?.code, reply.headers.get('retry-after')];
  };
  for (let count = 0; count < 10; count++) {
    const name = count % 2 ? first.inbox.id : first.inbox.address.toUpperCase();
    expect(await ask(first, name)).toEqual([200, undefined, null]);
  }
  for (const name of [first.inbox.id, first.inbox.address])
    expect(await ask(first, name)).toEqual([429, 'rate_limited', '3600']);
  // Each of the others has ten left, but all together twenty.
  const statuses: unknown[] = [];
  for (let count = 0; count < 21; count++) statuses.push((await ask(first, others[count % 3]!.inbox.id))[0]);
  expect(statuses).toEqual([...Array(20).fill(200), 429]);
  const stranger = await Hooked.make(appliance, around.url);
  expect((await ask(stranger, first.inbox.id))[0]).toBe(404);
  await clock.advance(3_600_000);
  expect((await ask(first, first.inbox.id))[0]).toBe(200);
}, 20_000);
