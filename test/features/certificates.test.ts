/** A certificate renewed while the server runs is loaded automatically, for mail and https, and never half-written. */
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { generate } from 'selfsigned';
import { CHECK_EVERY_MS } from '../../src/platform/net/certificate-watch.ts';
import { FakeClock } from '../peers/fake-clock.ts';
import { type RunningAppliance, startAppliance } from '../start.ts';
import { until } from '../until.ts';

const dir = mkdtempSync(join(tmpdir(), 'postern-renewal-'));
afterAll(() => rmSync(dir, { recursive: true }));

async function pair(name: string): Promise<{ cert: string; key: string }> {
  const created = await generate([{ name: 'commonName', value: name }], { keyType: 'ec' });
  return { cert: created.cert, key: created.private };
}

/** The layout of certbot: live/ holds links to the files of one renewal. */
class Live {
  readonly folder = mkdtempSync(join(dir, 'live-'));
  readonly tlsCert = join(this.folder, 'fullchain.pem');
  readonly tlsKey = join(this.folder, 'privkey.pem');
  private count = 0;

  put(end: 'tlsCert' | 'tlsKey', text: string): void {
    const target = join(this.folder, `${end}-${++this.count}.pem`);
    writeFileSync(target, text);
    symlinkSync(target, `${this[end]}.new`);
    renameSync(`${this[end]}.new`, this[end]);
  }
}

async function start(live: Live) {
  const clock = new FakeClock();
  const appliance = await startAppliance({
    clock,
    logLevel: 'info',
    settings: {
      tls_cert: live.tlsCert,
      tls_key: live.tlsKey,
      http_tls: 'on',
      smtp_listen: 'tls://127.0.0.1:0',
    },
  });
  return { clock, appliance };
}

function connected(port: number): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => resolve(socket));
    socket.on('error', reject);
  });
}

async function nameAt(port: number): Promise<string> {
  const socket = await connected(port);
  const name = String(socket.getPeerCertificate().subject.CN);
  socket.destroy();
  return name;
}

function readText(socket: TLSSocket): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    socket.on('data', (bytes) => (text += bytes));
    socket.on('close', () => resolve(text));
  });
}

const names = ({ httpPort, smtpPort }: RunningAppliance) => Promise.all([nameAt(httpPort), nameAt(smtpPort)]);

async function look(clock: FakeClock, isSo: () => boolean | Promise<boolean>): Promise<void> {
  await until(async () => {
    await clock.advance(CHECK_EVERY_MS);
    return isSo();
  });
}

test('a renewed certificate is picked up for mail and https, and open requests continue', async () => {
  const live = new Live();
  const [one, two] = [await pair('one'), await pair('two')];
  live.put('tlsKey', one.key);
  live.put('tlsCert', one.cert);
  const { clock, appliance } = await start(live);
  await using _ = appliance;
  expect(await names(appliance)).toEqual(['one', 'one']);
  const open = await connected(appliance.httpPort);

  live.put('tlsCert', two.cert);
  await look(clock, () => appliance.logged.some((line) => line.includes('is not the key of')));
  expect(await names(appliance)).toEqual(['one', 'one']);
  live.put('tlsKey', two.key);
  await look(clock, () => appliance.logged.some((line) => line.includes('certificate reloaded')));
  expect(await names(appliance)).toEqual(['two', 'two']);
  // Reported once, not at every check.
  expect(appliance.logged.filter((line) => line.includes('is not the key of'))).toHaveLength(1);

  // An existing connection is still served.
  open.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  expect(await readText(open)).toStartWith('HTTP/1.1 200');
});

test('missing or malformed files leave the old certificate in use', async () => {
  const live = new Live();
  const [one, two] = [await pair('one'), await pair('two')];
  live.put('tlsKey', one.key);
  live.put('tlsCert', one.cert);
  const { clock, appliance } = await start(live);
  await using _ = appliance;
  rmSync(live.tlsCert);
  await look(clock, () => appliance.logged.some((line) => line.includes("can't be read")));
  live.put('tlsCert', 'junk');
  await look(clock, () => appliance.logged.some((line) => line.includes('contains no PEM certificate')));
  expect(await names(appliance)).toEqual(['one', 'one']);
  live.put('tlsKey', two.key);
  live.put('tlsCert', two.cert);
  await look(clock, () => appliance.logged.some((line) => line.includes('certificate reloaded')));
  expect(await names(appliance)).toEqual(['two', 'two']);
});
