/** Bad days: a CA that refuses or fails, a disk that is full, a crash in between. The old certificate stays. */
import { expect, test } from 'bun:test';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { owner } from '../../doors/dashboard/visitor.ts';
import type { Answer } from '../../peers/https-receiver.ts';
import { problem } from './fake-ca.ts';
import { names, readMetrics, said } from './scene.ts';
import {
  commonName,
  count,
  DAY_MS,
  drive,
  failed,
  HOUR_MS,
  issued,
  MINUTE_MS,
  readReason,
  stage,
  staysQuiet,
} from './stage.ts';

test('a certificate is obtained, kept across a restart, and renewed at two thirds of its life', async () => {
  await using at = await stage();
  {
    await using server = await at.start();
    expect(await commonName(server)).toBe('mx.acme.test');
    await drive(at.clock, issued(server));
    expect(await commonName(server)).toBe('Fake CA');
    expect(at.ca.complaints).toEqual([]);
  }
  const askedSoFar = at.ca.asked.length;
  await using server = await at.start();
  expect(await commonName(server)).toBe('Fake CA');
  expect(await staysQuiet(at.scene, server, () => at.clock.leap(59 * DAY_MS))).toBe(true);
  expect(at.ca.asked).toHaveLength(askedSoFar);
  await at.clock.leap(DAY_MS + HOUR_MS);
  await drive(at.clock, issued(server));
  expect(count(at.ca, 'newOrder')).toBe(2);
});

test('a pause that the CA asks for is respected, even across a restart and a reload', async () => {
  await using at = await stage();
  at.ca.lie('newOrder', () => problem('rateLimited', 429, 'too many', { 'retry-after': '86400' }));
  {
    await using server = await at.start();
    await drive(at.clock, failed(server));
    expect(readReason(server)).toContain('rateLimited: too many');
    // The addresses of the names are no longer in the cache then.
    await at.clock.leap(2 * MINUTE_MS);
    expect(await staysQuiet(at.scene, server, () => server.reloadTls())).toBe(true);
  }
  at.ca.lie('newOrder', null);
  await using server = await at.start();
  expect(await staysQuiet(at.scene, server, () => at.clock.leap(23 * HOUR_MS))).toBe(true);
  expect(count(at.ca, 'newOrder')).toBe(1);
  await at.clock.leap(2 * HOUR_MS);
  await drive(at.clock, issued(server));
});

test('a CA that fails is asked less and less often, and a reload asks at once within the limits', async () => {
  await using at = await stage();
  at.ca.lie('directory', () => ({ status: 500, body: 'oops' }));
  await using server = await at.start();
  await drive(at.clock, failed(server));
  expect(readReason(server)).toBe('the CA answered 500');
  for (const [minutes, times] of [
    [9, 1],
    [2, 2],
    [28, 2],
    [3, 3],
  ] as const) {
    const isDue = count(at.ca, 'directory') < times;
    const isQuiet = await staysQuiet(at.scene, server, () => at.clock.leap(minutes * MINUTE_MS));
    expect(isQuiet).toBe(!isDue);
    await drive(at.clock, failed(server, times), 1);
    expect(count(at.ca, 'directory')).toBe(times);
  }
  // The fourth in an hour is one too many, also for a person.
  await at.clock.leap(2 * MINUTE_MS);
  expect(await staysQuiet(at.scene, server, () => server.reloadTls())).toBe(true);
  expect(count(at.ca, 'directory')).toBe(3);
  await at.clock.leap(23 * MINUTE_MS);
  at.ca.lie('directory', null);
  await server.reloadTls();
  await drive(at.clock, issued(server, 3));
  expect(await readMetrics(server)).toContain('postern_acme_failures_total 3');
});

test('a server that restarts in a loop asks the CA no more often than one that keeps running', async () => {
  await using at = await stage();
  at.ca.lie('newOrder', () => ({ how: 'no answer' }));
  for (let round = 0; round < 5; round++) {
    const server = await at.start();
    if (round === 0) await drive(at.clock, () => count(at.ca, 'newOrder') === 1);
    else expect(await staysQuiet(at.scene, server, () => at.clock.advance(1_000))).toBe(true);
    await server[Symbol.asyncDispose]();
  }
  expect(count(at.ca, 'newOrder')).toBe(1);
});

test('an order that was interrupted after its certificate was issued is continued, not repeated', async () => {
  await using at = await stage();
  at.ca.lie('certificate', () => ({ how: 'reset' }));
  {
    await using server = await at.start();
    await drive(at.clock, failed(server));
  }
  at.ca.lie('certificate', null);
  await using server = await at.start();
  await at.clock.leap(11 * MINUTE_MS);
  await drive(at.clock, issued(server));
  expect([count(at.ca, 'newOrder'), count(at.ca, 'finalize')]).toEqual([1, 1]);
});

test('an order that two attempts could not finish is given up, and one that the network interrupted is not', async () => {
  for (const [lie, orders] of [
    [(honest: Answer): Answer => ({ ...honest, body: '{"status":"processing"}' }), 2],
    [(): Answer => ({ how: 'reset' }), 1],
  ] as const) {
    await using at = await stage();
    at.ca.lie('order', (honest) => (honest.headers?.location?.endsWith('/0') ? lie(honest) : honest));
    await using server = await at.start();
    await drive(at.clock, () => count(at.ca, 'order') > 0);
    await drive(at.clock, failed(server), 10_000);
    await at.clock.leap(11 * MINUTE_MS);
    await drive(at.clock, failed(server, 2), 10_000);
    if (orders === 1) at.ca.lie('order', null);
    await at.clock.leap(31 * MINUTE_MS);
    await drive(at.clock, issued(server));
    expect(count(at.ca, 'newOrder')).toBe(orders);
  }
});

test('on a full disk the CA is not asked, and a certificate that does not fit is fetched later', async () => {
  await using at = await stage();
  // A folder where the new file would be: writing fails, as on a full disk.
  const block = (file: string) => mkdirSync(join(at.dataDir, 'acme', `${file}.new`), { recursive: true });
  const free = (file: string) => rmSync(join(at.dataDir, 'acme', `${file}.new`), { recursive: true });
  block('state.json');
  block('certificate.pem');
  await using server = await at.start();
  await drive(at.clock, () => said(server, 'can’t be recorded first').length > 0);
  expect(at.ca.asked).toEqual([]);
  free('state.json');
  await at.clock.leap(11 * MINUTE_MS);
  await drive(at.clock, failed(server));
  expect(await commonName(server)).toBe('mx.acme.test');
  free('certificate.pem');
  await at.clock.leap(11 * MINUTE_MS);
  await drive(at.clock, issued(server));
  expect(count(at.ca, 'newOrder')).toBe(1);
});

test('a name without an address is noticed before the CA is asked', async () => {
  await using at = await stage();
  at.scene.dns.setAddresses(names[1]!);
  await using server = await at.start({ http_tls: 'off', base_url: '' });
  await drive(at.clock, () => said(server, 'is not asked for a certificate yet').length > 0);
  expect(said(server, 'is not asked')[0]).toContain(
    'mx.acme.test has no address: publish an A or AAAA record',
  );
  const doctor = await server.services.doctor.examine();
  const line = doctor.find(({ name }) => name === 'tls_certificate');
  expect(line).toMatchObject({ ok: false, detail: expect.stringContaining('mx.acme.test has no address') });
  expect(at.ca.asked).toEqual([]);
  const ann = await owner(server, 'business', 'ann@example.com');
  expect((await ann.visitor.get('/operator/health')).json.data.certificate).toMatchObject({
    source: 'self_signed',
    failure: { reason: expect.stringContaining('mx.acme.test has no address') },
    next_try_at: expect.stringMatching(/^2026-/),
  });
  at.scene.dns.setAddresses(names[1]!, '127.0.0.1');
  await drive(at.clock, issued(server), 5_000);
});

test('a certificate for a name that the settings no longer have is reported as being for other settings', async () => {
  await using at = await stage();
  {
    await using server = await at.start();
    await drive(at.clock, issued(server));
  }
  at.scene.dns.setAddresses(names[1]!);
  await using server = await at.start({ http_tls: 'off', base_url: '' });
  await drive(at.clock, () => said(server, 'is not asked for a certificate yet').length > 0);
  const line = (await server.services.doctor.examine()).find(({ name }) => name === 'tls_certificate');
  expect(line).toMatchObject({
    ok: false,
    detail: expect.stringContaining('for other settings (CA or names)'),
  });
});

test('a damaged certificate is replaced, and a damaged history causes no extra requests', async () => {
  await using at = await stage();
  {
    await using server = await at.start();
    await drive(at.clock, issued(server));
  }
  writeFileSync(join(at.dataDir, 'acme/certificate.pem'), 'junk');
  {
    await using server = await at.start();
    expect(said(server, 'is damaged; a self-signed one is used')).toHaveLength(1);
    await drive(at.clock, issued(server));
  }
  writeFileSync(join(at.dataDir, 'acme/state.json'), '{"attempts":');
  rmSync(join(at.dataDir, 'acme/certificate.pem'));
  await using server = await at.start();
  expect(await staysQuiet(at.scene, server, () => at.clock.leap(9 * MINUTE_MS))).toBe(true);
  expect(count(at.ca, 'newOrder')).toBe(2);
  await at.clock.leap(2 * MINUTE_MS);
  await drive(at.clock, issued(server));
});

test('an account that was deactivated is replaced by a new one, at the pace of all attempts', async () => {
  await using at = await stage();
  const detail = 'An account with the provided public key exists but is deactivated';
  at.ca.lie('account', () => problem('unauthorized', 403, detail));
  await using server = await at.start();
  await drive(at.clock, failed(server));
  expect(readReason(server)).toContain('the account was deactivated');
  const readAccount = () => readdirSync(join(at.dataDir, 'acme')).find((file) => file.startsWith('account'));
  expect(readAccount()).toBeUndefined();
  at.ca.lie('account', (honest) => ({ ...honest, body: '{"status":"deactivated"}' }));
  await at.clock.leap(11 * MINUTE_MS);
  await drive(at.clock, failed(server, 2));
  expect(readReason(server)).toContain('the account was deactivated');
  at.ca.lie('account', () => problem('unauthorized', 403, 'Account is not valid, has status "revoked"'));
  await at.clock.leap(31 * MINUTE_MS);
  await drive(at.clock, failed(server, 3));
  expect(said(server, 'no new certificate').at(-1)).toContain('Ask the CA why');
  expect(readAccount()).toBeString();
  at.ca.lie('account', null);
  await at.clock.leap(HOUR_MS);
  await drive(at.clock, issued(server));
});

test('an order that the CA dropped after a crash is placed again', async () => {
  await using at = await stage();
  at.ca.lie('certificate', () => ({ how: 'reset' }));
  {
    await using server = await at.start();
    await drive(at.clock, failed(server));
  }
  at.ca.lie('certificate', null);
  at.ca.lie('order', () => {
    at.ca.lie('order', null);
    return problem('unauthorized', 403, 'Order was revoked');
  });
  await using server = await at.start();
  await at.clock.leap(11 * MINUTE_MS);
  await drive(at.clock, issued(server));
  expect([count(at.ca, 'newOrder'), count(at.ca, 'finalize')]).toEqual([2, 2]);
});

test('a clock that is years behind gets a certificate, and renews it in time once it is right', async () => {
  await using at = await stage();
  const now = at.clock.nowUs();
  {
    await using server = await at.start();
    await drive(at.clock, issued(server));
  }
  at.clock.set(now - 6 * 365 * DAY_MS * 1000);
  {
    await using server = await at.start();
    expect(await staysQuiet(at.scene, server, () => at.clock.leap(DAY_MS))).toBe(true);
    expect(count(at.ca, 'newOrder')).toBe(1);
    expect(await commonName(server)).toBe('Fake CA');
    const line = (await server.services.doctor.examine()).find(({ name }) => name === 'tls_certificate');
    expect(line).toMatchObject({ ok: false, detail: expect.stringContaining('Set the clock') });
    at.clock.set(now + 70 * DAY_MS * 1000);
    await at.clock.leap(HOUR_MS);
    await drive(at.clock, issued(server));
  }
  expect(count(at.ca, 'newOrder')).toBe(2);
});

test('a clock that was far ahead delays nothing once it is right', async () => {
  await using at = await stage();
  const now = at.clock.nowUs();
  at.clock.set(now + 20 * 365 * DAY_MS * 1000);
  at.ca.lie('directory', () => ({ status: 500 }));
  {
    await using server = await at.start();
    await drive(at.clock, failed(server));
  }
  at.clock.set(now);
  at.ca.lie('directory', null);
  await using server = await at.start();
  await at.clock.leap(11 * MINUTE_MS);
  await drive(at.clock, issued(server));
});
