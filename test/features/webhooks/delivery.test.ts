/** Webhook delivery (docs/webhooks.md): what is sent, how it is signed, and what each answer means. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { disableWebhook, enableWebhook, rotateSecret } from '../../../src/features/webhooks/configure.ts';
import { viewNewSecret } from '../../../src/features/webhooks/view.ts';
import { deliveries } from '../../../src/rules/deliveries.ts';
import type { Received } from '../../peers/https-receiver.ts';
import { sendMail } from '../../peers/smtp-client.ts';
import { spoilContent } from '../../store-state.ts';
import { until } from '../../until.ts';
import { Hooked, type One, readEvent, startHooked } from './hooked.ts';

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

/** Requests for this test's inbox. */
const received = () =>
  one.receiver.requests.filter((request) => readEvent(request).data.message.inbox_id === hooked.inbox.id);

async function firstReceived(): Promise<Received> {
  await until(() => received().length > 0);
  return received()[0]!;
}

/** Verifies as docs/webhooks.md tells a receiver to. */
function verifies(request: Received, secret: string): boolean {
  const [t, ...signatures] = request.headers['x-service-signature']!.split(',');
  const seconds = t!.slice(2);
  const wanted = createHmac('sha256', secret).update(`${seconds}.`).update(request.body).digest('hex');
  return Math.abs(Date.now() / 1000 - Number(seconds)) < 300 && signatures.includes(`v1=${wanted}`);
}

function verifiesStandard(request: Received, secret: string): boolean {
  try {
    new StandardWebhook(secret).verify(request.body.toString(), request.headers);
    return true;
  } catch {
    return false;
  }
}

test('a message received by SMTP is delivered at once: the event, its headers, the message as in the API', async () => {
  const raw = 'From: Ann <ann@example.org>\r\nTo: you@example.org\r\nSubject: Hällo\r\n\r\nhello\r\n';
  const to = [hooked.inbox.address];
  await sendMail({ port: one.appliance.smtpPort, from: 'ann@example.org', to, raw });
  const request = await firstReceived();
  const event = readEvent(request);
  expect(Object.keys(event)).toEqual(['id', 'event', 'created_at', 'data']);
  expect(event.id).toMatch(/^evt_[0-9a-f]{32}$/);
  expect(event.event).toBe('email.received');
  expect(event.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
  const path = `/api/v1/messages/${event.data.message.id}`;
  const message = await one.appliance.request('GET', path, { key: hooked.owner.key });
  expect(event.data).toEqual({ message: message.json.data });
  expect(request).toMatchObject({ method: 'POST', path: '/mail', servername: 'hook.test' });
  expect(request.headers).toMatchObject({
    'content-type': 'application/json',
    'x-service-event': 'email.received',
    'x-service-event-id': event.id,
    'x-service-signature-version': '1',
    'webhook-id': event.id,
    host: `hook.test:${one.receiver.port}`,
  });
  expect(request.headers['user-agent']).toStartWith('Postern');
  const { attempts, ...delivery } = await hooked.attempted(1);
  const { id } = event.data.message;
  expect(delivery).toEqual({
    event_id: event.id,
    event: 'email.received',
    message_id: id,
    status: 'delivered',
    next_attempt_at: null,
  });
  expect(attempts).toEqual([
    { at: expect.any(String), response_status: 200, error: null, duration_ms: expect.any(Number) },
  ]);
});

test('a message to several inboxes is delivered to each webhook, with its own event and message', async () => {
  const other = await Hooked.make(one.appliance, one.url);
  await hooked.arrive({ alsoTo: [other.inbox.address] });
  other.announce('');
  const [here, there] = [await hooked.attempted(1), await other.attempted(1)];
  expect([here.status, there.status]).toEqual(['delivered', 'delivered']);
  expect(here.event_id).not.toBe(there.event_id);
  expect(here.message_id).not.toBe(there.message_id);
});

test('both signatures verify with the right secret and bytes, and with no others', async () => {
  await hooked.arrive();
  const request = await firstReceived();
  for (const check of [verifies, verifiesStandard]) {
    expect(check(request, hooked.secret)).toBe(true);
    expect(check(request, `whsec_${Buffer.alloc(32).toString('base64')}`)).toBe(false);
    const changed = Buffer.from(request.body.toString().replace('email', 'mail_'));
    expect(check({ ...request, body: changed }, hooked.secret)).toBe(false);
  }
});

test('for a day after a rotation both secrets sign', async () => {
  const old = hooked.secret;
  const { services } = one.appliance;
  const { secret } = viewNewSecret(services.key, await rotateSecret(services, hooked.webhook));
  expect(secret).not.toBe(old);
  await hooked.arrive();
  const request = await firstReceived();
  for (const check of [verifies, verifiesStandard]) {
    expect([check(request, secret), check(request, old)]).toEqual([true, true]);
  }
  expect(request.headers['x-service-signature']).toMatch(/^t=\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/);
  expect(request.headers['webhook-signature']!.split(' ')).toHaveLength(2);
});

test('secrets are sealed in the store and absent from the log', async () => {
  const { previous_secret, secret } = hooked.webhook;
  expect(secret.toString('latin1')).not.toContain(hooked.secret.slice(6, 20));
  expect(previous_secret).toBeNull();
  expect(one.appliance.logged.join('\n')).not.toContain('whsec_');
});

describe('an answer of', () => {
  const outcomes: Record<string, number[]> = {
    delivered: [200, 201, 202, 204, 299],
    pending: [408, 425, 429, 500, 502, 503, 504, 599],
    failed: [300, 301, 302, 307, 308, 304, 400, 401, 403, 404, 405, 409, 410, 413, 418, 422],
  };
  for (const [status, answers] of Object.entries(outcomes)) {
    test.each(answers)(`%d leaves the delivery ${status}`, async (code) => {
      one.receiver.answer({ status: code, headers: { location: `${one.url}/elsewhere` }, body: 'no' });
      await hooked.arrive();
      const delivery = await hooked.attempted(1);
      expect([delivery.status, delivery.attempts[0]!.response_status]).toEqual([status as 'failed', code]);
      expect(delivery.next_attempt_at === null).toBe(status !== 'pending');
      expect(received().map(({ path }) => path)).toEqual(['/mail']);
      expect(hooked.webhook.is_enabled).toBe(code === 410 ? 0 : 1);
      await disableWebhook(one.appliance.services, hooked.webhook);
    });
  }
});

test('410 disables the webhook: pending deliveries stay, new mail is not queued, and enabling resumes', async () => {
  one.receiver.answer({ status: 410 });
  await Promise.all([hooked.arrive(), hooked.arrive(), hooked.arrive()]);
  await until(() => hooked.webhook.is_enabled === 0);
  expect(hooked.webhook.disabled_reason).toBe('gone');
  const before = hooked.deliveries.length;
  await hooked.arrive();
  expect(hooked.deliveries).toHaveLength(before);
  expect(hooked.deliveries.map(({ status }) => status).sort()).toEqual(['failed', 'pending', 'pending']);
  one.receiver.answer({ status: 200 });
  await enableWebhook(one.appliance.services, hooked.webhook);
  await until(() => hooked.deliveries.every(({ status }) => status !== 'pending'));
  expect(hooked.deliveries.map(({ status }) => status).sort()).toEqual(['delivered', 'delivered', 'failed']);
});

test('a target that the guard refuses at delivery ends it without a packet', async () => {
  one.dns.setAddresses('moved.test', '127.0.0.1');
  const moved = await Hooked.make(one.appliance, `https://moved.test:${one.receiver.port}/`);
  one.dns.setAddresses('moved.test', '127.0.0.1', '10.0.0.1');
  const connections = one.receiver.connections;
  await moved.arrive();
  const delivery = await moved.attempted(1);
  expect([delivery.status, delivery.attempts[0]!.error]).toEqual(['failed', 'webhook_ssrf_rejected']);
  expect(one.receiver.connections).toBe(connections);
});

test('a receiver whose certificate is not for its name, or that hangs up, is retried', async () => {
  one.dns.setAddresses('other.test', '127.0.0.1');
  const other = await Hooked.make(one.appliance, `https://other.test:${one.receiver.port}/`);
  await other.arrive();
  const refused = await other.attempted(1);
  expect([refused.status, refused.attempts[0]!.response_status]).toEqual(['pending', null]);
  expect(refused.attempts[0]!.error).toBeString();
  one.receiver.answer({ how: 'reset' });
  await hooked.arrive();
  expect((await hooked.attempted(1)).status).toBe('pending');
});

test('a message that is deleted before it was delivered ends its delivery', async () => {
  one.receiver.answer({ status: 500 });
  const id = await hooked.arrive();
  await hooked.attempted(1);
  await one.appliance.request('DELETE', `/api/v1/messages/${id}`, { key: hooked.owner.key });
  const { retryDelivery } = await import('../../../src/features/webhooks/configure.ts');
  await retryDelivery(one.appliance.services, hooked.deliveries[0]!.event_id);
  const delivery = await hooked.attempted(2);
  expect([delivery.status, delivery.attempts[1]!.error]).toEqual(['failed', 'message_deleted']);
  expect(received()).toHaveLength(1);
});

test('a deleted inbox gets no more deliveries', async () => {
  one.receiver.answer({ delay_ms: 50 });
  await Promise.all([hooked.arrive(), hooked.arrive()]);
  await one.appliance.request('DELETE', `/api/v1/inboxes/${hooked.inbox.id}`, { key: hooked.owner.key });
  await until(() => one.appliance.services.webhooks.isIdle);
  expect(received().length).toBeLessThan(2);
});

test('usage counts each attempt, and the inbox says that it has a webhook', async () => {
  await hooked.arrive();
  await hooked.attempted(1);
  const { key } = hooked.owner;
  const account = await one.appliance.request('GET', '/api/v1/account', { key });
  expect(account.json.data.usage).toMatchObject({ messages_received: 1, webhook_attempts: 1 });
  const inbox = await one.appliance.request('GET', `/api/v1/inboxes/${hooked.inbox.id}`, { key });
  expect(inbox.json.data.webhook_configured).toBe(true);
});

test('a plan without webhooks queues nothing', async () => {
  const { changeAccountOp } = await import('../../../src/features/accounts/writes.ts');
  const change = { account_no: hooked.owner.account.no, changes: { plan: 'free' as const } };
  await one.appliance.services.store.write(changeAccountOp, change);
  await hooked.arrive();
  expect(hooked.deliveries).toEqual([]);
});

test('messages that the disk has damaged neither count against their webhook nor delay its other deliveries', async () => {
  await using alone = await startHooked();
  const { appliance, hooked, receiver } = alone;
  const ids: string[] = [];
  for (let count = 0; count <= deliveries.breakerFailures; count++) {
    ids.push(await appliance.deliver(hooked.inbox.address));
    spoilContent(appliance, ids.at(-1)!);
  }
  // Announced only now: after an attempt, the webhook looks for more, and would find a message that is not damaged yet.
  for (const id of ids) hooked.announce(id);
  await until(() => hooked.deliveries.every(({ attempts }) => attempts.length === 1));
  expect(hooked.deliveries.map(({ status }) => status)).toEqual(ids.map(() => 'pending'));
  expect(hooked.webhook).toMatchObject({ failures: 0, failing_since: null });
  const id = await hooked.arrive();
  await until(() => receiver.requests.length === 1);
  expect(readEvent(receiver.requests[0]!).data.message.id).toBe(id);
  expect(appliance.logged.every((line) => line.includes('failed on our side'))).toBe(true);
});
