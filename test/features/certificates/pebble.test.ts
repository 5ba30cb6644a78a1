/** The whole way to a certificate, with Pebble: Let's Encrypt's CA for tests, which makes things difficult. */
import { describe, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { AcmeClient } from '../../../src/platform/net/acme/client.ts';
import { AcmeShelf } from '../../../src/platform/net/acme/shelf.ts';
import { FakeClock } from '../../peers/fake-clock.ts';
import { havePebble } from '../../peers/pebble.ts';
import { hears, makePebbleScene, names, readCertificate, readMetrics, said } from './scene.ts';
import { drive, failed, issued, MINUTE_MS } from './stage.ts';

describe.skipIf(!havePebble())('with Pebble', () => {
  test('a certificate for both names is obtained, and served to mail and https at once', async () => {
    await using scene = await makePebbleScene({ env: { PEBBLE_WFE_NONCEREJECT: '0' } });
    await using server = await scene.start(scene.pebble.directory);
    const open = connect({ port: server.httpPort, host: '127.0.0.1', rejectUnauthorized: false });
    await hears(server, 'certificate reloaded');
    for (const port of [server.httpPort, server.smtpPort]) {
      const { subjectaltname, issuer } = await readCertificate(port);
      expect(subjectaltname?.split(', ').toSorted()).toEqual(names.map((name) => `DNS:${name}`));
      expect(issuer.CN).toStartWith('Pebble Intermediate CA');
    }
    // A browser that trusts the CA accepts the chain.
    const page = await fetch(`https://127.0.0.1:${server.httpPort}/healthz`, {
      headers: { host: names[0]! },
      tls: { ca: await scene.pebble.root(), serverName: names[0]! },
    });
    expect(page.status).toBe(200);
    expect(open.destroyed).toBe(false);
    open.destroy();
    const dir = join(server.dataDir, 'acme');
    expect(
      readdirSync(dir)
        .map((file) => file.replace(/-[0-9a-f]{16}/, ''))
        .toSorted(),
    ).toEqual(['account.key', 'certificate.pem', 'state.json']);
    for (const file of readdirSync(dir)) expect(statSync(join(dir, file)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(join(dir, 'state.json'), 'utf8'))).toMatchObject({
      attempts: [{ outcome: 'issued', names, directory: scene.pebble.directory }],
      blocked: null,
    });
    const metrics = await readMetrics(server);
    expect(Number(/^postern_certificate_expires_seconds (\d+)/m.exec(metrics)?.[1])).toBeWithin(
      7_700_000,
      7_776_001,
    );
    expect(said(server, 'no new certificate')).toEqual([]);
  });

  test('bad nonces, slow validations and reused authorizations are handled', async () => {
    await using scene = await makePebbleScene({
      env: {
        PEBBLE_WFE_NONCEREJECT: '30',
        PEBBLE_AUTHZREUSE: '100',
        PEBBLE_VA_NOSLEEP: '0',
        PEBBLE_VA_SLEEPTIME: '2',
        PEBBLE_CHAIN_LENGTH: '3',
      },
      // Renewed after 2 h 40 min: two thirds of its life.
      validS: 4 * 3600,
    });
    const clock = new FakeClock(Date.now() * 1000);
    await using server = await scene.start(scene.pebble.directory, { clock });
    await drive(clock, issued(server));
    await clock.advance(159 * MINUTE_MS);
    expect(issued(server, 2)()).toBe(false);
    await drive(clock, issued(server, 2));
    expect(said(server, 'no new certificate')).toEqual([]);
  });

  test('a name that points elsewhere is refused by the CA, which is not asked again soon', async () => {
    await using scene = await makePebbleScene();
    // Another machine, as the CA sees it.
    scene.dns.setAddresses(names[1]!, '127.0.0.9');
    await using server = await scene.start(scene.pebble.directory);
    await hears(server, 'no new certificate');
    const { reason, todo, next_try: nextTry } = JSON.parse(said(server, 'no new certificate')[0]!);
    expect(reason).toStartWith('the CA did not accept mx.acme.test: connection:');
    expect(todo).toContain('http://mx.acme.test reach this machine on port 80');
    expect(Date.parse(nextTry) - Date.now()).toBeWithin(9 * 60_000, 10 * 60_000 + 1);
    expect((await readCertificate(server.smtpPort)).subject.CN).toBe(names[1]!);
  });

  test('the CA’s reason for refusing a name is reported', async () => {
    await using scene = await makePebbleScene();
    scene.dns.setAddresses('blocked.acme.test', '127.0.0.1');
    const settings = { mx_host: 'blocked.acme.test' };
    await using server = await scene.start(scene.pebble.directory, { settings });
    await hears(server, 'no new certificate');
    expect(said(server, 'no new certificate')[0]).toContain('rejectedIdentifier');
  });

  test('a CA that has lost its accounts and orders is asked again from the start', async () => {
    await using scene = await makePebbleScene();
    const dataDir = mkdtempSync(join(tmpdir(), 'postern-acme-data-'));
    {
      await using server = await scene.start(scene.pebble.directory, { dataDir });
      await hears(server, 'certificate reloaded');
    }
    rmSync(join(dataDir, 'acme/certificate.pem'));
    await scene.pebble.restart();
    await using server = await scene.start(scene.pebble.directory, { dataDir });
    await hears(server, 'certificate reloaded');
    rmSync(dataDir, { recursive: true });
  });

  test('an account that was deactivated is replaced by a new one', async () => {
    await using scene = await makePebbleScene();
    const dataDir = mkdtempSync(join(tmpdir(), 'postern-acme-data-'));
    const { directory } = scene.pebble;
    {
      await using server = await scene.start(directory, { dataDir });
      await hears(server, 'certificate reloaded');
      const { outside, clock } = server.services;
      const { signal } = new AbortController();
      const client = new AcmeClient(directory, new AcmeShelf(dataDir).openAccount(directory), {
        ...outside,
        clock,
        signal,
      });
      await client.signIn(null);
      const { account } = client as unknown as { account: string };
      expect((await client.post(account, { status: 'deactivated' })).json).toMatchObject({
        status: 'deactivated',
      });
    }
    rmSync(join(dataDir, 'acme/certificate.pem'));
    const clock = new FakeClock(Date.now() * 1000);
    await using server = await scene.start(directory, { dataDir, clock });
    await drive(clock, failed(server));
    expect(said(server, 'no new certificate')[0]).toContain('the account was deactivated');
    await clock.leap(11 * MINUTE_MS);
    await drive(clock, issued(server));
    rmSync(dataDir, { recursive: true });
  });
});
