/** The queue in the store: a POST writes all of it or nothing, and caps survive a restart. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Account } from '../../../src/features/accounts/account.ts';
import { readUsage } from '../../../src/features/accounts/sql.ts';
import { outboundJobs } from '../../../src/features/outbound/jobs.ts';
import { openMime } from '../../../src/features/outbound/mime/sql.ts';
import { recoverSendingOp } from '../../../src/features/outbound/sending/writes.ts';
import {
  countAllQueued,
  countQueued,
  findOwnEmail,
  listRecipients,
  QUEUED_EMAILS,
  readSending,
} from '../../../src/features/outbound/sql.ts';
import {
  forgetEmailsOp,
  type NewEmail,
  queueEmailOp,
  type SendingCaps,
} from '../../../src/features/outbound/writes.ts';
import { DAY_US, formatMonth } from '../../../src/platform/core/clock.ts';
import { Failure } from '../../../src/platform/core/failure.ts';
import { newId } from '../../../src/platform/core/id.ts';
import { FakeClock } from '../../peers/fake-clock.ts';
import { type RunningAppliance, startAppliance } from '../../start.ts';
import { countRows, explainPlan, markSent } from '../../store-state.ts';
import { until } from '../../until.ts';
import { startSendingServer, storedMime } from './sending-server.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'postern-queue-'));
const clock = new FakeClock();
let appliance: RunningAppliance;
beforeAll(async () => {
  appliance = await startAppliance({ clock, dataDir });
});
afterAll(async () => {
  await appliance[Symbol.asyncDispose]();
  rmSync(dataDir, { recursive: true });
});

const plenty: SendingCaps = { queued: 500, perHour: 200, perDay: 1000 };

function makeEmail(account: Account, ...to: string[]): NewEmail {
  return {
    id: newId('outbound_email'),
    account_no: account.no,
    inbox_id: null,
    kind: 'send',
    from_domain: 'shop.test',
    sender: 'hello@shop.test',
    from_address: 'Shop <hello@shop.test>',
    to: JSON.stringify(to),
    cc: '[]',
    bcc: '[]',
    reply_to: null,
    subject: 'Hello',
    message_id: '<1@shop.test>',
    in_reply_to: null,
    references: '[]',
    placing: { ref: null, refs: [] },
    answers: null,
    reply_text: null,
    recipients: to.map((email) => ({ email, domain: email.split('@')[1]!, field: 'to' })),
    attachments: [],
    stored: storedMime('Subject: Hello\r\n\r\nbody\r\n'),
  };
}

/** Queues, and returns the error code or `queued`. */
async function queue(email: NewEmail, caps = plenty): Promise<string> {
  try {
    await appliance.services.store.write(queueEmailOp, { email, caps, holdForS: null, once: null });
    return 'queued';
  } catch (thrown) {
    if (!(thrown instanceof Failure)) throw thrown;
    return `${thrown.code} ${thrown.retryAfterS ?? ''}`.trim();
  }
}

describe('an email that is queued', () => {
  test('is stored with its recipients and bytes, due now, for 48 hours', async () => {
    const { account } = await appliance.holder();
    const asked = makeEmail(account, 'ann@example.org', 'Bob@example.net');
    const whole = await appliance.services.store.write(queueEmailOp, {
      email: asked,
      caps: plenty,
      holdForS: null,
      once: null,
    });
    const { store } = appliance.services;
    const now = clock.nowUs();
    const email = findOwnEmail(store, account.no, asked.id)!;
    expect(whole).toEqual({ email, recipients: listRecipients(store, email.no) });
    expect(email).toMatchObject({ status: 'queued', attempts: 0, last_error: null, sent_at: null });
    expect(email).toMatchObject({ created_at: now, expires_at: now + 48 * 3_600_000_000 });
    expect(whole.recipients).toMatchObject([
      {
        email: 'ann@example.org',
        domain: 'example.org',
        status: 'queued',
        next_attempt_at: now,
        attempts: 0,
      },
      {
        email: 'Bob@example.net',
        domain: 'example.net',
        status: 'queued',
        next_attempt_at: now,
        attempts: 0,
      },
    ]);
    expect(String([...openMime(store, email.no)!.read()][0])).toBe('Subject: Hello\r\n\r\nbody\r\n');
    expect(readUsage(store, account.no, formatMonth(now)).outbound_recipients).toBe(2);
    const { account: other } = await appliance.holder();
    expect(findOwnEmail(store, other.no, email.id)).toBeNull();
  });

  test('is found by indexes alone', () => {
    expect(explainPlan(appliance, QUEUED_EMAILS)).toBe(
      'SEARCH outbound_email USING COVERING INDEX outbound_email_waiting (account_no=?)',
    );
  });
});

describe('caps', () => {
  test('per hour and day count recipients, in windows that begin with the first', async () => {
    const { account } = await appliance.holder();
    const caps = { ...plenty, perHour: 3, perDay: 5 };
    expect(await queue(makeEmail(account, 'a@x.test', 'b@x.test'), caps)).toBe('queued');
    await clock.leap(600_000);
    expect(await queue(makeEmail(account, 'a@x.test', 'b@x.test'), caps)).toBe(
      'outbound_quota_exceeded 3000',
    );
    expect(await queue(makeEmail(account, 'a@x.test'), caps)).toBe('queued');
    expect(await queue(makeEmail(account, 'a@x.test'), caps)).toBe('outbound_quota_exceeded 3000');
    await clock.leap(2_999_000);
    expect(await queue(makeEmail(account, 'a@x.test'), caps)).toBe('outbound_quota_exceeded 1');
    await clock.leap(1000);
    expect(await queue(makeEmail(account, 'a@x.test', 'b@x.test'), caps)).toBe('queued');
    expect(await queue(makeEmail(account, 'a@x.test'), caps)).toBe(`outbound_quota_exceeded ${23 * 3600}`);
    await clock.leap(23 * 3_600_000);
    expect(await queue(makeEmail(account, 'a@x.test'), caps)).toBe('queued');
    // What was refused was not metered.
    expect(
      readUsage(appliance.services.store, account.no, formatMonth(clock.nowUs())).outbound_recipients,
    ).toBe(6);
  });

  test('outlive a restart, and a clock that is set back neither lifts nor lengthens them', async () => {
    const { account } = await appliance.holder();
    const caps = { ...plenty, perHour: 2 };
    expect(await queue(makeEmail(account, 'a@x.test', 'b@x.test'), caps)).toBe('queued');
    await appliance[Symbol.asyncDispose]();
    appliance = await startAppliance({ clock, dataDir });
    expect(await queue(makeEmail(account, 'a@x.test'), caps)).toBe('outbound_quota_exceeded 3600');
    const before = readSending(appliance.services.store, account.no).hour_from;
    expect(before).toBe(clock.nowUs());
    clock.set(before - 86_400_000_000);
    expect(await queue(makeEmail(account, 'a@x.test'), caps)).toBe('outbound_quota_exceeded 3600');
    clock.set(before);
  });

  test('do not wait for a future time that a clock had before it was set back while the server was down', async () => {
    const { account } = await appliance.holder();
    const email = makeEmail(account, 'a@x.test');
    await queue(email, plenty);
    const { store } = appliance.services;
    const dueAt = () =>
      listRecipients(store, findOwnEmail(store, account.no, email.id)!.no)[0]!.next_attempt_at;
    const [queuedAt, now] = [clock.nowUs(), clock.nowUs() - 30 * 86_400_000_000];
    expect(dueAt()).toBe(queuedAt);
    clock.set(now);
    await store.write(recoverSendingOp, { after: null, max: 1_000 });
    expect(dueAt()).toBe(now);
    clock.set(queuedAt);
  });

  test('of the queue count pending emails', async () => {
    const { account } = await appliance.holder();
    const caps = { ...plenty, queued: 2 };
    for (const expected of ['queued', 'queued', 'outbound_rate_limited 60']) {
      expect(await queue(makeEmail(account, 'a@x.test'), caps)).toBe(expected);
    }
    expect(countQueued(appliance.services.store, account.no)).toBe(2);
  });
});

test('finished emails expire at the same age as messages, and pending ones stay', async () => {
  await using own = await startAppliance({ clock, settings: { plan_business_retention_days: '30' } });
  const { store } = own.services;
  const { account } = await own.holder();
  const put = async () => {
    const email = makeEmail(account, 'a@x.test');
    await store.write(queueEmailOp, { email, caps: plenty, holdForS: null, once: null });
    return email.id;
  };
  const [done, waiting] = [await put(), await put()];
  markSent(own, done);
  await clock.leap(29 * 86_400_000);
  const young = await put();
  markSent(own, young);
  const left = async () => {
    for (const job of outboundJobs) await own.run(job);
    return [done, waiting, young].map((id) => findOwnEmail(store, account.no, id) !== null);
  };
  expect(await left()).toEqual([true, true, true]);
  await clock.leap(86_400_000 + 1000);
  expect(await left()).toEqual([false, true, true]);
  expect(countRows(own, 'outbound_mime')).toBe(1);
});

test('an email that one recipient refused is kept while another is pending', async () => {
  await using sender = await startSendingServer({ clock, settings: { plan_business_retention_days: '1' } });
  await sender.server('no.test', '127.0.0.2', { onRcpt: () => '550 5.7.1 no' });
  await sender.server('busy.test', '127.0.0.3', { onRcpt: () => '451 4.3.0 later' });
  const id = await sender.queue(['ann@no.test', 'bob@busy.test']);
  await until(() => sender.status(id) === 'ann@no.test bounced, bob@busy.test queued');
  expect(sender.email(id).status).toBe('bounced');
  const { account_no } = sender.email(id);
  const email = { account_no, before: clock.nowUs() + DAY_US, max: 10 };
  expect(await sender.appliance.services.store.write(forgetEmailsOp, email)).toBe(0);
  expect(sender.email(id).status).toBe('bounced');
});

test('an email that one recipient refused counts against the cap only while another is pending', async () => {
  await using sender = await startSendingServer({ clock });
  await sender.server('no.test', '127.0.0.2', { onRcpt: () => '550 5.7.1 no' });
  const busy = await sender.server('busy.test', '127.0.0.3', { onRcpt: () => '451 4.3.0 later' });
  const id = await sender.queue(['ann@no.test', 'bob@busy.test']);
  await until(() => sender.status(id) === 'ann@no.test bounced, bob@busy.test queued');
  const { store } = sender.appliance.services;
  const counted = () => [countQueued(store, sender.owner.account.no), countAllQueued(store)];
  expect([sender.email(id).status, ...counted()]).toEqual(['bounced', 1, 1]);
  busy.options = {};
  await clock.leap(2 * 60_000);
  await until(() => sender.status(id) === 'ann@no.test bounced, bob@busy.test sent');
  expect(counted()).toEqual([0, 0]);
});
