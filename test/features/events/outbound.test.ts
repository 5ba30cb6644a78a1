/** The events about an email that was sent. */
import { expect, test } from 'bun:test';
import {
  leaseEmailOp,
  recordAttemptOp,
  recordReportOp,
} from '../../../src/features/outbound/sending/writes.ts';
import { until } from '../../until.ts';
import { Sender, sending } from '../outbound/sender.ts';
import { readEvent, startHooked } from '../webhooks/hooked.ts';

/** The receiver's name is in a DNS server of its own. */
const { dns_servers: _, ...forSending } = sending as Record<string, string>;

/** Each test makes the attempts itself: the server could otherwise make its own first. */
async function startSending() {
  const one = await startHooked({ settings: forSending });
  await one.appliance.services.sender!.stop();
  return one;
}

test('an email that is sent, bounces or fails is one event per change, with its recipients', async () => {
  await using one = await startSending();
  const { store } = one.appliance.services;
  const sender = await Sender.join(one.appliance);
  const events = ['email.sent', 'email.bounced', 'email.failed'];
  expect((await sender.post('/webhooks', { url: one.url, events })).status).toBe(201);
  const received = () => one.receiver.requests.map(readEvent);
  const attempt = async (status: 'sent' | 'rejected') => {
    const { id } = (await sender.send()).json.data;
    const leased = (await store.write(leaseEmailOp, { share: 'all' }))!;
    const results = leased.recipients.map(({ no }) => ({ no, status, response: 'said', suppress: null }));
    await store.write(recordAttemptOp, { outbound_no: leased.no, results });
    return { id, recipients: leased.recipients };
  };
  const { id, recipients } = await attempt('sent');
  await until(() => received().length === 1);
  expect(received()[0]).toMatchObject({
    event: 'email.sent',
    data: { outbound_email: { id, status: 'sent' } },
  });

  const failures = recipients.map(({ no }) => ({ no, response: 'reported: gone', suppress: null }));
  await store.write(recordReportOp, { id, failures });
  await until(() => received().length === 2);
  expect(received()[1]).toMatchObject({
    event: 'email.bounced',
    data: { outbound_email: { id, status: 'bounced' } },
  });
  // The same report again changes nothing, and causes no event.
  await store.write(recordReportOp, { id, failures });

  const refused = await attempt('rejected');
  await until(() => received().length === 3);
  expect(received()[2]).toMatchObject({
    event: 'email.failed',
    data: { outbound_email: { id: refused.id } },
  });
});

test('each report about a recipient is an event, also when the email had already bounced for another', async () => {
  await using one = await startSending();
  const { store } = one.appliance.services;
  const sender = await Sender.join(one.appliance);
  expect((await sender.post('/webhooks', { url: one.url, events: ['email.bounced'] })).status).toBe(201);
  const { id } = (await sender.send({ to: ['ann@example.org', 'bob@example.org'] })).json.data;
  const { no, recipients } = (await store.write(leaseEmailOp, { share: 'all' }))!;
  const sent = recipients.map(({ no }) => ({ no, status: 'sent' as const, response: 'ok', suppress: null }));
  await store.write(recordAttemptOp, { outbound_no: no, results: sent });
  for (const [index, { no }] of recipients.entries()) {
    const failures = [{ no, response: 'reported: gone', suppress: null }];
    await store.write(recordReportOp, { id, failures });
    await until(() => one.receiver.requests.length === index + 1);
  }
  const received = one.receiver.requests.map(readEvent);
  expect(received.map(({ event }) => event)).toEqual(['email.bounced', 'email.bounced']);
  expect(new Set(received.map(({ id }) => id)).size).toBe(2);
});
