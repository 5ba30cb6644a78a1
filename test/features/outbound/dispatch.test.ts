/** When email is sent, how often, and how much at a time. The test controls the time. */
import { expect, test } from 'bun:test';
import { MailDispatcher } from '../../../src/features/outbound/sending/dispatcher.ts';
import { findOwnEmail } from '../../../src/features/outbound/sql.ts';
import { Failure } from '../../../src/platform/core/failure.ts';
import { nextTurn } from '../../../src/platform/core/next-turn.ts';
import { FakeClock } from '../../peers/fake-clock.ts';
import { until } from '../../until.ts';
import { readyDomain } from '../domains/ready.ts';
import { type SendingServer, setExchanger, startSendingServer } from './sending-server.ts';

const SECOND_US = 1_000_000;
const MINUTE_US = 60 * SECOND_US;
const HOUR_US = 60 * MINUTE_US;

/** Advances time to the recipient's next attempt, and waits until it was made. */
async function nextAttempt(sender: SendingServer, clock: FakeClock, id: string): Promise<number> {
  const { attempts, next_attempt_at } = sender.recipients(id)[0]!;
  const waitUs = next_attempt_at! - clock.nowUs();
  // Alarms are set in whole milliseconds.
  await clock.leap(Math.ceil(waitUs / 1000) + 1);
  await until(() => sender.recipients(id)[0]!.attempts === attempts + 1);
  return waitUs;
}

/** Advances time, second by second, until the condition holds. */
async function passUntil(clock: FakeClock, holds: () => boolean): Promise<void> {
  await until(async () => {
    if (!holds()) await clock.leap(1_000);
    return holds();
  });
}

/** Waits for three seconds, so it runs in parallel with the next test. */
test.concurrent('a stop cuts off hanging attempts and requeues them, without counting them', async () => {
  await using sender = await startSendingServer({ far: { onMessage: () => 'silence' } });
  const { services } = sender.appliance;
  const id = await sender.queue('ann@far.test');
  await until(() => sender.status(id) === 'sending');
  const began = performance.now();
  await services.sender!.stop();
  expect(performance.now() - began).toBeLessThan(6_000);
  expect(sender.status(id)).toBe('queued');
  expect(sender.recipients(id)[0]).toMatchObject({ attempts: 0 });
  sender.far.options = {};
  const next = new MailDispatcher(services);
  await next.start(null);
  await until(() => sender.status(id) === 'sent');
  await next.stop();
});

test.concurrent('a deferred email is retried by the schedule for 48 hours, then fails', async () => {
  const clock = new FakeClock();
  await using sender = await startSendingServer({ clock, far: { onRcpt: () => '450 4.2.0 not now' } });
  const id = await sender.queue('ann@far.test');
  const began = clock.nowUs();
  await until(() => sender.recipients(id)[0]!.attempts === 1);
  const minutes = [1, 5, 15, 30, 60, 120, ...Array(10).fill(240)];
  for (const delay of minutes) {
    const waitUs = await nextAttempt(sender, clock, id);
    expect(waitUs / MINUTE_US).toBeWithin(delay, delay * 1.1 + 0.01);
    expect(sender.status(id)).toBe('queued');
  }
  while (sender.status(id) === 'queued') await nextAttempt(sender, clock, id);
  expect(sender.status(id)).toBe('failed');
  expect((clock.nowUs() - began) / HOUR_US).toBeWithin(48, 48.01);
  expect(sender.email(id).last_error).toBe('450 4.2.0 not now');
  expect(sender.recipients(id)[0]!.next_attempt_at).toBeNull();
}, 30_000);

test.concurrent('an unreachable server costs each waiting email one attempt, with a single connection', async () => {
  const clock = new FakeClock();
  await using sender = await startSendingServer({ clock, far: { greeting: () => 'hang up' } });
  const ids = await Promise.all(Array.from({ length: 30 }, () => sender.queue('ann@far.test')));
  // Emails queued after that wait for the host, without an attempt.
  await until(() => ids.some((id) => sender.recipients(id)[0]!.attempts === 1));
  const tried = ids.find((id) => sender.recipients(id)[0]!.attempts === 1)!;
  expect(sender.email(tried).last_error).toContain('mx.far.test: ');
  const { connections } = sender.far;
  expect(connections).toBeLessThan(4);
  sender.far.options = {};
  await passUntil(clock, () => ids.every((id) => sender.status(id) === 'sent'));
});

test.concurrent('several emails share a connection, and a host gets at most two, whatever the domain', async () => {
  await using sender = await startSendingServer();
  for (const domain of ['one.test', 'two.test', 'three.test'])
    setExchanger(sender.dns, domain, '10 mx.far.test');
  const ids: string[] = [];
  for (let count = 0; count < 60; count++) {
    ids.push(await sender.queue(`a${count}@${['one.test', 'two.test', 'three.test'][count % 3]}`));
  }
  await until(() => ids.every((id) => sender.status(id) === 'sent'));
  expect(sender.far.mails).toHaveLength(60);
  expect(sender.far.mostOpen).toBe(2);
  expect(sender.far.connections).toBeLessThan(5);
});

test('a host that answers 421 or 4.7.x is left alone, longer each time, and others are not affected', async () => {
  const clock = new FakeClock();
  await using sender = await startSendingServer({ clock, far: { onMail: () => '421 4.7.0 too many' } });
  const other = await sender.server('other.test', '127.0.0.2');
  const first = await sender.queue('ann@far.test');
  await until(() => sender.recipients(first)[0]!.attempts === 1);
  // Email queued in the meantime waits, which does not count as an attempt.
  const second = await sender.queue('bob@far.test');
  const elsewhere = await sender.queue('ann@other.test');
  await until(() => sender.status(elsewhere) === 'sent');
  await until(() => sender.email(second).last_error !== null);
  expect(sender.email(second).last_error).toBe(
    'mx.far.test is paused until 2026-11-21T08:01:00Z: 421 4.7.0 too many',
  );
  await clock.advance(50_000);
  expect([sender.far.connections, sender.recipients(second)[0]!.attempts, other.mails.length]).toEqual([
    1, 0, 1,
  ]);
  await clock.leap(20_000);
  await until(() => sender.recipients(second)[0]!.attempts === 1);
  await until(() => sender.email(first).status === 'queued' && sender.email(second).status === 'queued');
  const { connections } = sender.far;
  // Two minutes now.
  sender.far.options = {};
  await clock.advance(100_000);
  expect(sender.far.connections).toBe(connections);
  await passUntil(clock, () => sender.status(first) === 'sent' && sender.status(second) === 'sent');
});

test('servers that hang never hold up one that answers, however many they are', async () => {
  await using sender = await startSendingServer();
  const hanging = await sender.server('hang.test', '127.0.0.2', { greeting: () => 'silence' });
  for (let count = 0; count < 80; count++) {
    setExchanger(sender.dns, `hang${count}.test`, `10 mx${count}.hang.test`);
    sender.dns.setAddresses(`mx${count}.hang.test`, '127.0.0.2');
    await sender.queue([`a@hang${count}.test`]);
    await sender.queue([`b@hang${count}.test`]);
  }
  const [known] = [await sender.queue('ann@far.test')];
  // 24 hanging connections fill half of the room for unknown hosts: all that one account gets.
  await until(() => hanging.connections === 24);
  sender.far.options = {};
  expect(sender.status(known)).toBe('queued');
  expect(hanging.mostOpen).toBe(24);
});

test('servers that hang never hold up another account’s first email, wherever it goes', async () => {
  await using sender = await startSendingServer();
  const { appliance, owner } = sender;
  const hanging = await sender.server('hang.test', '127.0.0.2', { greeting: () => 'silence' });
  for (let count = 0; count < 80; count++) {
    setExchanger(sender.dns, `hang${count}.test`, `10 mx${count}.hang.test`);
    sender.dns.setAddresses(`mx${count}.hang.test`, '127.0.0.2');
    await sender.queue([`a@hang${count}.test`]);
  }
  await until(() => hanging.connections === 24);
  const heldUp = await sender.queue('ann@far.test');
  const { account } = await appliance.holder();
  await readyDomain(appliance.services, account.no, 'other-shop.test');
  setExchanger(sender.dns, 'new.test', '10 mx.far.test');
  const theirs = { account_no: account.no, from_domain: 'other-shop.test' };
  // One to an unused domain, one to the domain that the other account has mail for.
  const ids = [await sender.queue('bob@new.test', theirs), await sender.queue('bob@far.test', theirs)];
  const readStatus = (id: string) => findOwnEmail(appliance.services.store, account.no, id)!.status;
  await until(() => ids.every((id) => readStatus(id) === 'sent'));
  // It was sent in the same run.
  await until(() => sender.status(heldUp) === 'sent');
  expect([hanging.mostOpen, owner.account.no === account.no]).toEqual([24, false]);
});

test('a known server has room even when all others hang, after its greeting too', async () => {
  await using sender = await startSendingServer();
  const known = await sender.queue('ann@far.test');
  await until(() => sender.status(known) === 'sent');
  const hanging = await sender.server('hang.test', '127.0.0.2', { onMail: () => 'silence' });
  for (let count = 0; count < 70; count++) {
    setExchanger(sender.dns, `hang${count}.test`, `10 mx${count}.hang.test`);
    sender.dns.setAddresses(`mx${count}.hang.test`, '127.0.0.2');
    await sender.queue(`a@hang${count}.test`);
  }
  await until(() => hanging.connections === 24);
  const began = performance.now();
  const ids = await Promise.all(Array.from({ length: 20 }, () => sender.queue('ann@far.test')));
  await until(() => ids.every((id) => sender.status(id) === 'sent'));
  expect(performance.now() - began).toBeLessThan(4_000);
});

test('a connection that the server closed while idle is reopened, which does not count as an attempt', async () => {
  let mails = 0;
  await using sender = await startSendingServer({
    far: { onMail: () => (mails++ === 1 ? '421 4.4.2 idle too long' : null) },
  });
  const first = await sender.queue('ann@far.test');
  await until(() => sender.status(first) === 'sent');
  const second = await sender.queue('ann@far.test');
  await until(() => sender.status(second) === 'sent');
  expect([sender.far.connections, sender.recipients(second)[0]!.attempts]).toEqual([2, 1]);
});

test('a connection on which an email was refused carries the next one', async () => {
  const refuse = (to: string) => (to.startsWith('gone') ? '550 5.1.1 no such user' : null);
  await using sender = await startSendingServer({ far: { onRcpt: refuse } });
  const refused = await sender.queue('gone@far.test');
  await until(() => sender.status(refused) === 'bounced');
  const next = await sender.queue('ann@far.test');
  await until(() => sender.status(next) === 'sent');
  expect(sender.far.connections).toBe(1);
});

test('a disk that can’t store results pauses sending, and nothing is sent twice', async () => {
  const clock = new FakeClock();
  await using sender = await startSendingServer({ clock });
  const { store } = sender.appliance.services;
  const write = store.write.bind(store);
  let isFull = true;
  let refused = 0;
  store.write = (operation, input) => {
    if (operation.name !== 'outbound.record' || !isFull) return write(operation, input);
    refused += 1;
    return Promise.reject(new Failure('storage_unavailable'));
  };
  const ids = await Promise.all(Array.from({ length: 3 }, () => sender.queue('ann@far.test')));
  await until(() => refused > 0);
  await clock.advance(1_000);
  for (let turn = 0; turn < 20; turn++) await nextTurn();
  // One on each connection to the server.
  expect(refused).toBeLessThanOrEqual(2);
  isFull = false;
  await passUntil(clock, () => ids.every((id) => sender.status(id) === 'sent'));
  expect(sender.far.mails).toHaveLength(3);
});

test('emails left as sending by a crash, and those due since, are sent after the start, and sent ones are not', async () => {
  const clock = new FakeClock();
  const gate = Promise.withResolvers<null>();
  await using sender = await startSendingServer({ clock });
  const { services } = sender.appliance;
  const done = await sender.queue('ann@far.test');
  await until(() => sender.status(done) === 'sent');
  sender.far.options = { onMessage: () => gate.promise };
  const cut = await sender.queue('ann@far.test');
  await until(() => sender.status(cut) === 'sending');
  // Like a crash: nothing is stored any more.
  const write = services.store.write.bind(services.store);
  const never = Promise.withResolvers<never>();
  services.store.write = () => never.promise;
  gate.resolve(null);
  await until(() => sender.far.mails.length === 2);
  services.store.write = write;
  expect(sender.status(cut)).toBe('sending');
  const next = new MailDispatcher(services);
  await next.start(null);
  await until(() => sender.status(cut) === 'sent');
  expect(sender.far.mails).toHaveLength(3);
  await next.stop();
  // So that the end of the test does not wait for it.
  never.resolve(undefined as never);
});

test.each([-7200, 7200])(
  'when the clock is set by %d s queued emails wait as long as before',
  async (byS) => {
    const clock = new FakeClock();
    await using sender = await startSendingServer({ clock, far: { onRcpt: () => '450 4.2.0 not now' } });
    const id = await sender.queue('ann@far.test');
    await until(() => sender.recipients(id)[0]!.attempts === 1);
    await nextAttempt(sender, clock, id);
    const before = sender.recipients(id)[0]!.next_attempt_at!;
    const expiresAt = sender.email(id).expires_at;
    clock.set(clock.nowUs() + byS * SECOND_US);
    await clock.advance(10_000);
    await until(() => sender.recipients(id)[0]!.next_attempt_at !== before);
    expect(Math.round((sender.recipients(id)[0]!.next_attempt_at! - before) / SECOND_US)).toBe(byS);
    expect(Math.round((sender.email(id).expires_at - expiresAt) / SECOND_US)).toBe(byS);
    sender.far.options = {};
    await clock.leap(10 * 60_000);
    await until(() => sender.status(id) === 'sent');
  },
);

test('an email that was not tried yet is sent soon even when the clock is set back', async () => {
  const clock = new FakeClock();
  await using sender = await startSendingServer({ clock, far: { onMail: () => '421 4.7.0 too many' } });
  const first = await sender.queue('ann@far.test');
  await until(() => sender.recipients(first)[0]!.attempts === 1);
  const second = await sender.queue('bob@far.test');
  await until(() => sender.email(second).last_error !== null);
  clock.set(clock.nowUs() - 3 * HOUR_US);
  sender.far.options = {};
  const began = clock.nowUs();
  await passUntil(clock, () => sender.status(first) === 'sent' && sender.status(second) === 'sent');
  expect((clock.nowUs() - began) / MINUTE_US).toBeLessThan(10);
});

test('nothing is sent while sending is off, and queued emails go out when it is on again', async () => {
  await using sender = await startSendingServer({ settings: { outbound: 'off' } });
  const id = await sender.queue('ann@far.test');
  await Promise.resolve();
  expect(sender.status(id)).toBe('queued');
  expect(sender.far.connections).toBe(0);
});

test('a free connection is passed on when the first waiters do not need it', async () => {
  const asked: ((say: null) => void)[] = [];
  await using sender = await startSendingServer({
    far: { onMail: () => new Promise((say) => asked.push(say)) },
  });
  const queueTo = async (domain: string, fields = {}) => {
    setExchanger(sender.dns, domain, '10 mx.far.test');
    const id = await sender.queue(`ann@${domain}`, fields);
    await until(() => sender.dns.asked.some((question) => question.startsWith(`MX ${domain} `)));
    return id;
  };
  const busy = [await queueTo('a.test'), await queueTo('b.test')];
  await until(() => asked.length === 2);
  // These wait for the host, without another connection attempt.
  const refused = [
    await queueTo('c.test', { from_domain: 'not-ours.test' }),
    await queueTo('d.test', { from_domain: 'not-ours.test' }),
  ];
  const last = await queueTo('e.test');
  sender.far.options = {};
  for (const say of asked) say(null);
  await until(() => [...busy, last].every((id) => sender.status(id) === 'sent'));
  await until(() => refused.every((id) => sender.status(id) === 'rejected'));
});

test('an internal error in mid-send leaves no email stuck as sending, and no connection counted', async () => {
  const clock = new FakeClock();
  await using sender = await startSendingServer({ clock, logLevel: 'warn' });
  const { resolver } = sender.appliance.services.outside;
  const { aaaa } = resolver;
  let faults = 0;
  resolver.aaaa = (name) => {
    faults += 1;
    if (faults <= 3) throw new Error('a fault for the test');
    return aaaa(name);
  };
  const id = await sender.queue('ann@far.test');
  await until(() => faults === 1 && sender.status(id) === 'queued');
  expect(sender.email(id)).toMatchObject({ attempts: 1, last_error: 'sending failed on our side' });
  await passUntil(clock, () => faults === 2);
  await clock.leap(10 * 60_000);
  await until(() => faults >= 3);
  await clock.leap(30 * 60_000);
  await until(() => sender.status(id) === 'sent');
}, 20_000);
