/** From the queue to other servers: what each one receives, and what is reported. */
import { expect, test } from 'bun:test';
import { changeAccountOp } from '../../../src/features/accounts/writes.ts';
import { openMime } from '../../../src/features/outbound/mime/sql.ts';
import { readBounceAddress } from '../../../src/features/outbound/sending/bounce-address.ts';
import { listSuppressions } from '../../../src/features/outbound/suppression/sql.ts';
import { sending } from '../../../src/rules/sending.ts';
import { FakeClock } from '../../peers/fake-clock.ts';
import { testCa } from '../../peers/https-receiver.ts';
import { until } from '../../until.ts';
import { FROM_DOMAIN, type SendingServer, setExchanger, startSendingServer } from './sending-server.ts';

const brokenTls = { key: '', cert: '' };

/** Waits until no connection is open, so that the next email needs a new one. */
/** Leaps again if nothing has closed: an email is stored as sent a moment before its connection becomes idle. */
async function passIdle(sender: SendingServer, clock: FakeClock): Promise<void> {
  let polls = 0;
  await until(async () => {
    if (polls % 500 === 0) await clock.leap(sending.idleMs + 1_000);
    polls += 1;
    return sender.far.open === 0;
  });
}

test('an email goes to the exchanger of its domain, signed, over TLS, and is sent', async () => {
  const tls = await (await testCa()).issue(['mx.far.test']);
  await using sender = await startSendingServer({ far: { tls } });
  const id = await sender.queue('ann@far.test');
  await until(() => sender.status(id) === 'sent');
  const [mail] = sender.far.mails;
  expect(mail).toMatchObject({ to: ['ann@far.test'], isSecure: true, helo: 'mx.postern.test' });
  expect(readBounceAddress(sender.appliance.services, mail!.from)).toEqual({
    emailId: id,
    domain: 'far.test',
  });
  expect(mail!.data).toStartWith('DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed;');
  expect(mail!.data).toContain(`d=${FROM_DOMAIN};`);
  expect(mail!.data).toEndWith('\r\n\r\nhello\r\n');
  const email = sender.email(id);
  expect(email).toMatchObject({ attempts: 1, last_error: null });
  expect(email.sent_at).toBeGreaterThanOrEqual(email.created_at);
  expect(sender.recipients(id)).toMatchObject([
    { status: 'sent', attempts: 1, next_attempt_at: null, response: '250 2.0.0 taken' },
  ]);
  expect(openMime(sender.appliance.services.store, email.no)).toBeNull();
});

test('an email goes without TLS to a server whose STARTTLS fails, and the log says so', async () => {
  await using sender = await startSendingServer({ logLevel: 'info', far: { tls: brokenTls } });
  const id = await sender.queue('ann@far.test');
  await until(() => sender.status(id) === 'sent');
  expect(sender.far.mails).toMatchObject([{ isSecure: false }]);
  const lines = sender.appliance.logged.filter((line) => line.includes('mail goes without TLS'));
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { level: 'info', host: 'mx.far.test', reason: expect.stringContaining('SSL') },
  ]);
});

test('TLS that failed with a server is tried with it again after 10 minutes', async () => {
  const clock = new FakeClock();
  await using sender = await startSendingServer({ clock, far: { tls: brokenTls } });
  const starts = () => sender.far.said.filter((line) => line === 'STARTTLS').length;
  const send = async () => {
    const id = await sender.queue('ann@far.test');
    await until(() => sender.status(id) === 'sent');
  };
  await send();
  expect([starts(), sender.far.connections]).toEqual([1, 2]);
  await passIdle(sender, clock);
  await send();
  expect([starts(), sender.far.connections]).toEqual([1, 3]);
  await clock.leap(400_000);
  await passIdle(sender, clock);
  await send();
  expect([starts(), sender.far.connections]).toEqual([1, 4]);
  sender.far.options = { tls: await (await testCa()).issue(['mx.far.test']) };
  await clock.leap(200_000);
  await passIdle(sender, clock);
  await send();
  expect(sender.far.mails.map(({ isSecure }) => isSecure)).toEqual([false, false, false, true]);
});

test('TLS that failed is tried again at once with a server that accepts no mail without it', async () => {
  const clock = new FakeClock();
  const onMail = () => '530 5.7.0 Must issue a STARTTLS command first';
  await using sender = await startSendingServer({ clock, far: { tls: brokenTls, onMail } });
  const id = await sender.queue('ann@far.test');
  await until(() => sender.recipients(id)[0]!.attempts === 1);
  expect(sender.status(id)).toBe('queued');
  sender.far.options = { tls: await (await testCa()).issue(['mx.far.test']) };
  await passIdle(sender, clock);
  await clock.leap(60_000);
  await until(() => sender.status(id) === 'sent');
  expect(sender.far.mails).toMatchObject([{ isSecure: true }]);
});

test('an email is marked sending while an attempt runs', async () => {
  const gate = Promise.withResolvers<null>();
  await using sender = await startSendingServer({ far: { onMessage: () => gate.promise } });
  const id = await sender.queue('ann@far.test');
  await until(() => sender.status(id) === 'sending');
  gate.resolve(null);
  await until(() => sender.status(id) === 'sent');
});

test('each recipient has its own status, and the email has the worst of them', async () => {
  await using sender = await startSendingServer({
    far: {
      onRcpt: (to) => {
        if (to.startsWith('gone')) return '550 5.1.1 no such user';
        return to.startsWith('later') ? '450 4.2.1 later' : null;
      },
    },
  });
  const id = await sender.queue(['ann@far.test', 'gone@far.test', 'later@far.test']);
  await until(() => sender.status(id).includes('bounced'));
  expect(sender.status(id)).toBe('ann@far.test sent, gone@far.test bounced, later@far.test queued');
  expect(sender.far.mails.map(({ to }) => to)).toEqual([['ann@far.test']]);
  expect(sender.email(id)).toMatchObject({ status: 'bounced', sent_at: null });
  expect(sender.recipients(id).map(({ response }) => response)).toEqual([
    '250 2.0.0 taken',
    '550 5.1.1 no such user',
    '450 4.2.1 later',
  ]);
  const { store, clock } = sender.appliance.services;
  const suppressed = listSuppressions(store, sender.owner.account.no, clock.nowUs());
  expect(suppressed.map(({ email, reason }) => `${email}: ${reason}`)).toEqual([
    'gone@far.test: 550 5.1.1 no such user',
  ]);
  const [only] = suppressed;
  expect(only!.expires_at - only!.created_at).toBe(30 * 86_400_000_000);
});

test.each([
  ['onMail', '550 5.7.1 not you', 'bounced', false],
  ['onData', '554 5.6.0 no', 'bounced', false],
  ['onMessage', '554 5.7.1 spam', 'bounced', false],
  ['onRcpt', '550 5.7.1 no relay', 'bounced', false],
  ['onRcpt', '550 5.1.8 bad sender', 'bounced', false],
  ['onRcpt', '550 No such user here', 'bounced', true],
  ['onRcpt', '553 5.1.3 bad address', 'bounced', true],
  ['onRcpt', '552 5.2.2 full', 'bounced', false],
  ['onMail', '451 4.3.0 later', 'queued', false],
  ['onData', '451 4.3.0 later', 'queued', false],
  ['onMessage', '452 4.3.1 later', 'queued', false],
  ['onMessage', 'hang up', 'queued', false],
  ['onRcpt', 'hang up', 'queued', false],
] as const)('%s answered %s makes it %s', async (at, reply, status, isSuppressed) => {
  await using sender = await startSendingServer({ far: { [at]: () => reply } });
  const id = await sender.queue('ann@far.test');
  await until(() => sender.recipients(id)[0]!.attempts === 1);
  expect(sender.status(id)).toBe(status);
  const { store, clock } = sender.appliance.services;
  expect(listSuppressions(store, sender.owner.account.no, clock.nowUs())).toHaveLength(isSuppressed ? 1 : 0);
  expect(sender.email(id).last_error).not.toBeNull();
});

test('recipients at several domains are each reached by their own server', async () => {
  await using sender = await startSendingServer();
  const other = await sender.server('other.test', '127.0.0.2', { onRcpt: () => '550 5.7.1 no' });
  const id = await sender.queue(['ann@far.test', 'bob@other.test']);
  await until(() => sender.status(id) === 'ann@far.test sent, bob@other.test bounced');
  expect([sender.far.mails.length, other.connections]).toEqual([1, 1]);
});

test('an email that policy refuses at sending time is rejected without a connection', async () => {
  await using sender = await startSendingServer({ settings: { outbound_port: '1' } });
  const { store } = sender.appliance.services;
  const accountNo = sender.owner.account.no;
  const other = await sender.queue('ann@far.test', { from_domain: 'not-ours.test' });
  await until(() => sender.status(other) === 'rejected');
  expect(sender.email(other).last_error).toBe('the domain not-ours.test is no longer verified for sending');
  await store.write(changeAccountOp, { account_no: accountNo, changes: { status: 'suspended' } });
  const suspended = await sender.queue('ann@far.test');
  await until(() => sender.status(suspended) === 'rejected');
  expect(sender.email(suspended).last_error).toBe('the account is no longer active');
  await store.write(changeAccountOp, { account_no: accountNo, changes: { status: 'active', kind: 'demo' } });
  const demo = await sender.queue('ann@far.test');
  await until(() => sender.status(demo) === 'rejected');
  expect(sender.email(demo).last_error).toBe('the account may no longer send');
  expect(sender.far.connections).toBe(0);
});

test('an address suppressed since is left out, and the others get the email', async () => {
  const gate = Promise.withResolvers<null>();
  await using sender = await startSendingServer({
    far: { onRcpt: (to) => (to.startsWith('gone') ? '550 5.1.1 no' : null), onMail: () => gate.promise },
  });
  const first = await sender.queue('gone@far.test');
  await until(() => sender.status(first) === 'sending');
  // Queued before the first one's answer. A lane that has not answered yet gets one connection.
  const second = await sender.queue(['Gone@far.test', 'ann@far.test']);
  gate.resolve(null);
  await until(
    () => sender.email(second).status === 'rejected' && sender.status(second).includes('ann@far.test sent'),
  );
  expect(sender.recipients(second)[0]!.response).toBe('the address is on the suppression list');
  expect(sender.far.mails.map(({ to }) => to)).toEqual([['ann@far.test']]);
});

test('a null MX and a missing domain are permanent failures', async () => {
  await using sender = await startSendingServer();
  setExchanger(sender.dns, 'null.test', '0 ');
  const [nullMx, unknown] = [await sender.queue('a@null.test'), await sender.queue('a@unknown.test')];
  await until(() => sender.status(nullMx) === 'bounced' && sender.status(unknown) === 'bounced');
  expect(sender.email(nullMx).last_error).toBe('5.1.10 null.test accepts no mail (null MX)');
  expect(sender.email(unknown).last_error).toBe('5.1.2 the domain unknown.test does not exist');
});

test('a failed look-up is retried, and a server at a private address is refused', async () => {
  await using sender = await startSendingServer({ settings: { outbound_allow_networks: '127.0.0.0/9' } });
  sender.dns.set('broken.test', 'MX', { code: 2 });
  setExchanger(sender.dns, 'home.test', '10 mx.home.test');
  sender.dns.setAddresses('mx.home.test', '10.0.0.7');
  const [broken, home] = [await sender.queue('a@broken.test'), await sender.queue('a@home.test')];
  await until(() => sender.recipients(broken)[0]!.attempts === 1 && sender.status(home) === 'rejected');
  expect(sender.status(broken)).toBe('queued');
  expect(sender.email(home).last_error).toContain('10.0.0.7 is not public');
});

test('without an MX record the domain itself is the server', async () => {
  await using sender = await startSendingServer();
  sender.dns.set('bare.test', 'MX', {});
  sender.dns.setAddresses('bare.test', '127.0.0.1');
  const id = await sender.queue('a@bare.test');
  await until(() => sender.status(id) === 'sent');
});

test('the next exchanger is tried when one is unreachable, hangs up, or refuses us', async () => {
  await using sender = await startSendingServer();
  const names = ['127.0.0.3', '127.0.0.4', '127.0.0.5'];
  const bad = await sender.server('x1.test', '127.0.0.4', { greeting: () => 'hang up' });
  const busy = await sender.server('x2.test', '127.0.0.5', { greeting: () => '554 5.7.1 go away' });
  setExchanger(
    sender.dns,
    'many.test',
    '40 mx.far.test',
    '30 m2.many.test',
    '20 m1.many.test',
    '10 m0.many.test',
  );
  for (const [index, address] of names.entries()) sender.dns.setAddresses(`m${index}.many.test`, address);
  const id = await sender.queue('a@many.test');
  await until(() => sender.status(id) === 'sent');
  expect([bad.connections, busy.connections, sender.far.mails.length]).toEqual([1, 1, 1]);
});

test('a server that asks for a pause is left alone at its other addresses too', async () => {
  await using sender = await startSendingServer();
  const busy = { greeting: () => '421 4.7.0 too many connections' };
  const [one, other] = [
    await sender.server('busy.test', '127.0.0.4', busy),
    await sender.server('elsewhere.test', '127.0.0.5', busy),
  ];
  sender.dns.setAddresses('mx.busy.test', one.host, other.host);
  const id = await sender.queue('a@busy.test');
  await until(() => sender.recipients(id)[0]!.attempts === 1);
  expect(one.connections + other.connections).toBe(1);
});

test('mail for one of our inboxes is delivered through our own SMTP listener, and never loops', async () => {
  await using sender = await startSendingServer();
  setExchanger(sender.dns, 'postern.test', '10 mx.postern.test');
  const inbox = await sender.appliance.inbox(sender.owner);
  const [good, unknown] = [await sender.queue(inbox.address), await sender.queue('nobody@postern.test')];
  await until(() => sender.status(good) === 'sent' && sender.status(unknown) === 'bounced');
  const path = `/api/v1/inboxes/${inbox.id}/messages`;
  const { json } = await sender.appliance.request('GET', path, { key: sender.owner.key });
  expect(json.data).toHaveLength(1);
  // A domain that lists us as its exchanger but does not exist here.
  setExchanger(sender.dns, 'stranger.test', '10 mx.postern.test', '20 mx.far.test');
  const relayed = await sender.queue('a@stranger.test');
  await until(() => sender.status(relayed) === 'bounced');
  expect(sender.email(relayed).last_error).toStartWith('550 5.7.1');
  expect(sender.far.mails).toHaveLength(0);
});
