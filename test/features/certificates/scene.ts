/** A server that gets its certificate from a CA of the test, and what the tests look at. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type PeerCertificate } from 'node:tls';
import { freePort } from '../../../scripts/measure/processes.ts';
import type { Clock } from '../../../src/platform/core/clock.ts';
import { type DnsServer, startDnsServer } from '../../peers/dns-server.ts';
import { testCa } from '../../peers/https-receiver.ts';
import { type Pebble, type PebbleOptions, startPebble } from '../../peers/pebble.ts';
import { type RunningAppliance, startAppliance } from '../../start.ts';
import { until } from '../../until.ts';

export const names = ['mail.acme.test', 'mx.acme.test'];

export interface StartServer {
  dataDir?: string;
  clock?: Clock;
  settings?: Record<string, string>;
}

export interface Scene extends AsyncDisposable {
  dns: DnsServer;
  httpPort: number;
  /** The settings of a server that asks this CA. */
  settings(directory: string): Record<string, string>;
  start(directory: string, options?: StartServer): Promise<RunningAppliance>;
}

/** Names that lead to a port of this machine. */
export async function makeScene(): Promise<Scene> {
  const dns = await startDnsServer();
  for (const name of names) dns.setAddresses(name, '127.0.0.1');
  const httpPort = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'postern-acme-'));
  const caFile = join(folder, 'ca.pem');
  writeFileSync(caFile, (await testCa()).pem);
  const settings = (directory: string) => ({
    acme: 'on',
    acme_email: 'ops@acme.test',
    acme_directory: directory,
    acme_http_listen: `127.0.0.1:${httpPort}`,
    base_url: `https://${names[0]}`,
    mx_host: names[1]!,
    http_tls: 'on',
    smtp_listen: 'tls://127.0.0.1:0,127.0.0.1:0',
    dns_servers: `${dns.host}:${dns.port}`,
    extra_ca_file: caFile,
    metrics: 'on',
  });
  return {
    dns,
    httpPort,
    settings,
    start: (directory, { settings: more, ...options } = {}) =>
      startAppliance({
        logLevel: 'info',
        ...options,
        settings: { ...settings(directory), ...more },
      }),
    async [Symbol.asyncDispose]() {
      await dns[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true });
    },
  };
}

export interface PebbleScene extends Scene {
  pebble: Pebble;
}

export async function makePebbleScene(
  options: Omit<PebbleOptions, 'dns' | 'httpPort'> = {},
): Promise<PebbleScene> {
  const scene = await makeScene();
  const pebble = await startPebble({ dns: scene.dns, httpPort: scene.httpPort, ...options });
  return {
    ...scene,
    pebble,
    async [Symbol.asyncDispose]() {
      await pebble[Symbol.asyncDispose]();
      await scene[Symbol.asyncDispose]();
    },
  };
}

export const said = ({ logged }: RunningAppliance, text: string) =>
  logged.filter((line) => line.includes(text));

/** Waits until a line of the log contains this. */
export function hears(appliance: RunningAppliance, text: string): Promise<void> {
  return until(() => said(appliance, text).length > 0);
}

/** The certificate that a new connection to a TLS port gets. */
export function readCertificate(port: number): Promise<PeerCertificate> {
  return new Promise((resolve, reject) => {
    const socket = connect(
      { port, host: '127.0.0.1', servername: names[0]!, rejectUnauthorized: false },
      () => {
        resolve(socket.getPeerCertificate());
        socket.destroy();
      },
    );
    socket.on('error', reject);
  });
}

/** The metrics of a server whose certificate nobody here trusts. */
export async function readMetrics({ url }: RunningAppliance): Promise<string> {
  return (await fetch(`${url}/metrics`, { tls: { rejectUnauthorized: false } })).text();
}
