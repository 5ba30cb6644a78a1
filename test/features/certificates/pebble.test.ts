/** The whole way to a certificate, with Pebble: Let's Encrypt's CA for tests, which makes things difficult. */
import { describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { havePebble } from '../../peers/pebble.ts';
import { hears, makePebbleScene, names, said, seeCertificate } from './scene.ts';

describe.skipIf(!havePebble())('with Pebble', () => {
  test('a certificate for both names is obtained, and served to mail and https at once', async () => {
    await using scene = await makePebbleScene({ env: { PEBBLE_WFE_NONCEREJECT: '0' } });
    await using server = await scene.start(scene.pebble.directory);
    const open = connect({ port: server.httpPort, host: '127.0.0.1', rejectUnauthorized: false });
    await hears(server, 'certificate reloaded');
    for (const port of [server.httpPort, server.smtpPort]) {
      const { subjectaltname, issuer } = await seeCertificate(port);
      expect(subjectaltname?.split(', ').toSorted()).toEqual(names.map((name) => `DNS:${name}`));
      expect(issuer.CN).toStartWith('Pebble Intermediate CA');
    }
    // A browser that trusts the CA is content with the chain.
    const page = await fetch(`https://127.0.0.1:${server.httpPort}/healthz`, {
      headers: { host: names[0]! },
      tls: { ca: await scene.pebble.root(), serverName: names[0]! },
    });
    expect(page.status).toBe(200);
    expect(open.destroyed).toBe(false);
    open.destroy();
    const dir = join(server.data_dir, 'acme');
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
    const metrics = await (
      await fetch(`${server.url}/metrics`, { tls: { rejectUnauthorized: false } })
    ).text();
    expect(Number(/^postern_certificate_expires_seconds (\d+)/m.exec(metrics)?.[1])).toBeWithin(
      7_700_000,
      7_776_001,
    );
    expect(said(server, 'no new certificate')).toEqual([]);
  });
});
