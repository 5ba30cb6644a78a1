/** Routes other than the plain one: enforced MTA-STS, and a smarthost. */
import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseSmarthost } from '../../../src/features/outbound/sending/server.ts';
import { putStsPolicyOp } from '../../../src/features/outbound/sending/writes.ts';
import { testCa } from '../../peers/https-receiver.ts';
import { startMailServer } from '../../peers/mail-server.ts';
import { until } from '../../until.ts';
import { type SendingServer, setExchanger, startSendingServer } from './sending-server.ts';

async function withCa<Result>(
  use: (settings: { extra_ca_file: string }) => Promise<Result>,
): Promise<Result> {
  const dir = mkdtempSync(join(tmpdir(), 'postern-ways-'));
  const extraCaFile = join(dir, 'ca.pem');
  writeFileSync(extraCaFile, (await testCa()).pem);
  try {
    return await use({ extra_ca_file: extraCaFile });
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Stores a policy as if it had been fetched. */
async function keepPolicy({ appliance }: SendingServer, mode: string, mx: string[]): Promise<void> {
  const { store, clock } = appliance.services;
  const policy = JSON.stringify({ mode, mx, max_age_s: 86_400 });
  const expiresAt = clock.nowUs() + 86_400_000_000;
  await store.write(putStsPolicyOp, { domain: 'far.test', id: 'one1', policy, expires_at: expiresAt });
}

test('where MTA-STS is enforced, mail goes only to a listed host with a valid certificate', async () => {
  const ca = await testCa();
  await withCa(async (settings) => {
    const cases = [
      { names: ['mx.far.test'], mx: ['mx.far.test'], mode: 'enforce', status: 'sent' },
      { names: ['other.test'], mx: ['mx.far.test'], mode: 'enforce', status: 'queued' },
      { names: ['mx.far.test'], mx: ['mx2.far.test'], mode: 'enforce', status: 'queued' },
      { names: null, mx: ['mx.far.test'], mode: 'enforce', status: 'queued' },
      { names: ['other.test'], mx: ['mx2.far.test'], mode: 'testing', status: 'sent' },
      { names: null, mx: [], mode: 'none', status: 'sent' },
    ];
    for (const { names, mx, mode, status } of cases) {
      await using sender = await startSendingServer({
        settings,
        far: names ? { tls: await ca.issue(names) } : {},
      });
      await keepPolicy(sender, mode, mx);
      const id = await sender.queue('ann@far.test');
      await until(() => sender.recipients(id)[0]!.attempts === 1);
      expect(`${mode} ${names} ${sender.status(id)}`).toBe(`${mode} ${names} ${status}`);
      expect(sender.far.mails).toHaveLength(status === 'sent' ? 1 : 0);
    }
  });
}, 30_000);

test('TLS that failed where it is optional is still required where MTA-STS is enforced', async () => {
  await using sender = await startSendingServer({ far: { tls: { key: '', cert: '' } } });
  setExchanger(sender.dns, 'lax.test', '10 mx.far.test');
  const first = await sender.queue('ann@lax.test');
  await until(() => sender.status(first) === 'sent');
  await keepPolicy(sender, 'enforce', ['mx.far.test']);
  const second = await sender.queue('ann@far.test');
  await until(() => sender.recipients(second)[0]!.attempts === 1);
  expect([sender.status(second), sender.far.mails.length]).toEqual(['queued', 1]);
  expect(sender.far.said.filter((line) => line === 'STARTTLS')).toHaveLength(2);
});

test('an unlisted host is skipped in favour of a listed one', async () => {
  const ca = await testCa();
  await withCa(async (settings) => {
    await using sender = await startSendingServer({
      settings,
      far: { tls: await ca.issue(['mx.far.test']) },
    });
    const other = await sender.server('spare.test', '127.0.0.2');
    setExchanger(sender.dns, 'far.test', '5 mx.spare.test', '10 mx.far.test');
    await keepPolicy(sender, 'enforce', ['mx.far.test']);
    const id = await sender.queue('ann@far.test');
    await until(() => sender.status(id) === 'sent');
    expect([other.connections, sender.far.mails[0]!.isSecure]).toEqual([0, true]);
  });
});

test('a smarthost gets all mail, with a login, all recipients of a domain at once', async () => {
  await using smart = await startMailServer({ extensions: ['AUTH PLAIN', 'PIPELINING'] });
  const outbound = `smtp://me%40own.test:p%3Ass@127.0.0.1:${smart.port}`;
  await using sender = await startSendingServer({ settings: { outbound } });
  const id = await sender.queue(['ann@far.test', 'bob@unknown.test', 'cid@far.test']);
  await until(() => sender.recipients(id).every(({ status }) => status === 'sent'));
  const login = 'me@own.test:p:ss';
  // No recipient sees the bounce address for another domain.
  expect(smart.mails).toMatchObject([
    { to: ['ann@far.test', 'cid@far.test'], login },
    { to: ['bob@unknown.test'], login },
  ]);
  expect(smart.mails[0]!.from).not.toBe(smart.mails[1]!.from);
  expect([sender.far.connections, sender.dns.asked]).toEqual([0, []]);
  expect(smart.mails[0]!.data).toStartWith('DKIM-Signature: ');
});

test('a smarthost that refuses the login or is unreachable is retried', async () => {
  await using smart = await startMailServer({ extensions: ['AUTH PLAIN'], onAuth: () => '535 5.7.8 wrong' });
  const outbound = `smtp://me:secret@127.0.0.1:${smart.port}`;
  await using sender = await startSendingServer({ settings: { outbound }, logLevel: 'info' });
  const ids = [await sender.queue('ann@far.test'), await sender.queue('bob@far.test')];
  await until(() => sender.recipients(ids[0]!)[0]!.attempts === 1);
  expect([sender.status(ids[0]!), smart.mails.length]).toEqual(['queued', 0]);
  expect(sender.email(ids[0]!).last_error).toContain('535 5.7.8 wrong');
  expect(sender.appliance.logged.join('')).not.toContain('secret');
});

test('a smarthost by smtps has its certificate checked', async () => {
  const ca = await testCa();
  await withCa(async (settings) => {
    for (const [name, status] of [
      ['smart.test', 'sent'],
      ['other.test', 'queued'],
    ] as const) {
      await using smart = await startMailServer({ isImplicit: true, tls: await ca.issue([name]) });
      const outbound = `smtps://smart.test:${smart.port}`;
      await using sender = await startSendingServer({ settings: { ...settings, outbound } });
      sender.dns.setAddresses('smart.test', '127.0.0.1');
      const id = await sender.queue('ann@far.test');
      await until(() => sender.recipients(id)[0]!.attempts === 1);
      expect(`${name} ${sender.status(id)}`).toBe(`${name} ${status}`);
    }
  });
});

test('a smarthost by smtps named by IP address needs a certificate for that address', async () => {
  const ca = await testCa();
  await withCa(async (settings) => {
    for (const [name, status] of [
      ['127.0.0.1', 'sent'],
      ['smart.test', 'queued'],
    ] as const) {
      await using smart = await startMailServer({ isImplicit: true, tls: await ca.issue([name]) });
      const outbound = `smtps://127.0.0.1:${smart.port}`;
      await using sender = await startSendingServer({ settings: { ...settings, outbound } });
      const id = await sender.queue('ann@far.test');
      await until(() => sender.recipients(id)[0]!.attempts === 1);
      expect(`${name} ${sender.status(id)}`).toBe(`${name} ${status}`);
    }
  });
});

test('a smarthost on the loopback that offers STARTTLS gets the mail and the login inside it', async () => {
  // Its own certificate, for none of these hosts.
  const tls = await (await testCa()).issue(['mail.internal']);
  for (const host of ['127.0.0.1', '[::1]', 'localhost']) {
    const listen = host === '[::1]' ? '::1' : '127.0.0.1';
    await using smart = await startMailServer({ host: listen, tls, extensions: ['AUTH PLAIN'] });
    const outbound = `smtp://me:secret@${host}:${smart.port}`;
    await using sender = await startSendingServer({ settings: { outbound } });
    const id = await sender.queue('ann@far.test');
    await until(() => sender.recipients(id)[0]!.attempts === 1);
    expect([host, sender.status(id), smart.connections]).toEqual([host, 'sent', 1]);
    expect(smart.mails).toMatchObject([{ isSecure: true, login: 'me:secret' }]);
  }
});

test('a password is sent over a verified connection only, except to a host on the same machine', () => {
  const seen = (url: string) => {
    const { host, port, security, login } = parseSmarthost(url);
    return [host, port, security, login ? `${login.user}:${login.pass}` : null];
  };
  expect(seen('smtp://mail.example.com')).toEqual(['mail.example.com', 587, 'when_offered', null]);
  expect(seen('smtp://u:p@mail.example.com:25')).toEqual(['mail.example.com', 25, 'verified', 'u:p']);
  expect(seen('smtps://u:p@mail.example.com')).toEqual(['mail.example.com', 465, 'from_the_start', 'u:p']);
  expect(seen('smtp://u:p@localhost')).toEqual(['localhost', 587, 'when_offered', 'u:p']);
  expect(seen('smtp://u:p@[::1]:26')).toEqual(['::1', 26, 'when_offered', 'u:p']);
  expect(seen('smtp://u:p@192.0.2.7')).toEqual(['192.0.2.7', 587, 'verified', 'u:p']);
  expect(seen('smtp://u:p@127.0.0.2')).toEqual(['127.0.0.2', 587, 'when_offered', 'u:p']);
  expect(seen('smtp://u:p@127.example.com')).toEqual(['127.example.com', 587, 'verified', 'u:p']);
});
